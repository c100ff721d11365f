// The small languages of SVG: path data, transforms, point lists. Files are tested in shape_io.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "scree/base/rng.hpp"
#include "scree/shape/svg_path.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

double area_of(const char* data, double tolerance = 1e-5) {
  double area = 0;
  for (const SubPath& path : parse_path_data(data)) area += signed_area(flattened(path, {}, tolerance));
  return area;
}

std::size_t error_offset(const char* data) {
  try {
    parse_path_data(data);
  } catch (const SvgSyntaxError& error) { return error.offset; }
  return std::string::npos;
}

TEST(PathData, LinesInAllSpellings) {
  for (const char* data :
       {"M0 0L2 0L2 1L0 1Z", "m0,0 2,0 0,1 -2,0z", "M 0 0 H 2 V 1 H 0 Z", "m0 0h2v1h-2z", "M0,0,2,0,2,1,0,1z",
        "M0 0 2 0 2 1 0 1 Z", "\n\tM+0-0 20e-1.0 2 1e0 .0 1.z", "M0 0L2 0 2 1 0 1 0 0"})
    EXPECT_NEAR(area_of(data), 2, 1e-12) << data;
}

TEST(PathData, ArcsAgainstClosedForms) {
  EXPECT_NEAR(area_of("M1 0A1 1 0 0 1-1 0A1 1 0 0 1 1 0Z"), pi, 1e-4);
  EXPECT_NEAR(area_of("M1 0A1 1 0 0 0-1 0A1 1 0 0 0 1 0Z"), -pi, 1e-4);
  EXPECT_NEAR(area_of("M0 0L1 0A1 1 0 0 1 0 1Z"), pi / 4, 1e-4);
  EXPECT_NEAR(area_of("M0 0L1 0A1 1 0 1 0 0 1Z"), -(3 * pi / 4), 1e-4);  // the long way round, clockwise
  EXPECT_NEAR(area_of("M3 0a3 2 0 01-6 0a3 2 0 016 0z"), 6 * pi, 1e-3);  // flags without spaces
  EXPECT_NEAR(area_of("M0 0a3 2 30 1 1 1e-9 0z"), 6 * pi, 1e-3);         // nearly a whole tilted ellipse
  EXPECT_NEAR(area_of("M-2 0A1 1 0 0 1 2 0Z"), 2 * pi, 1e-3) << "radii too small are scaled up";
  EXPECT_NEAR(area_of("M0 0A0 1 0 0 1 1 0L1 1Z"), 0.5, 1e-12) << "a radius of zero is a line";
}

TEST(PathData, CurvesAgainstClosedForms) {
  // Area under a quadratic with control (1, 2) over a base of 2: two thirds of the triangle.
  EXPECT_NEAR(area_of("M0 0Q1 2 2 0Z"), -(2.0 / 3) * 2, 1e-4);
  EXPECT_NEAR(area_of("M0 0q1 2 2 0t2 0z"), 0, 1e-4) << "T mirrors: the second hump hangs below";
  // A cubic with controls (0, 1), (1, 1) over [0, 1]: area 3/5.
  EXPECT_NEAR(area_of("M0 0C0 1 1 1 1 0Z"), -0.6, 1e-4);
  EXPECT_NEAR(area_of("M0 0c0 1 1 1 1 0s1-1 1 0z"), 0, 1e-4) << "S mirrors";
  EXPECT_NEAR(area_of("M0 0L1 0S1 1 0 1Z"), area_of("M0 0L1 0C1 0 1 1 0 1Z"), 1e-12) << "S after a line";
}

TEST(PathData, SubPaths) {
  const auto paths = parse_path_data("M0 0h1v1z l2 0 0 2z m5 5 1 0 0 1");
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_TRUE(paths[0].closed);
  EXPECT_EQ(paths[1].start, (Vec2d{0, 0}));
  EXPECT_EQ(paths[2].start, (Vec2d{5, 5}));
  EXPECT_FALSE(paths[2].closed);
}

TEST(PathData, ErrorsCarryTheOffset) {
  EXPECT_EQ(error_offset("L0 0"), 0u);
  EXPECT_EQ(error_offset("M0 0 X1 1"), 5u);
  EXPECT_EQ(error_offset("M0 0 L1"), 7u);
  EXPECT_EQ(error_offset("M0 0 L1 nan"), 8u);
  EXPECT_EQ(error_offset("M0 0 A1 1 0 2 0 1 1"), 12u);
  EXPECT_EQ(error_offset("M0 0 L1 1e999"), 8u);
  EXPECT_EQ(error_offset(""), std::string::npos);
}

TEST(PathData, GarbageNeverCrashes) {
  const std::string alphabet = "MmLlHhVvCcSsQqTtAaZz0123456789.-+eE, \n\"<nX";
  Rng rng(17);
  int parsed = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text = k % 2 == 0 ? "M0 0" : "";
    const auto length = rng.below(60);
    for (std::uint64_t i = 0; i < length; ++i) text += alphabet[rng.below(alphabet.size())];
    try {
      for (const SubPath& path : parse_path_data(text)) flattened(path, {}, 0.1);
      ++parsed;
    } catch (const SvgSyntaxError& error) { EXPECT_LE(error.offset, text.size()); }
  }
  EXPECT_GT(parsed, 10);
}

TEST(Transform, ComposesLeftToRight) {
  const auto apply = [](const char* text, Vec2d p) { return parse_transform(text) * p; };
  const auto expect_at = [](Vec2d p, double x, double y) {
    EXPECT_NEAR(p.x, x, 1e-12);
    EXPECT_NEAR(p.y, y, 1e-12);
  };
  expect_at(apply("translate(3) scale(2)", {1, 1}), 5, 2);
  expect_at(apply("scale(2),translate(3,1)", {1, 1}), 8, 4);
  expect_at(apply("rotate(90)", {1, 0}), 0, 1);
  expect_at(apply("rotate(90 1 0)", {2, 0}), 1, 1);
  expect_at(apply("matrix(1 2 3 4 5 6)", {1, 1}), 9, 12);
  expect_at(apply("skewX(45)", {0, 1}), 1, 1);
  expect_at(apply("skewY(45)", {1, 0}), 1, 1);
  expect_at(apply("scale(2 -3)", {1, 1}), 2, -3);
  EXPECT_NEAR(parse_transform("rotate(30) scale(2 5)").stretch(), 5, 1e-12);
  for (const char* bad : {"rotate", "rotate(", "rotate(1", "spin(3)", "matrix(1 2 3)", "rotate(1 2)", "(1)", "1"})
    EXPECT_THROW(parse_transform(bad), SvgSyntaxError) << bad;
}

TEST(Points, PairsOnly) {
  EXPECT_EQ(parse_points("0,0 1,0, 1 1").size(), 3u);
  EXPECT_THROW(parse_points("0,0 1"), SvgSyntaxError);
  EXPECT_THROW(parse_points("a b"), SvgSyntaxError);
}

TEST(BasicShapes, RectAndEllipse) {
  EXPECT_NEAR(signed_area(flattened(rect_path(1, 2, 3, 4, 0, 0), {}, 1e-5)), 12, 1e-12);
  EXPECT_NEAR(signed_area(flattened(rect_path(0, 0, 3, 4, 1, 0.5), {}, 1e-6)), 12 - (4 - pi) * 0.5, 1e-4);
  EXPECT_NEAR(signed_area(flattened(rect_path(0, 0, 2, 2, 9, 9), {}, 1e-6)), pi, 1e-4);  // radii are clamped
  EXPECT_NEAR(signed_area(flattened(ellipse_path({5, 5}, 2, 3), {}, 1e-6)), 6 * pi, 1e-4);
}

}  // namespace
}  // namespace scree
