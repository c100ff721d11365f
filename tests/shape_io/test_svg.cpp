// Grains from SVG files, against closed-form areas.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/shape/svg.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

// A file with the given content inside <svg>, removed at the end.
class Drawing {
 public:
  explicit Drawing(const std::string& body, bool whole = false)
      : path_((std::filesystem::temp_directory_path() / ("scree_test_" + std::to_string(getpid()) + ".svg")).string()) {
    std::ofstream out(path_);
    out << (whole ? body : "<svg xmlns=\"http://www.w3.org/2000/svg\">" + body + "</svg>");
  }
  ~Drawing() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

double area_of(const std::string& body, const std::optional<std::string>& id = std::nullopt) {
  const Drawing drawing(body);
  const Shape shape = make_svg_shape(drawing.path(), id, 1e-4);
  return shape.area * shape.natural_radius * shape.natural_radius;
}

std::string complaint(const std::string& body, const std::optional<std::string>& id = std::nullopt,
                      bool whole = false) {
  const Drawing drawing(body, whole);
  try {
    make_svg_shape(drawing.path(), id);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Svg, ElementsAgainstClosedForms) {
  EXPECT_NEAR(area_of("<rect x='1' y='2' width='3' height='4'/>"), 12, 1e-6);
  EXPECT_NEAR(area_of("<rect width='30' height='40' rx='5'/>"), 1200 - (4 - pi) * 25, 0.1);
  EXPECT_NEAR(area_of("<circle cx='9' cy='9' r='2'/>"), 4 * pi, 2e-3);
  EXPECT_NEAR(area_of("<ellipse rx='2' ry='3'/>"), 6 * pi, 3e-3);
  EXPECT_NEAR(area_of("<polygon points='0,0 4,0 0,3'/>"), 6, 1e-6);
  EXPECT_NEAR(area_of("<polyline points='0,0 4,0 0,3'/>"), 6, 1e-6);
  EXPECT_NEAR(area_of("<path d='M0 0H4A2 2 0 0 1 4 4H0Z'/>"), 16 + 2 * pi, 5e-3);
  EXPECT_NEAR(area_of("<rect width='1in' height='25.4mm'/>"), 96 * 96, 1e-2);
}

TEST(Svg, FillRulesAndHoles) {
  const std::string nested = "d='M0 0H6V6H0Z M1 1H5V5H1Z'/>";  // both the same way round
  EXPECT_NEAR(area_of("<path " + nested), 36, 1e-6);
  EXPECT_NEAR(area_of("<path fill-rule='evenodd' " + nested), 20, 1e-6);
  EXPECT_NEAR(area_of("<path style='fill:red; fill-rule : evenodd' " + nested), 20, 1e-6);
  EXPECT_NEAR(area_of("<g fill-rule='evenodd'><path " + nested + "</g>"), 20, 1e-6);
  EXPECT_NEAR(area_of("<path d='M0 0H6V6H0Z M1 1V5H5V1Z'/>"), 20, 1e-6);  // wound the other way: a hole
  // A hole cut in by a slit without width, as some programs write it.
  EXPECT_NEAR(area_of("<path d='M0 0H6V3H5V1H1V5H5V3H6V6H0Z'/>"), 20, 1e-5);
  // A figure of eight is no error in a drawing: it is filled, here as two triangles that overlap a bar.
  EXPECT_NEAR(area_of("<path d='M0 0L4 4V0L0 4Z'/><rect x='1' y='1' width='2' height='2'/>"), 10, 1e-5);
}

TEST(Svg, OverlapsAreUnited) {
  EXPECT_NEAR(area_of("<rect width='4' height='2'/><rect x='3' width='4' height='2'/>"), 14, 1e-6);
  EXPECT_NEAR(area_of("<rect width='4' height='2'/><rect x='4' width='4' height='2'/>"), 16, 1e-6);  // side by side
  EXPECT_NEAR(area_of("<rect width='1' height='1'/><rect x='3' width='1' height='1'/>"), 2, 1e-6);   // two parts
}

TEST(Svg, TransformsNest) {
  EXPECT_NEAR(area_of("<g transform='scale(2)'><g transform='rotate(30) translate(5,5)'>"
                      "<rect width='1' height='3' transform='skewX(20)'/></g></g>"),
              12, 1e-5);
  EXPECT_NEAR(area_of("<circle r='1' transform='scale(3 2)'/>"), 6 * pi, 3e-3);
  EXPECT_NEAR(area_of("<g transform='matrix(-1 0 0 1 0 0)'><rect width='2' height='2'/></g>"), 4, 1e-6);
}

TEST(Svg, YPointsUp) {
  // An arrow head that points up on the screen has its tip at the largest y.
  const Drawing drawing("<path d='M0 10L5 0L10 10L5 8Z'/>");
  const Shape shape = make_svg_shape(drawing.path());
  double top = -1;
  Vec2d tip;
  for (const Vec2d v : shape.outline.loops[0])
    if (v.y > top) top = v.y, tip = v;
  EXPECT_NEAR(tip.x, 0, 1e-9);
  EXPECT_GT(top, 0.9);
}

TEST(Svg, OneElementById) {
  const std::string body =
      "<defs><rect id='unit' width='1' height='1'/></defs>"
      "<g transform='scale(3)'><rect id='a' width='1' height='1'/><rect id='b' x='5' width='2' height='1'/></g>"
      "<use href='#unit' x='50'/>";
  EXPECT_NEAR(area_of(body), 9 + 18 + 1, 1e-5);
  EXPECT_NEAR(area_of(body, "a"), 9, 1e-6);
  EXPECT_NEAR(area_of(body, "unit"), 1, 1e-6);
  EXPECT_TRUE(says(complaint(body, "c"), "no element has the id \"c\""));
}

TEST(Svg, HiddenAndUnfilledElementsDoNotCount) {
  const std::string box = "<rect width='2' height='2'/>";
  EXPECT_NEAR(area_of(box + "<rect x='9' width='2' height='2' display='none'/>"), 4, 1e-6);
  EXPECT_NEAR(area_of(box + "<rect x='9' width='2' height='2' fill='none'/>"), 4, 1e-6);
  EXPECT_NEAR(area_of(box + "<g style='fill:none'><rect x='9' width='2' height='2' fill='red'/></g>"), 8, 1e-6);
  EXPECT_NEAR(area_of(box + "<clipPath><rect x='9' width='2' height='2'/></clipPath><title>x</title>"), 4, 1e-6);
}

TEST(Svg, ErrorsNameFileElementAndFault) {
  EXPECT_TRUE(says(complaint("<path id='p' d='M0 0 L1 x'/>"), "<path id=\"p\">: attribute d, character 8"));
  EXPECT_TRUE(says(complaint("<path d='M0 0H1'/><path d='M0 0H1V1'/>"), "<path> number 1"));
  EXPECT_TRUE(says(complaint("<path d='M0 0H1V1Z M5 5H6V6'/>"), "sub-path 1 is open: it starts at (5, 5)"));
  EXPECT_TRUE(says(complaint("<g transform='spin(3)'/>"), "<g> number 1 in its group: attribute transform"));
  EXPECT_TRUE(says(complaint(""), "nothing to fill"));
  EXPECT_TRUE(says(complaint("<path id='s' fill='none' d='M0 0H1V1Z'/>"), "<path id=\"s\"> (fill=\"none\")"));
  EXPECT_TRUE(says(complaint("<text>grain</text>"), "convert text to paths"));
  EXPECT_TRUE(says(complaint("<circle r='-1'/>"), "positive radius"));
  EXPECT_TRUE(says(complaint("<rect width='50%' height='1'/>"), "not a length"));
  EXPECT_TRUE(says(complaint("<polygon points='0 0 1 1'/>"), "2 points"));
  EXPECT_TRUE(says(complaint("<path d='M0 0L1e12 0L0 1Z'/>"), "beyond 1e9"));
  EXPECT_TRUE(says(complaint("<use href='#gone'/>"), "#gone"));
  EXPECT_TRUE(says(complaint("<g id='g'><use href='#g'/><use href='#g'/></g>"), "uses itself"));
  EXPECT_TRUE(says(complaint("<svg><path", std::nullopt, true), "not well-formed XML"));
  EXPECT_TRUE(says(complaint("<html/>", std::nullopt, true), "not an SVG"));
  EXPECT_THROW(make_svg_shape("/no/such/file.svg"), Error);
  // Parts that touch in a point have no width there.
  EXPECT_TRUE(says(complaint("<rect width='1' height='1'/><rect x='1' y='1' width='1' height='1'/>"), "meet"));
}

TEST(Svg, GarbageNeverCrashes) {
  const std::string alphabet = "MLHVCSQTAZmlhvcsqtaz0123456789.-e, ";
  Rng rng(23);
  for (int k = 0; k < 1000; ++k) {
    std::string data = "M0 0";
    for (std::uint64_t i = 0, n = rng.below(80); i < n; ++i) data += alphabet[rng.below(alphabet.size())];
    complaint("<path d='" + data + "Z'/>");
  }
  // Syntactically right, geometrically wild.
  const std::string commands = "LCSQTA";
  for (int k = 0; k < 300; ++k) {
    std::string data = "M0 0";
    for (int i = 0; i < 12; ++i) {
      const char c = commands[rng.below(commands.size())];
      const auto number = [&] { return " " + std::to_string(static_cast<int>(rng.uniform(-9, 9))); };
      data += c;
      if (c == 'A') data += number() + number() + number() + " 0 1";
      const int pairs = c == 'C' ? 3 : c == 'S' || c == 'Q' ? 2 : 1;
      for (int j = 0; j < 2 * pairs; ++j) data += number();
    }
    const std::string answer = complaint("<path fill-rule='evenodd' d='" + data + "Z'/>");
    EXPECT_FALSE(answer.empty());
  }
}

TEST(Svg, ExamplesOfTheRepository) {
  const std::string folder = std::string(SCREE_SOURCE_DIR) + "/scenes/shapes/";
  const Shape gear = make_svg_shape(folder + "gear.svg");
  EXPECT_EQ(gear.symmetry, 8);
  EXPECT_EQ(gear.outline.loops.size(), 2u);
  const Shape key = make_svg_shape(folder + "key.svg");
  EXPECT_EQ(key.name, "key");
  EXPECT_EQ(key.outline.loops.size(), 2u);
  EXPECT_NEAR(key.thinnest * key.natural_radius, 8, 0.1);  // a tooth
  EXPECT_NEAR(make_svg_shape(folder + "key.svg", "bow", 1e-5).area * 22 * 22, pi * (22 * 22 - 11 * 11), 0.1);
}

}  // namespace
}  // namespace scree
