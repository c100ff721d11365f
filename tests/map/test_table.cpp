// What is particular to the table: spline algebra, half precision, reduced periods, seams, smoothing.
#include <gtest/gtest.h>

#include <limits>

#include "map/brute_force.hpp"
#include "map/pair_shapes.hpp"
#include "scree/base/error.hpp"
#include "scree/base/spline.hpp"
#include "scree/map/exact_map.hpp"
#include "scree/map/half.hpp"
#include "scree/map/least_motion.hpp"
#include "scree/map/table_map.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

using namespace scree::test;

MapSettings coarse(int nodes = 40) {
  MapSettings s;
  s.nodes = nodes;
  return s;
}

TableMap make_table(const ShapePair& pair, const MapSettings& settings, int threads = 2) {
  ThreadPool pool(threads);
  return TableMap(build_table(pair, settings, pool));
}

TEST(Spline, WeightsSumToOneAndSlopesToZero) {
  for (double t = 0; t <= 1; t += 0.125) {
    const CubicWeights w(t);
    EXPECT_NEAR(w.value[0] + w.value[1] + w.value[2] + w.value[3], 1, 1e-15);
    EXPECT_NEAR(w.slope[0] + w.slope[1] + w.slope[2] + w.slope[3], 0, 1e-15);
    // Reproduces u itself: sum of k B(u - k).
    EXPECT_NEAR(-w.value[0] + w.value[2] + 2 * w.value[3], t, 1e-15);
    EXPECT_NEAR(-w.slope[0] + w.slope[2] + 2 * w.slope[3], 1, 1e-15);
  }
}

TEST(Spline, PrefilteredCoefficientsInterpolate) {
  Rng rng(2);
  for (const std::size_t n : {2u, 3u, 5u, 40u}) {
    std::vector<double> f(n);
    for (double& v : f) v = rng.uniform(-1, 1);
    std::vector<double> c = f;
    prefilter_mirror(c.data(), n, 1);
    for (std::size_t k = 0; k < n; ++k) {
      const double before = k > 0 ? c[k - 1] : c[1], after = k + 1 < n ? c[k + 1] : c[n - 2];
      EXPECT_NEAR((before + 4 * c[k] + after) / 6, f[k], 1e-13);
    }
  }
}

TEST(Half, RoundTripsAndRoundsToNearestEven) {
  for (unsigned k = 0; k < 0x7c00u; k += 3) EXPECT_EQ(to_half(from_half(static_cast<std::uint16_t>(k))), k);
  EXPECT_EQ(to_half(1.0f + 0x1.0p-11f), 0x3c00);  // a tie, to the even neighbour
  EXPECT_EQ(to_half(1.0f + 0x1.8p-10f), 0x3c02);
  EXPECT_EQ(to_half(-2.5f), 0xc100);
  EXPECT_EQ(to_half(1e6f), 0x7c00);
  EXPECT_EQ(from_half(to_half(6e-8f)), 0x1.0p-24f);  // smallest subnormal
  EXPECT_TRUE(std::isnan(from_half(to_half(std::numeric_limits<float>::quiet_NaN()))));
}

// At a node the table holds the exact gap, or the least motion near a jump of it.
TEST(Table, InterpolatesTheExactMapAtItsNodes) {
  const Shape a = hash(), b = ell();
  const ShapePair pair{&a, &b, 0.8};
  const TableMap map = make_table(pair, coarse());
  const TableLayout& t = map.layout();
  const ExactMap exact(pair, 0);
  const PairGeometry geometry(pair);
  int lifted = 0;
  Rng rng(3);
  for (int n = 0; n < 300; ++n) {
    const double middle = 0.5 * (t.nodes - 1);
    const auto node = [&] {
      return t.spacing * (static_cast<double>(rng.below(static_cast<std::uint64_t>(t.nodes))) - middle);
    };
    // Theta nodes of every period: x is turned by quarters in the others.
    const auto k = static_cast<double>(rng.below(static_cast<std::uint64_t>(t.theta_nodes * t.periods)));
    const Pose2d q{wrap_angle(k * t.period() / t.theta_nodes), {node(), node()}};
    if (norm(q.x) > pair.reach()) continue;
    const double gap = map.query(q).gap, truth = exact.query(q).gap;
    if (std::abs(gap - truth) <= 1e-6) continue;  // coefficients are stored as floats of size 2
    ++lifted;
    EXPECT_LT(truth, 0);
    EXPECT_NEAR(gap, least_motion(geometry, q, truth, 0), -truth / 16);  // what each of them resolves
  }
  EXPECT_LE(lifted, 3);
}

// A ball that binds in its socket: the exact depth jumps by some 0.4 as the joint passes its limit, the table's does
// not, and both agree on what is an overlap.
TEST(Table, DoesNotJumpWhereAPocketCloses) {
  const Shape link = make_named_shape("chain-link");
  const ShapePair pair{&link, &link, 1};
  const TableMap map = make_table(pair, coarse(96));
  const PairGeometry geometry(pair);
  const Vec2d x{1.092, -0.398};  // the ball in the middle of what is left of its pocket
  const double step = 1e-3;
  double exact_jump = 0, table_jump = 0;
  double exact_before = 0, table_before = 0;
  for (int k = 0; k < 100; ++k) {
    const double theta = -0.639 + step * k;
    const double exact = ExactSlice(geometry, theta).query(x).gap, table = map.query({theta, x}).gap;
    if (k > 0) {
      exact_jump = std::max(exact_jump, std::abs(exact - exact_before));
      table_jump = std::max(table_jump, std::abs(table - table_before));
    }
    exact_before = exact;
    table_before = table;
  }
  EXPECT_GT(exact_jump, 0.3);
  EXPECT_LT(table_jump, 1.5 * step);  // slope R_B = 1, but for the spline's overshoot
}

TEST(LeastMotion, LiftsALineToItsSlope) {
  std::vector<double> gaps{-1, -1, -1, -0.1, -1, -0.5, -1, -1};
  lift_line(gaps.data(), gaps.size(), 1, 0.25);
  const std::vector<double> lifted{-0.85, -0.6, -0.35, -0.1, -0.35, -0.5, -0.75, -1};
  for (std::size_t k = 0; k < gaps.size(); ++k) EXPECT_DOUBLE_EQ(gaps[k], lifted[k]) << k;
}

TEST(Table, ReducedPeriodGivesTheValuesOfTheWholeTurn) {
  const std::pair<Shape, Shape> pairs[] = {{hash(), hash()},   {hash(), ell()}, {hash(), triangle()},
                                           {box(2, 1), ell()}, {ell(), hash()}, {box(1, 1), box(3, 1)}};
  for (const auto& [a, b] : pairs) {
    Shape plain_a = a, plain_b = b;
    plain_a.symmetry = plain_b.symmetry = 1;
    MapSettings s = coarse(24);
    const ShapePair pair{&a, &b, 0.9}, plain_pair{&plain_a, &plain_b, 0.9};
    const int periods = table_layout(pair, s).periods;
    EXPECT_GT(periods, 1);
    s.theta_nodes = 6;
    const TableMap reduced = make_table(pair, s);
    s.theta_nodes = 6 * periods;
    const TableMap whole = make_table(plain_pair, s);
    Rng rng(8);
    for (int n = 0; n < 300; ++n) {
      const Pose2d q = random_pose(rng, pair.reach());
      const ContactGeometry g = reduced.query(q), h = whole.query(q);
      EXPECT_NEAR(g.gap, h.gap, 2e-6) << a.name << " " << b.name;
      EXPECT_NEAR(g.gap_theta, h.gap_theta, 1e-4);
      EXPECT_NEAR(norm(g.gap_x - h.gap_x), 0, 1e-4);
      EXPECT_NEAR(g.arm, h.arm, 5e-3);  // half precision, and ties broken either way at exact symmetric poses
    }
  }
}

// Value, slope and curvature agree from both sides of every seam.
TEST(Table, SeamsAreInvisible) {
  const Shape a = hash(), b = triangle();
  const ShapePair pair{&a, &b, 1};
  const TableMap map = make_table(pair, coarse(32));
  Rng rng(4);
  for (int n = 0; n < 200; ++n) {
    const Vec2d x = random_pose(rng, 1.9).x;
    const double seam = map.layout().period() * static_cast<double>(n % 25 - 12);
    const double h = 1e-7;
    const ContactGeometry l = map.query({seam - h, x}), r = map.query({seam + h, x});
    EXPECT_NEAR(l.gap, r.gap, 1e-6);
    EXPECT_NEAR(l.gap_theta, r.gap_theta, 1e-4);
    EXPECT_NEAR(norm(l.gap_x - r.gap_x), 0, 1e-4);
    const auto slope = [&](double t) { return map.query({seam + t, x}).gap_theta; };
    const double step = 1e-5;
    EXPECT_NEAR((slope(-h) - slope(-h - step)) / step, (slope(h + step) - slope(h)) / step, 0.05);
  }
}

TEST(Table, SameBitsForAnyThreadCount) {
  const Shape a = hash(), b = ell();
  const MapSettings s = coarse(24);
  const TableMap one = make_table({&a, &b, 1}, s, 1), three = make_table({&a, &b, 1}, s, 3);
  EXPECT_EQ(one.data().gap, three.data().gap);
  EXPECT_EQ(one.data().arm, three.data().arm);
}

TEST(Table, EveryNodeHasItsPlaceInTheBricks) {
  for (const int nodes : {16, 17, 18, 19}) {
    for (const int layers : {1, 6, 7}) {
      TableLayout t;
      t.nodes = nodes;
      const TableBricks bricks(t);
      std::vector<float> values(static_cast<std::size_t>(layers) * t.plane());
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k + 1);
      const LargeVector<float> laid = bricks.lay(values);
      EXPECT_EQ(bricks.unlay(laid, layers), values);
      // Four nodes of a row, from a multiple of four on, lie side by side.
      EXPECT_EQ(laid[bricks.along_theta(0) + bricks.along_y(5) + TableBricks::along_x(12) + 3],
                static_cast<float>(5 * nodes + 15 + 1));
    }
  }
}

TEST(Table, DiscAsBNeedsOneThetaNode) {
  const Shape a = ell(), b = make_disc("disc", 1, 1e-3);
  const TableMap map = make_table({&a, &b, 0.5}, coarse());
  EXPECT_EQ(map.layout().theta_nodes, 1);
  const Vec2d x{1.0, 0.3};
  EXPECT_NEAR(map.query({2.5, x}).gap, map.query({-1, x}).gap, 1e-12);
  EXPECT_NEAR(map.query({2.5, x}).gap_theta, 0, 1e-12);
}

// A box flat on a box: -|theta| rounded off over epsilon. The slope crosses zero over that width, not over a node.
TEST(Table, LargeEpsilonSmooths) {
  const Shape a = box(4, 1), b = box(1, 1);
  MapSettings s = coarse(64);
  s.theta_nodes = 96;  // spacing 0.033 over half a turn
  s.epsilon = 0;
  const TableMap sharp = make_table({&a, &b, 1}, s);
  s.epsilon = 0.15;
  const TableMap smooth = make_table({&a, &b, 1}, s);
  const Vec2d x{0, 1 / std::sqrt(17.0) + std::sqrt(0.5)};
  // Of the slope's sign the kernel B3 over +-epsilon leaves (4u - 2u^3 + 3u^4/4)/3, u = 2 theta/epsilon: 0.741 at 0.05.
  const double at = 0.05;
  EXPECT_NEAR(smooth.query({at, x}).gap_theta / sharp.query({at, x}).gap_theta, 0.741, 0.05);
  EXPECT_NEAR(smooth.query({0.6, x}).gap, sharp.query({0.6, x}).gap, 0.02);
}

TEST(Table, AbsurdSettingsAreRefused) {
  const Shape a = ell();
  MapSettings s = coarse(4);
  EXPECT_THROW(table_layout({&a, &a, 1}, s), Error);
  s = coarse(40);
  s.theta_nodes = -3;
  EXPECT_THROW(table_layout({&a, &a, 1}, s), Error);
}

}  // namespace
}  // namespace scree
