// The exact map against closed forms and brute force.
#include <gtest/gtest.h>

#include <vector>

#include "map/brute_force.hpp"
#include "map/pair_shapes.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/map/exact_map.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

using namespace scree::test;

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> s = {box(1, 1), box(2, 1), hash(), ell(), triangle(), arc(12)};
    for (const char* name : {"u", "n", "heart", "star", "chain-link", "ring"}) s.push_back(make_named_shape(name));
    return s;
  }();
  return all;
}

struct Case {
  ShapePair pair;
  Rng rng;
};

// Every fifth pair of shapes, at ratios from 0.3 to 2.
std::vector<Case> cases() {
  std::vector<Case> out;
  const auto& s = shapes();
  for (std::size_t i = 0, k = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j < s.size(); ++j, ++k)
      if (k % 5 == 0) {
        Rng rng(7, k);
        const double ratio = k % 10 == 0 ? 1.0 : rng.uniform(0.3, 2);
        out.push_back({{&s[i], &s[j], ratio}, rng});
      }
  return out;
}

std::string name_of(const ShapePair& p) { return p.a->name + " " + p.b->name + " " + std::to_string(p.ratio); }

TEST(Exact, OutsideIsThePolygonDistanceAndTheSignTellsOverlap) {
  for (Case& c : cases()) {
    const PairGeometry geometry(c.pair);
    for (int n = 0; n < 40; ++n) {
      const Pose2d q = random_pose(c.rng, c.pair.reach());
      const double gap = ExactSlice(geometry, q.theta).query(q.x).gap;
      const Outline a = placed(*c.pair.a, 1, {}), b = placed(*c.pair.b, c.pair.ratio, q);
      if (std::abs(gap) > 1e-7) { EXPECT_EQ(gap < 0, overlap(a, b)) << name_of(c.pair) << " gap " << gap; }
      // 1e-9: both sides are sums of a few doubles of size one.
      if (gap > 1e-7) { EXPECT_NEAR(gap, boundary_distance(a, b), 1e-9) << name_of(c.pair); }
    }
  }
}

TEST(Exact, InsideIsTheShortestSeparatingTranslation) {
  for (Case& c : cases()) {
    const PairGeometry geometry(c.pair);
    for (int n = 0; n < 6; ++n) {
      const Pose2d q = random_pose(c.rng, 0.9 * c.pair.reach());
      const ContactGeometry g = ExactSlice(geometry, q.theta).query(q.x);
      if (g.gap >= -1e-3) continue;
      const Outline a = placed(*c.pair.a, 1, {});
      const auto moved = [&](Vec2d by) { return placed(*c.pair.b, c.pair.ratio, {q.theta, q.x + by}); };
      // At a narrow notch of the obstacle the way on is not along the normal: some hair's breadth in any direction.
      bool parted = false;
      for (int k = 0; k < 720 && !parted; ++k) {
        const Rotation2d turn(k * std::numbers::pi / 360);
        parted = !overlap(a, moved(-g.gap * g.gap_x + 1e-6 * Vec2d{turn.c, turn.s}));
      }
      EXPECT_TRUE(parted) << name_of(c.pair) << " gap " << g.gap;
      for (int k = 0; k < 720; ++k) {
        const Rotation2d turn(k * std::numbers::pi / 360);
        const Vec2d by = (-g.gap - 1e-6) * Vec2d{turn.c, turn.s};
        if (!overlap(a, moved(by))) {
          ADD_FAILURE() << name_of(c.pair) << " gap " << g.gap << " separates in direction " << k;
          break;
        }
      }
    }
  }
}

TEST(Exact, GradientIsTheFiniteDifference) {
  int bad = 0, total = 0;
  constexpr double h = 1e-6;
  for (Case& c : cases()) {
    const PairGeometry geometry(c.pair);
    for (int n = 0; n < 30; ++n) {
      const Pose2d q = random_pose(c.rng, c.pair.reach());
      const ExactSlice slice(geometry, q.theta, false);
      const ContactGeometry g = slice.query(q.x);
      const auto theta = [&](double d) { return ExactSlice(geometry, q.theta + d, false).query(q.x).gap; };
      const double gt = (theta(h) - theta(-h)) / (2 * h);
      const double gx = (slice.query(q.x + Vec2d{h, 0}).gap - slice.query(q.x - Vec2d{h, 0}).gap) / (2 * h);
      const double gy = (slice.query(q.x + Vec2d{0, h}).gap - slice.query(q.x - Vec2d{0, h}).gap) / (2 * h);
      EXPECT_NEAR(norm(g.gap_x), 1, 1e-12);
      const double error = std::abs(gt - g.gap_theta) + std::abs(gx - g.gap_x.x) + std::abs(gy - g.gap_x.y);
      ++total;
      if (error > 1e-4) ++bad;
    }
  }
  // Only poses within h of a kink may differ: a few in a million of the pose space times the number of kinks.
  EXPECT_LE(bad, total / 500) << bad << " of " << total;
}

TEST(Exact, SwappedPairGivesTheSwappedContact) {
  int kinks = 0, total = 0;
  for (Case& c : cases()) {
    const ShapePair back{c.pair.b, c.pair.a, 1 / c.pair.ratio};
    const PairGeometry ab(c.pair), ba(back);
    for (int n = 0; n < 20; ++n) {
      const Pose2d q = random_pose(c.rng, c.pair.reach()), r = inverse(q);
      const ContactGeometry expected = swapped(ExactSlice(ab, q.theta, false).query(q.x), q);
      // B's circumradius is the unit of the swapped map.
      const double unit = c.pair.ratio;
      const ContactGeometry g = ExactSlice(ba, r.theta, false).query((1 / unit) * r.x);
      EXPECT_NEAR(unit * g.gap, expected.gap, 1e-9) << name_of(c.pair);
      const double differ = norm(g.gap_x - expected.gap_x) + std::abs(unit * g.arm - expected.arm) +
                            std::abs(unit * g.gap_theta - expected.gap_theta);
      ++total;
      if (differ > 1e-6) ++kinks;
    }
  }
  EXPECT_LE(kinks, total / 500) << kinks << " of " << total;
}

TEST(Exact, AlignedBoxesMatchTheClosedForm) {
  const Shape a = box(1, 1), b = box(2, 1);
  const PairGeometry pair({&a, &b, 0.7});
  const ExactSlice slice(pair, 0);
  // The obstacle is a box with the summed half widths.
  const double w = std::sqrt(0.5) + 0.7 * 2 / std::sqrt(5.0), h = std::sqrt(0.5) + 0.7 / std::sqrt(5.0);
  Rng rng(4);
  for (int n = 0; n < 500; ++n) {
    const Vec2d x{rng.uniform(-1.7, 1.7), rng.uniform(-1.7, 1.7)};
    const double dx = std::abs(x.x) - w, dy = std::abs(x.y) - h;
    const double expected = dx > 0 && dy > 0 ? std::hypot(dx, dy) : std::max(dx, dy);
    EXPECT_NEAR(slice.query(x).gap, expected, 1e-12);
  }
}

// For convex shapes apart, A's support in direction n is r_A.n less half the gap: r_A.n = x.n/2 + c.
TEST(Exact, ArmMatchesTheSupportOfConvexShapes) {
  const Shape a = box(2, 1), b = triangle();
  const PairGeometry pair({&a, &b, 1.3});
  Rng rng(5);
  for (int n = 0; n < 300; ++n) {
    const Pose2d q = random_pose(rng, 2.3);
    const ContactGeometry g = ExactSlice(pair, q.theta).query(q.x);
    if (g.gap < 1e-6) continue;
    double support_a = -1e9, support_b = 1e9;
    for (const Vec2d v : a.outline.loops[0]) support_a = std::max(support_a, dot(v, g.gap_x));
    for (const Vec2d v : b.outline.loops[0]) support_b = std::min(support_b, dot(q * (1.3 * v), g.gap_x));
    EXPECT_NEAR(0.5 * dot(q.x, g.gap_x) + g.arm - 0.5 * g.gap, support_a, 1e-9);
    EXPECT_NEAR(0.5 * dot(q.x, g.gap_x) + g.arm + 0.5 * g.gap, support_b, 1e-9);
  }
}

TEST(Exact, SmallGrainIsFreeInTheHole) {
  const Shape a = hash(), b = box(1, 1);
  const ExactMap map({&a, &b, 0.1}, 0);
  // Hole half width 0.25, grain half width 0.1 / sqrt 2.
  const ContactGeometry g = map.query({0, {0.05, 0}});
  EXPECT_NEAR(g.gap, 0.2 - 0.1 * std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(g.gap_x.x, -1, 1e-12);
}

TEST(Exact, OnTheBoundaryTheNormalIsThatOfTheFace) {
  const Shape a = box(1, 1);
  const ExactMap map({&a, &a, 1}, 0);
  const ContactGeometry g = map.query({0, {std::sqrt(2.0), 0.2}});
  EXPECT_NEAR(g.gap, 0, 1e-15);
  EXPECT_NEAR(g.gap_x.x, 1, 1e-15);
  EXPECT_NEAR(g.arm, 0, 1e-15);
}

TEST(Exact, SmoothingIsSmoothAndStaysNear) {
  const Shape a = box(1, 1), b = box(3, 1);
  const double epsilon = 1e-2;
  const ExactMap raw({&a, &b, 1}, 0), smooth({&a, &b, 1}, epsilon);
  Rng rng(6);
  for (int n = 0; n < 200; ++n) {
    const Pose2d q{rng.uniform(-2 * epsilon, 2 * epsilon), {rng.uniform(-1, 1), rng.uniform(0.9, 1.2)}};
    const ContactGeometry g = smooth.query(q);
    // The kernel's mean |shift| is below 0.6 Delta = 0.3 epsilon, and |d_theta| <= 1 here.
    EXPECT_NEAR(g.gap, raw.query(q).gap, 0.3 * epsilon);
    const double h = 1e-6;
    const auto at = [&](double t) { return smooth.query({q.theta + t, q.x}); };
    EXPECT_NEAR((at(h).gap - at(-h).gap) / (2 * h), g.gap_theta, 1e-4);
    // C1 at least: the slope moves by no more than |d_theta| jump (2) over the kernel's width times a small step.
    EXPECT_NEAR(at(1e-5).gap_theta, g.gap_theta, 2 * 1e-5 / (0.5 * epsilon) * 2);
  }
}

TEST(Discs, ClosedForm) {
  const DiscMap map(0.5);
  const ContactGeometry g = map.query({1.2, {0.6, 0.8}});
  EXPECT_DOUBLE_EQ(g.gap, -0.5);
  EXPECT_DOUBLE_EQ(g.gap_theta, 0);
  EXPECT_DOUBLE_EQ(g.gap_x.y, 0.8);
  EXPECT_DOUBLE_EQ(g.arm, 0.25);
  EXPECT_TRUE(std::isfinite(map.query({0, {0, 0}}).gap_x.x));
}

TEST(ContactMap, BeyondReachIsTheCertifiedBoundAndNanStaysNan) {
  const Shape a = box(1, 1);
  const ExactMap map({&a, &a, 1}, 0);
  const ContactGeometry g = map.query({0.3, {3, 0}});
  EXPECT_DOUBLE_EQ(g.gap, 1);
  EXPECT_DOUBLE_EQ(g.gap_x.x, 1);
  EXPECT_TRUE(std::isnan(map.query({0, {std::nan(""), 0}}).gap));
  EXPECT_TRUE(std::isnan(map.query({std::nan(""), {0.1, 0}}).gap));
}

}  // namespace
}  // namespace scree
