// Star contact against its own slow forms: all nodes, finite differences, the swapped pair, true distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "brute_force.hpp"
#include "scree/map/star_error.hpp"
#include "scree/map/star_map.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"

namespace scree {
namespace {

using test::random_pose;

constexpr double turn = 2 * std::numbers::pi;

// Smooth, polygonal, off its star's centre.
std::vector<Shape> stars() {
  return {make_named_shape("rosette"), make_named_shape("star"), make_named_shape("box"),
          make_fourier_star("limacon", {{1, 0.5, 0.1}, {0, 0, 0.1}}), make_disc("disc", 1)};
}

template <class Body>
void for_pairs(Body&& body) {
  const std::vector<Shape> all = stars();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) body(ShapePair{&all[i], &all[j], 0.5 + 0.3 * static_cast<double>(j)});
}

// The StarDEM paper, section 4: within 0.01 of the boundary of the shape of its figure 3 the first-order distance is
// off by less than 0.17 of itself, the radial one by up to 2.7. The figure comes without a formula: the stars with six
// and five arms were picked because they have both figures. 0.17 is no bound for all stars, as r ~ 2 + cos 6t shows.
TEST(StarDistanceError, ThePapersTable) {
  struct Row {
    const char* name;
    Shape shape;
    double first_order, radial;  // measured
  };
  const Row rows[] = {
      {"cross, r ~ 2 + cos 4t", make_named_shape("rosette"), 0.085, 1.57},
      {"r ~ 2 + cos 5t", make_named_shape("rosette", {{"n", 5}}), 0.14, 2.14},
      {"six arms, r ~ 1 + 0.3 cos 6t + 0.2 cos 12t",
       make_fourier_star("six", {{1, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0, 0.2}, {}}), 0.16, 2.71},
      {"five arms, r ~ 1 + 0.625 cos 5t + 0.1 cos 10t",
       make_fourier_star("five", {{1, 0, 0, 0, 0, 0.625, 0, 0, 0, 0, 0.1}, {}}), 0.12, 2.74},
      {"r ~ 2 + cos 6t", make_named_shape("rosette", {{"n", 6}}), 0.22, 2.73},
      {"nearly round, r ~ 10 + cos 3t", make_named_shape("rosette", {{"n", 3}, {"depth", 0.1}}), 0.001, 0.045}};
  std::printf("%-48s %12s %8s\n", "relative error within 0.01 of the boundary", "first order", "radial");
  for (const Row& row : rows) {
    const StarDistanceError e = star_distance_error(row.shape);
    std::printf("%-48s %12.3f %8.3f\n", row.name, e.first_order, e.radial);
    if (std::string(row.name) != "r ~ 2 + cos 6t") { EXPECT_LT(e.first_order, 0.17) << row.name; }
    EXPECT_NEAR(e.first_order, row.first_order, 0.1 * row.first_order + 0.005) << row.name;
    EXPECT_NEAR(e.radial, row.radial, 0.03 * row.radial) << row.name;
  }
}

// The error of the first-order distance falls with the distance; that of the radial one does not.
TEST(StarDistanceError, FirstOrderConvergesRadialDoesNot) {
  const Shape cross = make_named_shape("rosette");
  const StarDistanceError far = star_distance_error(cross, 0.02), near = star_distance_error(cross, 0.005);
  EXPECT_NEAR(std::log2(far.first_order / near.first_order) / 2, 1, 0.25);
  EXPECT_GT(near.radial, 1.5);
}

TEST(StarKernel, DirectionNumbersGrowWithTheAngle) {
  double before = -1;
  for (int k = 0; k < 1000; ++k) {
    const double angle = turn * (k + 0.5) / 1000, u = direction_number<double>({std::cos(angle), std::sin(angle)});
    EXPECT_GT(u, before);
    EXPECT_LT(u, 4);
    before = u;
  }
  EXPECT_EQ(direction_number<double>({2, 0}), 0);
  EXPECT_EQ(direction_number<double>({0, 2}), 1);
  EXPECT_EQ(direction_number<double>({-2, 0}), 2);
  EXPECT_EQ(direction_number<double>({0, -2}), 3);
}

TEST(StarKernel, GradientIsThatOfTheDistance) {
  const Shape s = make_named_shape("rosette");
  const StarSide side(Radial(s), 100, 1);
  Rng rng(3);
  const double h = 1e-7;
  int kinks = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec2d p = random_pose(rng, 1.2).x;
    const auto compare = [&](auto distance, double steepest) {
      const auto g = distance(p).gradient;
      ASSERT_LE(norm(g), steepest + 1e-12);
      if (norm(g) > 0.999 * steepest) return;  // limited
      const double x = (distance(p + Vec2d{h, 0}).distance - distance(p - Vec2d{h, 0}).distance) / (2 * h);
      const double y = (distance(p + Vec2d{0, h}).distance - distance(p - Vec2d{0, h}).distance) / (2 * h);
      // Between two entries of the table, and on one side of the core, the distance is smooth.
      if (norm(g - Vec2d{x, y}) > 1e-5 * (1 + norm(g))) ++kinks;
    };
    compare([&](Vec2d v) { return star_distance<false>(side.view(), v); }, star_steepest<double>);
    compare([&](Vec2d v) { return star_distance<true>(side.view(), v); }, 1e9);
  }
  EXPECT_LT(kinks, 20);
}

TEST(StarMap, NodesLieOnTheOutlineAndOnItsCorners) {
  for_pairs([](const ShapePair& pair) {
    const StarMap map(pair, 100);
    for (const Vec2d p : map.side_b().nodes) {
      const double off = nearest_boundary(pair.b->outline, (1 / pair.ratio) * p).distance;
      EXPECT_LT(std::abs(off), pair.b->flatten_tolerance + 1e-9);
    }
    if (pair.b->name != "box") return;
    for (const Vec2d corner : pair.b->outline.loops[0]) {
      double nearest = 1;
      for (const Vec2d p : map.side_b().nodes) nearest = std::min(nearest, norm(p - pair.ratio * corner));
      EXPECT_LT(nearest, 1e-12);
    }
  });
}

// query() takes the nearest of all nodes, touching() the deepest of each overlap: the same deepest contact, and none
// where none is.
TEST(StarMap, TouchesWhereTheGapIsNegative) {
  for_pairs([](const ShapePair& pair) {
    const StarMap map(pair, 60);
    Rng rng(4);
    for (int n = 0; n < 400; ++n) {
      const Pose2d q = random_pose(rng, map.reach());
      const ContactGeometry smallest = map.query(q);
      std::vector<PairContact> out;
      map.touching(q, all_parts, out);
      if (smallest.gap >= 0) {
        EXPECT_TRUE(out.empty());
        continue;
      }
      ASSERT_FALSE(out.empty());
      double deepest = 0;
      for (const PairContact& c : out) deepest = std::min(deepest, c.geometry.gap);
      EXPECT_EQ(deepest, smallest.gap);
      for (std::size_t k = 1; k < out.size(); ++k) EXPECT_LE(out[k - 1].feature, out[k].feature);
    }
  });
}

bool same(const std::vector<PairContact>& a, const std::vector<PairContact>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PairContact& s, const PairContact& t) {
    return s.feature == t.feature && s.geometry.gap == t.geometry.gap && s.geometry.gap_theta == t.geometry.gap_theta &&
           s.geometry.gap_x == t.geometry.gap_x && s.geometry.arm == t.geometry.arm;
  });
}

// Wherever the grains get to while their points move by less than the margin, the near parts have the same contacts, to
// the bit, as all parts; and they are few.
TEST(StarMap, NearPartsMissNothing) {
  int parts = 0, poses = 0, none = 0;
  for_pairs([&](const ShapePair& pair) {
    const StarMap map(pair, 99);
    const double radius_b = pair.ratio, margin = 0.05;
    Rng rng(8);
    for (int n = 0; n < 100; ++n) {
      const Pose2d q = random_pose(rng, map.reach());
      const NearParts near = map.near_parts(q, margin);
      parts += std::popcount(near);
      none += near == 0;
      ++poses;
      for (int k = 0; k < 10; ++k) {
        // A stays: points of B move by less than the shift and the turn together.
        const double shift = margin * rng.uniform(), angle = rng.uniform(0, turn);
        const double turned = (margin - shift) / radius_b * rng.uniform(-1, 1);
        const Pose2d r{q.theta + turned, q.x + shift * Vec2d{std::cos(angle), std::sin(angle)}};
        if (norm(r.x) > map.reach()) continue;
        std::vector<PairContact> all, some;
        map.touching(r, all_parts, all);
        map.touching(r, near, some);
        ASSERT_TRUE(same(all, some)) << pair.a->name << " " << pair.b->name << " pose " << n;
      }
    }
  });
  EXPECT_GT(none, poses / 20);
  EXPECT_LT(parts, 40 * poses);  // of 50 or more; the poses are of grains that overlap deeply, as a rule
}

TEST(StarMap, ABatchHasTheBitsOfItsPairs) {
  for_pairs([](const ShapePair& pair) {
    const StarMap map(pair, 99);
    Rng rng(9);
    std::vector<Pose2d> poses;
    for (int n = 0; n < 150; ++n) poses.push_back(random_pose(rng, map.reach()));
    const std::vector<NearParts> parts(poses.size(), all_parts);
    std::vector<PairContact> out;
    std::vector<std::uint32_t> ends;
    map.touching_batch(poses, parts, out, ends);
    ASSERT_EQ(ends.size(), poses.size());
    for (std::size_t k = 0; k < poses.size(); ++k) {
      std::vector<PairContact> alone;
      map.touching(poses[k], all_parts, alone);
      EXPECT_TRUE(same(alone, {out.begin() + (k > 0 ? ends[k - 1] : 0), out.begin() + ends[k]}));
    }
  });
}

// Two convex grains overlap in one convex region: nodes of both sides and of every run belong to one contact.
TEST(StarMap, ConvexGrainsHaveOneContact) {
  const Shape box = make_named_shape("box"), octagon = make_named_shape("octagon"), disc = make_disc("disc", 1),
              egg = make_named_shape("rosette", {{"n", 2}, {"depth", 0.1}});
  const Shape* shapes[] = {&box, &octagon, &disc, &egg};
  Rng rng(5);
  int touched = 0;
  for (const Shape* a : shapes)
    for (const Shape* b : shapes) {
      const StarMap map({a, b, 0.7}, 100);
      for (int n = 0; n < 500; ++n) {
        std::vector<PairContact> out;
        Pose2d q = random_pose(rng, 1);
        q.x = (map.reach() * rng.uniform(0.7, 1) / norm(q.x)) * q.x;
        map.touching(q, all_parts, out);
        touched += !out.empty();
        EXPECT_LE(out.size(), 1u) << a->name << " " << b->name;
      }
    }
  EXPECT_GT(touched, 2000);
}

// A tip of B between two arms of A rests on both.
TEST(StarMap, TipInANotchTouchesTwice) {
  const Shape cross = make_named_shape("rosette");
  const StarMap map({&cross, &cross, 1}, 100);
  const double angle = turn / 8;
  const Vec2d way{std::cos(angle), std::sin(angle)};
  // Turned by 45 degrees one of B's arms points at A's notch, which lies on the diagonal.
  double distance = 2;
  while (map.query({angle, distance * way}).gap > -0.005) distance -= 1e-3;
  std::vector<PairContact> out;
  map.touching({angle, distance * way}, all_parts, out);
  ASSERT_EQ(out.size(), 2u);
  // Mirror images about the line of centres.
  const Vec2d n0 = out[0].geometry.gap_x, n1 = out[1].geometry.gap_x;
  EXPECT_NEAR(out[0].geometry.gap, out[1].geometry.gap, 1e-3);
  EXPECT_NEAR(dot(n0, way), dot(n1, way), 0.05);
  EXPECT_LT(scree::cross(n0, way) * scree::cross(n1, way), 0);
  EXPECT_EQ(map.feature_distance(out[0].feature, out[0].feature), 0);
  EXPECT_GT(map.feature_distance(out[0].feature, out[1].feature), 0);
}

TEST(StarMap, SwappedPairGivesTheSwappedContacts) {
  for_pairs([](const ShapePair& pair) {
    const StarMap map(pair, 100), back({pair.b, pair.a, 1 / pair.ratio}, 100);
    Rng rng(6);
    for (int n = 0; n < 100; ++n) {
      const Pose2d q = random_pose(rng, map.reach());
      const Pose2d r = inverse(q);
      std::vector<PairContact> here, there;
      map.touching(q, all_parts, here);
      back.touching({r.theta, (1 / pair.ratio) * r.x}, all_parts, there);
      ASSERT_EQ(here.size(), there.size());
      const auto deeper = [](const PairContact& s, const PairContact& t) { return s.geometry.gap < t.geometry.gap; };
      std::sort(here.begin(), here.end(), deeper);
      std::sort(there.begin(), there.end(), deeper);
      for (std::size_t k = 0; k < here.size(); ++k) {
        const ContactGeometry want = swapped(here[k].geometry, q), &got = there[k].geometry;
        EXPECT_NEAR(pair.ratio * got.gap, want.gap, 1e-9);
        EXPECT_NEAR(pair.ratio * got.gap_theta, want.gap_theta, 1e-7);
        EXPECT_LT(norm(got.gap_x - want.gap_x), 1e-7);
        EXPECT_NEAR(pair.ratio * got.arm, want.arm, 1e-7);
      }
    }
  });
}

// Every contact is a force through one point: gap_theta = r_B x gap_x with the point that the arm names.
TEST(StarMap, GradientAndArmNameOnePoint) {
  for_pairs([](const ShapePair& pair) {
    const StarMap map(pair, 100);
    Rng rng(7);
    for (int n = 0; n < 100; ++n) {
      const Pose2d q = random_pose(rng, map.reach());
      std::vector<PairContact> out;
      map.touching(q, all_parts, out);
      for (const PairContact& c : out) {
        const ContactGeometry& g = c.geometry;
        const double length = norm(g.gap_x);
        ASSERT_GT(length, 0);
        const Vec2d normal = (1 / length) * g.gap_x;
        // r_B from its two components; then r_A = x + r_B must be a node of A or r_B one of B.
        const Vec2d r_b = (g.arm - 0.5 * dot(q.x, normal)) * normal - (g.gap_theta / length) * perp(normal);
        double nearest = 1;
        for (const Vec2d p : map.side_a().nodes) nearest = std::min(nearest, norm(p - q.x - r_b));
        for (const Vec2d p : map.side_b().nodes) nearest = std::min(nearest, norm(Rotation2d(q.theta) * p - r_b));
        EXPECT_LT(nearest, 1e-9);
      }
    }
  });
}

// As B slides and turns slowly, a contact keeps near features; its name never jumps while it lasts.
TEST(StarMap, FeaturesFollowASlidingContact) {
  const Shape egg = make_named_shape("rosette", {{"n", 2}, {"depth", 0.1}});
  const StarMap map({&egg, &egg, 1}, 100);
  std::uint32_t before = 0;
  int followed = 0, sides = 0;
  for (int k = 0; k < 2000; ++k) {
    const double angle = 1e-3 * k;
    Pose2d q{-0.7e-3 * k, {1.7 * std::cos(angle), 1.7 * std::sin(angle)}};
    std::vector<PairContact> out;
    map.touching(q, all_parts, out);
    if (out.size() == 1 && before != 0) {
      EXPECT_LE(map.feature_distance(before, out[0].feature), 0.06) << k;
      sides += (before ^ out[0].feature) != 0;
      ++followed;
    }
    before = out.size() == 1 ? out[0].feature : 0;
  }
  EXPECT_GT(followed, 500);
  EXPECT_GT(sides, 10);
  EXPECT_EQ(map.feature_distance(0, 40u << 16), std::numeric_limits<double>::infinity());
  EXPECT_EQ(map.feature_distance(1u << 16, 99u << 16), 0.02);  // around the turn
}

// Tables, nodes and all: near contact the gap is that of the exact map up to spacing and first order.
TEST(StarMap, RadialDistanceIsTheWorseOne) {
  const Shape cross = make_named_shape("rosette");
  const StarMap first({&cross, &cross, 1}, 400), radial({&cross, &cross, 1}, 400, StarDistance::radial);
  Rng rng(8);
  double deeper = 0;
  for (int n = 0; n < 4000; ++n) {
    const Pose2d q = random_pose(rng, 2);
    const double d = first.query(q).gap, r = radial.query(q).gap;
    if (d < -0.03 || d > 0) continue;
    EXPECT_LE(r, d + 1e-12);
    deeper = std::max(deeper, r / d);
  }
  EXPECT_GT(deeper, 2);  // the radial overlap is up to 2.5 times the true one
}

}  // namespace
}  // namespace scree
