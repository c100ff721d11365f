// Which contacts of a pair become links, and which of them go on as which.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "large_steps.hpp"
#include "scree/implicit/several_planes.hpp"

namespace scree::testing {
namespace {

// What the planes say of the gap where B has moved by `by` in A's frame.
double lowest(std::span<const ContactGeometry> planes, const Pose2d& by) {
  double gap = std::numeric_limits<double>::infinity();
  for (const ContactGeometry& g : planes) gap = std::min(gap, g.gap + dot(g.gap_x, by.x) + g.gap_theta * by.theta);
  return gap;
}

// Wherever points come by no more than the way, the gap is what the planes say: to within what one of them bends.
TEST(PlaneChoice, PlanesSayWhatTheGapWillBe) {
  constexpr double way = 0.01;
  struct Case {
    const char *shape, *kind;
    double worst, mean;  // over the way; at a tip the gap is the larger of two planes, and one says less than it is
  };
  for (const auto& [shape, kind, worst_allowed, mean_allowed] :
       {Case{"rosette", "star", 0.15, 0.002}, {"hash", "clump", 0.01, 0.0015}, {"star", "star", 1, 0.004}}) {
    const Shape s = make_named_shape(shape);
    const auto map = build_map({&s, &s, 1}, map_kind(kind), one_thread());
    const auto gap_at = [&](const Pose2d& q) {
      std::vector<PairContact> nearest;
      map->nearest(q, 0, nearest);
      return nearest.at(0).geometry.gap;
    };
    Rng rng(3);
    double worst = 0, worst_of_one = 0, sum = 0, sum_of_one = 0;
    int poses = 0;
    for (int n = 0; poses < 400; ++n) {
      const Pose2d q{rng.uniform(-3.1, 3.1), {rng.uniform(-2, 2), rng.uniform(-2, 2)}};
      if (norm(q.x) > 1.99 || norm(q.x) < 0.5 || std::abs(gap_at(q)) > 0.02) continue;
      ++poses;
      PlaneChoice choice;
      choice.choose(*map, q, way);
      ASSERT_GE(choice.planes().size(), 1u);
      EXPECT_NEAR(choice.planes()[0].gap, gap_at(q), 1e-12);
      for (const ContactGeometry& g : choice.planes()) EXPECT_GE(g.gap, choice.planes()[0].gap);
      for (int k = 0; k < 20; ++k) {
        const double along = rng.uniform(-3.1, 3.1);
        const Pose2d by{0.3 * way * rng.uniform(-1, 1), 0.3 * way * Vec2d{std::cos(along), std::sin(along)}};
        const double gap = gap_at({q.theta + by.theta, q.x + by.x});
        const double off = std::abs(lowest(choice.planes(), by) - gap);
        const double of_one = std::abs(lowest(choice.planes().first(1), by) - gap);
        worst = std::max(worst, off), worst_of_one = std::max(worst_of_one, of_one);
        sum += off, sum_of_one += of_one;
      }
    }
    ASSERT_EQ(poses, 400) << shape;
    const double moves = 20 * poses;
    EXPECT_LE(worst, worst_allowed * way) << shape;
    EXPECT_LE(sum / moves, mean_allowed * way) << shape;
    EXPECT_GE(worst_of_one, 0.5 * way) << shape << ": one plane would do";
    EXPECT_GE(sum_of_one, 1.4 * sum) << shape;
  }
}

// A link with one row of that slope.
Link sloping(Vec2d slope, double gap_theta_b, std::uint32_t feature) {
  Link link;
  link.row_count = 1;
  link.rows[0].gap_x = slope, link.rows[0].gap_theta_b = gap_theta_b;
  link.feature = feature;
  return link;
}

TEST(LineUp, EachGoesWhereTheMostAlikeWas) {
  const Mobility grain{1, 1, 1};
  const std::array<LinkRow, 4> before{
      sloping({0, 1}, 0.5, 0).rows[0], {}, sloping({1, 0}, 0, 0).rows[0], sloping({0, 1}, -0.5, 0).rows[0]};
  std::array<Link, 4> links{sloping({0.1, 1}, -0.4, 0), sloping({0.2, 0.9}, 0.4, 1), sloping({-1, 0}, 0, 2), Link{}};
  links[3].feature = 3;
  line_up(before, grain, grain, links);
  EXPECT_EQ(links[3].rows[0].gap_theta_b, -0.4);
  EXPECT_EQ(links[0].rows[0].gap_theta_b, 0.4);
  // What pushes the other way is new, and comes where nothing was or where what was there has gone.
  EXPECT_EQ(links[1].row_count + links[2].row_count, 1);
  for (std::uint32_t k = 0; k < links.size(); ++k) EXPECT_EQ(links[k].feature, k);
}

}  // namespace
}  // namespace scree::testing
