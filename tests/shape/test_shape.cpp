// Shapes: normal form, symmetry, thinnest feature, and every recipe of the library.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/pose.hpp"
#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/shape.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

void expect_normal_form(const Shape& shape) {
  double farthest = 0;
  for (const Loop& loop : shape.outline.loops)
    for (const Vec2d v : loop) farthest = std::max(farthest, norm(v));
  EXPECT_NEAR(farthest, 1, 1e-9) << shape.name;
  EXPECT_NEAR(norm(mass_properties(shape.outline).centroid), 0, 1e-9) << shape.name;
  EXPECT_GT(shape.thinnest, 0) << shape.name;
  EXPECT_LE(shape.thinnest, 2) << shape.name;
  EXPECT_GT(shape.area, 0) << shape.name;
  EXPECT_LE(shape.area, pi + 1e-12) << shape.name;
  EXPECT_GT(shape.polar_moment, 0) << shape.name;
  EXPECT_LE(shape.polar_moment, shape.area) << shape.name;  // |x| <= 1
  EXPECT_FALSE(shape.pieces.empty()) << shape.name;
}

TEST(Shape, DoesNotDependOnPlaceSizeOrAngle) {
  const Outline drawn{{{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}}}};
  const Shape here = make_shape("l", drawn);
  const Shape there = make_shape("l", transformed(drawn, 2.5, 0.7, {100, -40}));
  expect_normal_form(here);
  EXPECT_NEAR(there.natural_radius, 2.5 * here.natural_radius, 1e-12);
  EXPECT_NEAR(there.area, here.area, 1e-12);
  EXPECT_NEAR(there.polar_moment, here.polar_moment, 1e-12);
  EXPECT_NEAR(there.thinnest, here.thinnest, 1e-9);
  EXPECT_EQ(there.pieces.size(), here.pieces.size());
}

TEST(Shape, HashIsOfTheContent) {
  const Shape a = make_named_shape("box", {{"width", 2}, {"height", 1}});
  const Shape larger = make_named_shape("box", {{"width", 4}, {"height", 2}});
  const Shape other = make_named_shape("box", {{"width", 2}, {"height", 1.01}});
  EXPECT_EQ(a.hash, larger.hash);
  EXPECT_EQ(a.hash, make_shape("brick", {{{{-1, -0.5}, {1, -0.5}, {1, 0.5}, {-1, 0.5}}}}).hash);
  EXPECT_NE(a.hash, other.hash);
  const Shape disc = make_disc("disc", 1);
  EXPECT_NE(disc.hash, make_shape("polygon", disc.outline).hash);
}

TEST(Shape, DiscIsExact) {
  const Shape disc = make_disc("disc", 3);
  EXPECT_DOUBLE_EQ(disc.area, pi);
  EXPECT_DOUBLE_EQ(disc.polar_moment, pi / 2);
  EXPECT_EQ(disc.natural_radius, 3);
  EXPECT_EQ(disc.symmetry, 0);
  EXPECT_TRUE(disc.is_disc);
  EXPECT_THROW(make_disc("disc", 0), Error);
  EXPECT_THROW(make_disc("disc", NAN), Error);
}

TEST(Symmetry, OfNamedShapes) {
  const auto order = [](const char* name, const std::map<std::string, double>& p = {}) {
    return make_named_shape(name, p).symmetry;
  };
  EXPECT_EQ(order("disc"), 0);
  for (int n = 3; n < 20; ++n) EXPECT_EQ(order("polygon", {{"n", n}}), n);
  EXPECT_EQ(order("octagon"), 8);
  EXPECT_EQ(order("box"), 4);
  EXPECT_EQ(order("box", {{"width", 1}, {"height", 0.999}}), 2);
  EXPECT_EQ(order("rounded-box"), 4);
  EXPECT_EQ(order("rounded-box", {{"width", 2}, {"height", 1}}), 2);
  EXPECT_EQ(order("ring") % 8, 0);
  EXPECT_EQ(order("u"), 1);
  EXPECT_EQ(order("n"), 2);
  EXPECT_EQ(order("hash"), 4);
  EXPECT_EQ(order("d"), 1);
  EXPECT_EQ(order("cross"), 4);
  for (int n = 3; n < 12; ++n) EXPECT_EQ(order("star", {{"n", n}, {"inner", 0.4}}), n);
  EXPECT_EQ(order("arc"), 1);
  EXPECT_EQ(order("arc", {{"fraction", 1}}) % 8, 0);
  EXPECT_EQ(order("heart"), 1);
  EXPECT_EQ(order("chain-link"), 1);
}

TEST(Symmetry, SeesHolesAndSmallFlaws) {
  // A square with an off-centre hole is symmetric in its outer loop alone; the centroid moves too.
  const Shape frame = make_shape(
      "frame", {{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, {{-0.5, -0.3}, {0.5, -0.3}, {0.5, 0.3}, {-0.5, 0.3}}}});
  EXPECT_EQ(frame.symmetry, 2);
  EXPECT_EQ(make_shape("flawed", {{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1.001}}}}).symmetry, 1);
}

double width_of(const char* name, const std::map<std::string, double>& p = {}) {
  const Shape s = make_named_shape(name, p);
  return s.thinnest * s.natural_radius;
}

TEST(Thinnest, KnownWidths) {
  EXPECT_NEAR(width_of("box", {{"width", 3}, {"height", 0.5}}), 0.5, 1e-9);
  EXPECT_NEAR(width_of("box", {{"width", 1}, {"height", 0.9}}), 0.9, 1e-9);
  EXPECT_NEAR(width_of("hash"), 0.3, 1e-9);
  EXPECT_NEAR(width_of("cross"), 0.5, 1e-9);
  EXPECT_NEAR(width_of("u"), 0.25, 1e-9);
  EXPECT_NEAR(width_of("n"), 0.2, 1e-6);
  EXPECT_NEAR(width_of("octagon"), 2 * std::cos(pi / 8), 1e-9);
  EXPECT_NEAR(width_of("rounded-box", {{"width", 3}, {"height", 1}, {"corner", 0.3}}), 1, 1e-9);
  // Chords of the two walls do not lie opposite: within the flattening tolerance.
  EXPECT_NEAR(width_of("ring"), 0.3, 2e-3);
  EXPECT_NEAR(width_of("d"), 0.2, 2e-3);
  EXPECT_NEAR(width_of("arc"), 0.14, 3e-3);
  EXPECT_NEAR(width_of("chain-link"), 0.1, 3e-3);
}

TEST(Thinnest, CornersAreNotFeatures) {
  // An equilateral triangle: its incircle. r = R / 2.
  EXPECT_NEAR(width_of("polygon", {{"n", 3}}), 1, 1e-5);
  // A thorn on a box: the width of its foot, not of its tip.
  const Shape thorn = make_shape("thorn", {{{{-2, 0}, {2, 0}, {2, 2}, {0.1, 2}, {0, 3.5}, {-0.1, 2}, {-2, 2}}}});
  EXPECT_NEAR(thorn.thinnest * thorn.natural_radius, 0.2, 0.01);
  // A needle: no width is found but that of its largest inscribed disc, r = area / half perimeter.
  const Shape needle = make_shape("needle", {{{{0, 0}, {10, 0}, {0, 1}}}});
  EXPECT_NEAR(needle.thinnest * needle.natural_radius, 10.0 / ((11 + std::sqrt(101)) / 2), 1e-4);
}

TEST(Thinnest, NeckBetweenTwoBodies) {
  const Shape dumbbell = make_shape(
      "dumbbell", {{{{-3, -1}, {-1, -1}, {0, -0.05}, {1, -1}, {3, -1}, {3, 1}, {1, 1}, {0, 0.05}, {-1, 1}, {-3, 1}}}});
  EXPECT_NEAR(dumbbell.thinnest * dumbbell.natural_radius, 0.1, 1e-6);
}

TEST(Library, EveryRecipeBuildsAndIsDescribed) {
  EXPECT_GE(shape_recipes().size(), 15u);
  for (const ShapeRecipe& recipe : shape_recipes()) {
    EXPECT_FALSE(recipe.summary.empty()) << recipe.name;
    for (const ShapeParameter& p : recipe.parameters) {
      EXPECT_FALSE(p.meaning.empty()) << recipe.name << "." << p.name;
      EXPECT_TRUE(p.lowest <= p.fallback && p.fallback <= p.highest) << recipe.name << "." << p.name;
    }
    const Shape shape = make_named_shape(recipe.name);
    EXPECT_EQ(shape.name, recipe.name);
    expect_normal_form(shape);
  }
}

TEST(Library, EveryRecipeIsDocumented) {
  std::ifstream file(std::string(SCREE_SOURCE_DIR) + "/docs/shapes.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t table = text.find("## The named library");
  ASSERT_NE(table, std::string::npos);
  for (const ShapeRecipe& recipe : shape_recipes()) {
    const std::size_t row = text.find("\n| `" + recipe.name + "` |", table);
    ASSERT_NE(row, std::string::npos) << recipe.name;
    const std::string line = text.substr(row + 1, text.find('\n', row + 1) - row);
    for (const ShapeParameter& p : recipe.parameters)
      EXPECT_NE(line.find(cat("`", p.name, "` ", p.fallback)), std::string::npos) << recipe.name << "." << p.name;
  }
}

TEST(Library, RandomParametersBuildOrAreRefusedWithReason) {
  Rng rng(5);
  for (const ShapeRecipe& recipe : shape_recipes()) {
    int built = 0;
    for (int k = 0; k < 25; ++k) {
      std::map<std::string, double> values;
      for (const ShapeParameter& p : recipe.parameters) {
        const bool whole = p.name == "n";
        const double v = p.fallback * std::exp(rng.normal() * 0.3);
        values[p.name] = std::clamp(whole ? std::round(v) : v, p.lowest, p.highest);
      }
      try {
        expect_normal_form(make_named_shape(recipe.name, values, std::pow(10, rng.uniform(-3, -1.5))));
        ++built;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.remedy().empty()) << error.what();
        // A refusal must be one of the recipe's own, not the outline check finding nonsense.
        EXPECT_EQ(error.problem().find("meet"), std::string::npos) << error.what();
        EXPECT_EQ(error.problem().find("vertex"), std::string::npos) << error.what();
      }
    }
    EXPECT_GE(built, 8) << recipe.name;
  }
}

TEST(Library, SizesFollowTheParameters) {
  EXPECT_DOUBLE_EQ(make_named_shape("box", {{"width", 3}, {"height", 4}}).natural_radius, 2.5);
  EXPECT_NEAR(make_named_shape("hash", {{"radius", 0.1}}).natural_radius, 0.1, 1e-15);
  EXPECT_NEAR(make_named_shape("hash", {{"radius", 0.1}}).thinnest, 0.3, 1e-9);  // the rest keeps its proportion
  EXPECT_NEAR(make_named_shape("hash", {{"bar", 0.2}}).thinnest, 0.2, 1e-9);     // only the bars change
  EXPECT_EQ(make_named_shape("hash", {{"radius", 0.1}}).symmetry, 4);
  const Shape heart = make_named_shape("heart", {{"width", 2}}, 1e-5);
  const double side = 2 / (1 + std::sqrt(0.5));
  EXPECT_NEAR(heart.area * std::pow(heart.natural_radius, 2), side * side * (1 + pi / 4), 1e-4);
  const Shape arc = make_named_shape("arc", {{"fraction", 0.25}, {"radius", 0.7}, {"thickness", 0.1}}, 1e-5);
  EXPECT_NEAR(arc.area * std::pow(arc.natural_radius, 2), 0.25 * 2 * pi * 0.7 * 0.1 + pi * 0.05 * 0.05, 1e-4);
  const Shape rounded = make_named_shape("rounded-box", {{"width", 2}, {"height", 1}, {"corner", 0.25}}, 1e-5);
  EXPECT_NEAR(rounded.area * std::pow(rounded.natural_radius, 2), 2 - (4 - pi) * 0.0625, 1e-4);
}

TEST(Library, AliasesAndSuggestions) {
  EXPECT_EQ(make_named_shape("O").name, "ring");
  EXPECT_EQ(make_named_shape("#").name, "hash");
  EXPECT_EQ(make_named_shape("U").name, "u");
  const auto remedy = [](const char* name, const std::map<std::string, double>& p) {
    try {
      make_named_shape(name, p);
    } catch (const Error& error) { return error.remedy(); }
    return std::string("accepted");
  };
  EXPECT_EQ(remedy("ringg", {}), "did you mean \"ring\"?");
  EXPECT_EQ(remedy("box", {{"widht", 1}}), "did you mean \"width\"?");
  EXPECT_NE(remedy("polygon", {{"n", 2}}).find("between 3 and"), std::string::npos);
  EXPECT_EQ(remedy("polygon", {{"n", 4.5}}), "give an integer");
  EXPECT_NE(remedy("box", {{"width", NAN}}), "accepted");
  EXPECT_NE(remedy("ring", {{"inner", 2}, {"outer", 1}}), "accepted");
}

// Smallest signed distance between the vertices of one outline and the other, both ways: negative when they overlap.
double clearance(const Outline& a, const Outline& b) {
  double least = 1e9;
  for (const auto& [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}})
    for (const Loop& loop : from->loops)
      for (const Vec2d v : loop) least = std::min(least, nearest_boundary(*to, v).distance);
  return least;
}

TEST(ChainLink, BallIsHeldAndSwings) {
  const Shape link = make_named_shape("chain-link");
  const double scale = link.natural_radius;
  const Outline first = transformed(link.outline, scale, 0, {0, 0});
  // The ball is the part farthest to the right: its centre lies a ball radius before that.
  double right = 0;
  for (const Vec2d v : first.loops[0]) right = std::max(right, v.x);
  const Vec2d ball{right - 0.22, 0};
  const Vec2d socket = ball - Vec2d{1, 0};
  // The next link, its socket about the ball, turned by `angle` and pulled by `pull`.
  const auto next = [&](double angle, Vec2d pull) {
    return transformed(link.outline, scale, angle, ball + pull - Rotation2d(angle) * socket);
  };
  EXPECT_NEAR(clearance(first, next(0, {0, 0})), 0.02, 2e-3);
  const double swing = 50 * pi / 180 - std::asin(0.1 / 0.29);
  EXPECT_GT(swing * 180 / pi, 29);
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_GT(clearance(first, next(sign * (swing - 0.02), {0, 0})), 0);
    EXPECT_LT(clearance(first, next(sign * (swing + 0.02), {0, 0})), 0);
  }
  // No way out: any pull of a ball radius in any direction, at any swing, overlaps.
  for (int k = 0; k < 36; ++k)
    for (const double angle : {-0.4, 0.0, 0.4})
      EXPECT_LT(clearance(first, next(angle, 0.15 * Vec2d{std::cos(k * pi / 18), std::sin(k * pi / 18)})), 0);
}

TEST(Thinnest, ASliverIsMeasuredInTime) {
  const Shape sliver = make_shape("sliver", Outline{{{{0, 0}, {1, 0}, {0, 1e-7}}}});
  EXPECT_GT(sliver.thinnest, 0);
  EXPECT_LT(sliver.thinnest, 1e-6);
}

}  // namespace
}  // namespace scree
