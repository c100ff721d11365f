// Clumps of discs: the bound they promise, against points of outline and discs.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/shape/clump.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

double outside_discs(const Clump& clump, Vec2d p) {
  double least = 1e300;
  for (const ClumpDisc& d : clump.discs) least = std::min(least, norm(p - d.centre) - d.radius);
  return std::max(0.0, least);
}

// Both halves of the distance in the sense of Hausdorff, by many points.
void expect_bound(const Shape& shape, const Clump& clump) {
  double uncovered = 0, beyond = 0;
  for (const Loop& loop : shape.outline.loops)
    for (std::size_t k = 0; k < loop.size(); ++k)
      for (int i = 0; i < 300; ++i)
        uncovered =
            std::max(uncovered, outside_discs(clump, loop[k] + (i / 300.0) * (loop[(k + 1) % loop.size()] - loop[k])));
  for (const ClumpDisc& d : clump.discs) {
    EXPECT_GT(d.radius, 0);
    EXPECT_LE(norm(d.centre) + d.radius, 1 + 1e-9) << shape.name;  // the engine looks no farther
    for (int i = 0; i < 200; ++i) {
      const double angle = 2 * std::numbers::pi * i / 200;
      const Vec2d p = d.centre + d.radius * Vec2d{std::cos(angle), std::sin(angle)};
      beyond = std::max(beyond, nearest_boundary(shape.outline, p).distance);
    }
  }
  EXPECT_LE(uncovered, clump.error) << shape.name;
  EXPECT_LE(beyond, clump.error + 1e-9) << shape.name;
  // And it is no idle bound.
  EXPECT_GT(std::max(uncovered, beyond), 0.5 * clump.error - 0.006) << shape.name;
}

TEST(Clump, KeepsItsTolerance) {
  for (const char* name : {"box", "cross", "star", "hash", "u", "heart", "rosette", "ring", "chain-link"})
    for (const double tolerance : {0.1, 0.04}) {
      const Shape shape = make_named_shape(name);
      const Clump clump = fit_clump(shape, {0, tolerance});
      EXPECT_LE(clump.error, tolerance) << name;
      EXPECT_LT(clump.discs.size(), 100u) << name;
      expect_bound(shape, clump);
    }
}

TEST(Clump, MoreDiscsComeNearer) {
  for (const char* name : {"rosette", "u", "box"}) {
    const Shape shape = make_named_shape(name);
    double before = 2;
    for (const int n : {1, 9, 33}) {
      const Clump clump = fit_clump(shape, {n, 0});
      EXPECT_LE(clump.discs.size(), static_cast<std::size_t>(n));
      EXPECT_LT(clump.error, 0.6 * before) << name << n;
      before = clump.error;
      expect_bound(shape, clump);
    }
  }
}

// 9 = 1 + 4 + 4 and 17 = 1 + 16: the clumps of the paper's cross. Errors measured: 0.023 and 0.011.
TEST(Clump, OfThePapersCross) {
  const Shape shape = make_named_shape("rosette");
  const Clump nine = fit_clump(shape, {9, 0}), seventeen = fit_clump(shape, {17, 0});
  EXPECT_EQ(nine.discs.size(), 9u);
  EXPECT_EQ(seventeen.discs.size(), 17u);
  EXPECT_LT(nine.error, 0.03);
  EXPECT_LT(seventeen.error, 0.015);
}

TEST(Clump, KeepsTheSymmetryOfTheShape) {
  for (const char* name : {"cross", "star", "hash"}) {
    const Shape shape = make_named_shape(name);
    const Clump clump = fit_clump(shape, {0, 0.05});
    const Rotation2d turn(2 * std::numbers::pi / shape.symmetry);
    for (const ClumpDisc& d : clump.discs) {
      double nearest = 1;
      for (const ClumpDisc& e : clump.discs)
        nearest = std::min(nearest, norm(turn * d.centre - e.centre) + std::abs(d.radius - e.radius));
      EXPECT_LT(nearest, 1e-9) << name;
    }
  }
}

TEST(Clump, OfADiscIsTheDisc) {
  const Clump clump = fit_clump(make_disc("disc", 2), {0, 0.05});
  ASSERT_EQ(clump.discs.size(), 1u);
  EXPECT_EQ(clump.discs[0].radius, 1);
  EXPECT_EQ(clump.error, 0);
}

TEST(Clump, RefusesWhatItCannotDo) {
  const Shape box = make_named_shape("box");
  EXPECT_THROW(fit_clump(box, {-1, 0.05}), Error);
  EXPECT_THROW(fit_clump(box, {0, 1e-4}), Error);
  EXPECT_THROW(fit_clump(box, {0, std::nan("")}), Error);
  EXPECT_THROW(fit_clump(box, {2000, 0.05}), Error);
}

}  // namespace
}  // namespace scree
