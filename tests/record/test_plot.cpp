#include <gtest/gtest.h>

#include <set>

#include "scree/base/error.hpp"
#include "scree/map/exact_map.hpp"
#include "scree/record/plot.hpp"
#include "scree/record/round_numbers.hpp"
#include "scree/record/scene_look.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

std::size_t colours(const Image& image) {
  return std::set<std::uint32_t>(image.pixels.begin(), image.pixels.end()).size();
}

TEST(Plot, SheetOfShapesInBothThemes) {
  const Shape hash = make_named_shape("hash"), ring = make_named_shape("ring");
  for (bool pieces : {false, true}) {
    for (const Theme& theme : {light_theme(), dark_theme()}) {
      const Image image = shape_sheet({{&hash, "hash", {"a note"}}, {&ring, "ring", {}}}, pieces, theme, 500);
      EXPECT_NEAR(image.width, 500, 2);
      EXPECT_GT(colours(image), 50u);
    }
  }
  EXPECT_THROW(shape_sheet({}, false, light_theme()), Error);
}

TEST(Plot, MapFigureHasAColumnAnAngle) {
  const Shape hash = make_named_shape("hash"), box = make_named_shape("box");
  const ShapePair pair{&hash, &box, 0.5};
  const ExactMap map(pair, 0);
  MapFigure figure;
  figure.panel = 120;
  figure.grid = 40;
  figure.thetas = {0};
  const Image one = map_figure(pair, map, figure);
  figure.thetas = {0, 0.5, 1};
  figure.title = "hash - box";
  const Image three = map_figure(pair, map, figure);
  EXPECT_GT(three.width, one.width + 200);
  EXPECT_GT(three.height, one.height);
  EXPECT_GT(colours(three), 100u);
  figure.thetas.clear();
  EXPECT_THROW(map_figure(pair, map, figure), Error);
}

// B is drawn whole at every angle, however large: nothing but ground just inside the frame of the upper panel.
TEST(Plot, MapFigureHasRoomForB) {
  const Shape disc = make_named_shape("disc"), star = make_named_shape("star");
  const ShapePair pair{&disc, &star, 3};
  const ExactMap map(pair, 0);
  MapFigure figure;
  figure.panel = 200;
  figure.grid = 20;
  for (const double theta : {0.0, 0.3, 0.6, 0.9}) {
    figure.thetas = {theta};
    const Image image = map_figure(pair, map, figure);
    const double font = 0.045 * figure.panel + 2;
    const int left = static_cast<int>(1.5 * font) + 3, top = static_cast<int>(2.4 * font) + 3, side = figure.panel - 6;
    const auto pixel = [&](int x, int y) {
      return image
          .pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)];
    };
    for (int k = 0; k < side; ++k) {
      ASSERT_EQ(pixel(left + k, top), 0xffffffffu) << theta;
      ASSERT_EQ(pixel(left + side - 1, top + k), 0xffffffffu) << theta;
    }
  }
}

TEST(Plot, RoundNumbers) {
  EXPECT_DOUBLE_EQ(round_down(7.3), 5);
  EXPECT_DOUBLE_EQ(round_down(0.02), 0.02);
  EXPECT_DOUBLE_EQ(round_up(0.23), 0.25);
  EXPECT_DOUBLE_EQ(round_up(0), 1);
  EXPECT_EQ(ticks(1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(tick_label(0.25, 0.25), "0.25");
  EXPECT_EQ(tick_label(2000, 500), "2000");
  EXPECT_EQ(tick_label(0, 0.1), "0");
}

TEST(SceneLook, TakesTheRenderTableOfAScene) {
  const SceneLook look = look_of_scene(R"(
units = "SI"
[render]
colour = "speed"
width = 640
height = 480
fps = 12.5
background = "black"
x = [-1, 2]
y = [0, 3.5]
legend = false
)");
  EXPECT_EQ(look.style.colour, ColourBy::speed);
  EXPECT_EQ(look.style.width, 640);
  EXPECT_EQ(look.fps, 12.5);
  EXPECT_TRUE(look.style.theme.dark);
  EXPECT_FALSE(look.style.legend);
  EXPECT_EQ(look.style.length_unit, "m");
  ASSERT_TRUE(look.style.view);
  EXPECT_EQ(look.style.view->hi.y, 3.5);
  EXPECT_EQ(look_of_scene("not toml at all [").style.width, 1280);
  EXPECT_EQ(scene_text_of(R"({"scene": "title = 1"})"), "title = 1");
  EXPECT_EQ(scene_text_of("no json"), "");
  PictureStyle style;
  set_units(style, "mm,ms,kN");
  EXPECT_EQ(style.force_unit, "kN");
  EXPECT_THROW(set_units(style, "mm"), Error);
}

}  // namespace
}  // namespace scree
