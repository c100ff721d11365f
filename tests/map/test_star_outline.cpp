// The distance from a star's outline, against all edges of it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "brute_force.hpp"
#include "scree/base/rng.hpp"
#include "scree/map/star_map.hpp"
#include "scree/map/star_outline.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"

namespace scree {
namespace {

// By the nearest point of every edge; inside where a ray to the right crosses an odd number of them.
double slow_distance(const Loop& loop, double scale, Vec2d p) {
  double least = std::numeric_limits<double>::infinity();
  bool inside = false;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec2d a = scale * loop[k], b = scale * loop[(k + 1) % loop.size()], ab = b - a;
    const double along = std::clamp(dot(p - a, ab) / norm2(ab), 0.0, 1.0);
    least = std::min(least, norm(p - a - along * ab));
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * ab.x) inside = !inside;
  }
  return inside ? -least : least;
}

TEST(StarOutline, IsTheDistanceFromAllEdgesWithItsGradient) {
  const Shape shapes[] = {
      make_named_shape("star"), make_named_shape("rosette"), make_named_shape("box", {{"width", 10}, {"height", 0.5}}),
      make_named_shape("polygon", {{"n", 3}}), make_fourier_star("limacon", {{1, 0.5, 0.1}, {0, 0, 0.1}})};
  constexpr double scale = 0.7, step = 1e-6;
  for (const Shape& shape : shapes) {
    const Loop& loop = shape.outline.loops.front();
    const StarOutline outline(loop, scale * Radial(shape).centre(), scale);
    Rng rng(8);
    int checked = 0;
    for (int n = 0; n < 4000; ++n) {
      const Vec2d p{rng.uniform(-1, 1), rng.uniform(-1, 1)};
      const StarOutline::Answer got = outline.at(p);
      EXPECT_NEAR(got.distance, slow_distance(loop, scale, p), 1e-12) << shape.name;
      EXPECT_NEAR(norm(got.gradient), 1, 1e-12);
      // Where the nearest edge changes there is no gradient.
      const auto distance = [&](Vec2d by) { return outline.at(p + by).distance; };
      const Vec2d there{(distance({step, 0}) - distance({-step, 0})) / (2 * step),
                        (distance({0, step}) - distance({0, -step})) / (2 * step)};
      if (norm(there) < 1 - 1e-4) continue;
      EXPECT_LT(norm(got.gradient - there), 1e-3) << shape.name;
      ++checked;
    }
    EXPECT_GT(checked, 3800) << shape.name;
  }
}

TEST(StarOutline, OnTheBoundaryTheNormalIsThere) {
  const Shape star = make_named_shape("star");
  const Loop& loop = star.outline.loops.front();
  const StarOutline outline(loop, Radial(star).centre(), 1);
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec2d a = loop[k], b = loop[(k + 1) % loop.size()];
    for (const Vec2d p : {a, 0.5 * (a + b)}) {
      const StarOutline::Answer at = outline.at(p);
      EXPECT_NEAR(at.distance, 0, 1e-12);
      EXPECT_NEAR(norm(at.gradient), 1, 1e-12);
      EXPECT_GT(outline.at(p + 1e-4 * at.gradient).distance, 0);
      EXPECT_LT(outline.at(p - 1e-4 * at.gradient).distance, 0);
    }
  }
}

// The sieve of nodes loses none: by the true distances of all nodes of both sides.
TEST(StarMap, NearestHasTheLeastOfAllNodesFirst) {
  const Shape star = make_named_shape("star"), needle = make_named_shape("box", {{"width", 10}, {"height", 0.5}});
  constexpr double ratio = 0.8, way = 0.01;
  const StarMap map({&star, &needle, ratio}, 100);
  const StarOutline of_a(star.outline.loops.front(), map.side_a().centre, 1);
  const StarOutline of_b(needle.outline.loops.front(), map.side_b().centre, ratio);
  Rng rng(9);
  for (int n = 0; n < 500; ++n) {
    const Pose2d q = test::random_pose(rng, map.reach());
    const Rotation2d turn(q.theta);
    double least = std::numeric_limits<double>::infinity();
    for (const Vec2d node : map.side_a().nodes) least = std::min(least, of_b.at(turn.back(node - q.x)).distance);
    for (const Vec2d node : map.side_b().nodes) least = std::min(least, of_a.at(turn * node + q.x).distance);
    std::vector<PairContact> nearest;
    map.nearest(q, way, nearest);
    ASSERT_FALSE(nearest.empty());
    EXPECT_NEAR(nearest[0].geometry.gap, least, 1e-12);
    for (const PairContact& c : nearest) EXPECT_GE(c.geometry.gap, nearest[0].geometry.gap);
  }
}

}  // namespace
}  // namespace scree
