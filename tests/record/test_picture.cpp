#include <gtest/gtest.h>

#include "record/demo_world.hpp"
#include "scree/base/error.hpp"
#include "scree/record/picture.hpp"

namespace scree {
namespace {

std::uint32_t argb(Colour c) {
  const auto byte = [](double v) { return static_cast<std::uint32_t>(v * 255 + 0.5); };
  return 0xff000000u | byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

// Largest difference of a channel: rounding in Cairo and here may differ by one.
int distance(std::uint32_t a, std::uint32_t b) {
  int most = 0;
  for (int shift : {0, 8, 16}) most = std::max(most, std::abs(int(a >> shift & 255) - int(b >> shift & 255)));
  return most;
}

struct Scene {
  World world = demo::empty_world();
  Statics statics;
  Frame frame;
  Scene() {
    demo::add_type(world, "box", 1);
    demo::add_type(world, "ring", 1);
    world.add_body(0, 0, BodyKind::moving, {-2, 0}, 0, {3, 0});
    world.add_body(1, 0, BodyKind::moving, {2, 0}, 0.5);
    world.add_body(0, 0, BodyKind::fixed, {0, 3}, 0);
    demo::add_contact(world, 0, 1, 10);
    statics = statics_of(world);
    frame = frame_of(world);
  }
  Picture picture(const PictureStyle& style) const { return {statics, style, find_scales(statics, frame)}; }
};

std::uint32_t pixel(const Picture& p, const Image& image, Vec2d world) {
  const Vec2d at = p.page(world);
  return image.at(static_cast<int>(at.x), static_cast<int>(at.y));
}

TEST(Picture, ShowsGrainsHolesAndGround) {
  const Scene scene;
  for (bool dark : {false, true}) {
    PictureStyle style;
    style.theme = dark ? dark_theme() : light_theme();
    const Picture picture = scene.picture(style);
    const Image image = picture.draw(scene.frame);
    EXPECT_EQ(image.width, 1920);
    EXPECT_EQ(image.height, 1080);
    EXPECT_LE(distance(pixel(picture, image, {-2, 0}), argb(palette(0))), 1);
    EXPECT_LE(distance(pixel(picture, image, {2, 0}), argb(style.theme.ground)), 1);  // the hole of the ring
    EXPECT_LE(distance(pixel(picture, image, Vec2d{2, 0} + Rotation2d(0.5) * Vec2d{0.86, 0}), argb(palette(1))), 1);
    EXPECT_LE(distance(pixel(picture, image, {0, 3}), argb(style.theme.neutral)), 1);  // fixed
    EXPECT_LE(distance(pixel(picture, image, {0, 1}), argb(style.theme.ground)), 1);
  }
}

TEST(Picture, ColoursBySpeedForceAndAngle) {
  const Scene scene;
  PictureStyle style;
  const Scales scales = find_scales(scene.statics, scene.frame);
  style.colour = ColourBy::speed;
  Picture p = scene.picture(style);
  EXPECT_LE(distance(pixel(p, p.draw(scene.frame), {-2, 0}), argb(speed_ramp(3 / scales.speed, false))), 1);
  style.colour = ColourBy::force;
  p = scene.picture(style);
  EXPECT_LE(distance(pixel(p, p.draw(scene.frame), {-2, 0}), argb(force_ramp(10 / scales.grain_force, false))), 1);
  style.colour = ColourBy::angle;
  p = scene.picture(style);
  EXPECT_LE(distance(pixel(p, p.draw(scene.frame), {-2, 0}), argb(cyclic_ramp(0))), 1);
  EXPECT_EQ(parse_colour_by("speed"), ColourBy::speed);
  EXPECT_THROW(parse_colour_by("sped"), Error);
}

// A grain at rest, or without a force, is still there.
TEST(Picture, RampsStandOutFromDarkGround) {
  const Theme theme = dark_theme();
  for (int k = 0; k <= 20; ++k) {
    for (const Colour c : {speed_ramp(k / 20.0, true), force_ramp(k / 20.0, true)}) {
      const double contrast = (luminance(c) + 0.05) / (luminance(theme.ground) + 0.05);
      EXPECT_GT(contrast, 2) << "at " << k / 20.0;
    }
  }
}

// Pixels that differ from the ground in the right-hand strip where the legend stands.
std::size_t ink_on_the_right(const Image& image, std::uint32_t ground) {
  std::size_t n = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = image.width * 94 / 100; x < image.width; ++x) n += image.at(x, y) != ground;
  return n;
}

TEST(Picture, HasALegendUnlessToldNot) {
  const Scene scene;
  for (ColourBy colour : {ColourBy::type, ColourBy::group, ColourBy::speed, ColourBy::force, ColourBy::angle}) {
    PictureStyle style;
    style.colour = colour;
    EXPECT_GT(ink_on_the_right(scene.picture(style).draw(scene.frame), argb(style.theme.ground)), 100u);
    style.legend = false;
    EXPECT_EQ(ink_on_the_right(scene.picture(style).draw(scene.frame), argb(style.theme.ground)), 0u);
  }
}

TEST(Picture, DrawsTheForceNetworkThroughTheContactPoint) {
  const Scene scene;
  PictureStyle style;
  style.forces = true;
  const Picture picture = scene.picture(style);
  const Image image = picture.draw(scene.frame);
  EXPECT_LT(distance(pixel(picture, image, {0, 0}), argb(style.theme.force)), 40);
  EXPECT_GT(distance(pixel(picture, image, {0, 1}), argb(style.theme.force)), 100);
}

// Under a force network grains are paler, and what explains their colours is with them.
TEST(Picture, TheLegendFadesWithTheGrains) {
  Scene scene;
  scene.frame.theta[0] = 1, scene.frame.v[1].x = 5;  // colours from the middle of their bars
  for (ColourBy colour : {ColourBy::type, ColourBy::speed, ColourBy::force, ColourBy::angle}) {
    for (const bool forces : {false, true}) {
      PictureStyle style;
      style.colour = colour;
      style.forces = forces;
      const Picture picture = scene.picture(style);
      const Image image = picture.draw(scene.frame);
      const std::uint32_t grain = pixel(picture, image, {-2, 0.5});  // beside the network
      std::size_t explained = 0;
      const int from = static_cast<int>(picture.page({3.2, 0}).x);  // beyond the grains
      for (int y = 0; y < image.height; ++y)
        for (int x = from; x < image.width; ++x) explained += distance(image.at(x, y), grain) <= 3;
      EXPECT_GT(explained, 30u) << static_cast<int>(colour) << (forces ? ", faded" : "");
    }
  }
}

TEST(Picture, KeepsTheViewAskedForAndItsScaleSquare) {
  const Scene scene;
  PictureStyle style;
  style.view = Box{{-3, -1}, {1, 1}};
  style.width = 801;
  style.height = 0;
  const Picture picture = scene.picture(style);
  EXPECT_EQ(picture.width() % 2, 0);
  EXPECT_EQ(picture.height() % 2, 0);
  const Vec2d a = picture.page({0, 0}), b = picture.page({1, 1});
  EXPECT_NEAR(b.x - a.x, a.y - b.y, 1e-9);
  style.view = Box{{1, 1}, {1, 2}};
  EXPECT_THROW(scene.picture(style), Error);
}

// Of a tall view too, whatever stands beside it: the open size leaves no more than margins empty.
TEST(Picture, AnOpenSizeFollowsTheView) {
  const Scene scene;
  for (const double height : {0.5, 1.0, 2.0, 4.0, 8.0, 40.0}) {
    for (const bool legend : {false, true}) {
      PictureStyle style;
      style.view = Box{{0, 0}, {2, height}};
      style.longer = 1280;
      style.legend = legend;
      const Picture picture = scene.picture(style);
      EXPECT_EQ(std::max(picture.width(), picture.height()), 1280) << height;
      const double tall = picture.page({0, 0}).y - picture.page({0, height}).y;
      if (height > 2) { EXPECT_GT(tall, 0.9 * picture.height()) << height << " " << legend; }
      const double wide = picture.page({2, 0}).x - picture.page({0, 0}).x, font = picture.width() / 70.0;
      if (height == 4.0 || height == 8.0) { EXPECT_GT(wide, picture.width() - 32 * font) << height << " " << legend; }
      style.longer = 0;
      style.width = 800;
      style.height = 0;
      EXPECT_EQ(scene.picture(style).width(), 800) << "as asked";
      style.height = 300;
      EXPECT_EQ(scene.picture(style).height(), 300) << "as asked";
    }
  }
}

TEST(Picture, WallsAppearAndGo) {
  Scene scene;
  Wall wall;
  wall.kind = WallKind::circle_outside;
  wall.radius = 0.5;
  wall.pose.x = {0, -2};
  scene.world.walls.push_back(wall);
  scene.statics = statics_of(scene.world);
  scene.frame = frame_of(scene.world);
  const PictureStyle style;
  const Picture picture = scene.picture(style);
  EXPECT_LE(distance(pixel(picture, picture.draw(scene.frame), {0, -2}), argb(style.theme.wall)), 1);
  scene.frame.wall_active[0] = 0;
  EXPECT_LE(distance(pixel(picture, picture.draw(scene.frame), {0, -2}), argb(style.theme.ground)), 1);
}

TEST(Picture, SurvivesNumbersThatAreNot) {
  Scene scene;
  scene.frame.x[0].x = std::nan("");
  scene.frame.v[1].x = std::nan("");
  scene.frame.contacts[0].normal_force = std::nan("");
  PictureStyle style;
  style.forces = true;
  for (ColourBy colour : {ColourBy::type, ColourBy::speed, ColourBy::force}) {
    style.colour = colour;
    scene.picture(style).draw(scene.frame);
  }
}

TEST(Picture, PaletteHasNoTwins) {
  for (std::size_t i = 0; i < palette_size; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(distance(argb(palette(i)), argb(palette(j))), 24) << i << " " << j;
}

// Grains of a few pixels are printed from masks: where they are, and as much of them as there is.
TEST(Picture, GrainsOfAFewPixels) {
  const Scene scene;
  PictureStyle style;
  style.legend = style.time = style.scale_bar = false;
  style.theme = dark_theme();
  style.view = Box{{-6, -6}, {6, 6}};
  const auto ink = [&](int side) {  // of a pixel of the ground, by area
    style.width = style.height = side;
    const Picture picture = scene.picture(style);
    const Image image = picture.draw(scene.frame);
    EXPECT_LE(distance(pixel(picture, image, {-2, -4}), argb(style.theme.ground)), 1);
    EXPECT_GT(distance(pixel(picture, image, {-2, 0}), argb(style.theme.ground)), 100);
    const Vec2d lo = picture.page({-3.5, 1.5}), hi = picture.page({-0.5, -1.5});
    const double scale = (hi.x - lo.x) / 3;
    double sum = 0;
    for (int y = int(lo.y); y < int(hi.y); ++y)
      for (int x = int(lo.x); x < int(hi.x); ++x)
        sum += distance(image.at(x, y), argb(style.theme.ground)) /
               double(distance(argb(palette(0)), argb(style.theme.ground)));
    return sum / (scale * scale);
  };
  const double large = ink(400), small = ink(60);  // radii of 30 and 2.8 pixels
  EXPECT_NEAR(small, large, 0.15 * large);
}

TEST(Picture, LensShowsAPartEnlarged) {
  const Scene scene;
  PictureStyle style;
  style.width = 640, style.height = 480;
  style.lens = Box{{-2.4, -0.4}, {-1.6, 0.4}};  // within the box
  const Picture picture = scene.picture(style);
  const Image image = picture.draw(scene.frame);
  EXPECT_LE(distance(image.at(505, 345), argb(palette(0))), 1);
  style.lens = Box{{-0.4, -0.4}, {0.4, 0.4}};  // between the two
  const Picture empty = scene.picture(style);
  EXPECT_LE(distance(empty.draw(scene.frame).at(505, 345), argb(style.theme.ground)), 1);
}

}  // namespace
}  // namespace scree
