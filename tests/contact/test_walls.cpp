// Every kind of wall against every kind of grain: contacts exist where the reference finds an overlap, as deep, and
// their gradients are the derivatives of their gaps.
#include <gtest/gtest.h>

#include <map>

#include "wall_case.hpp"

namespace scree {
namespace {

using testing::chain_wall;
using testing::circle_wall;
using testing::deepest;
using testing::half_plane_wall;
using testing::outline_wall;
using testing::random_in;
using testing::WallCase;

struct NamedWall {
  std::string name;
  Wall wall;
  Box around;  // where to put grains
};

std::vector<NamedWall> walls() {
  std::vector<NamedWall> out;
  out.push_back({"half_plane", half_plane_wall({0.3, -0.2}, {1, 2}), {{-1, -1}, {1, 1}}});
  out.push_back({"circle_inside", circle_wall(WallKind::circle_inside, {0.5, 0}, 5), {{-5, -5}, {6, 5}}});
  out.push_back({"circle_outside", circle_wall(WallKind::circle_outside, {0.5, 0}, 1.5), {{-2, -3}, {3, 3}}});
  out.push_back({"peg", circle_wall(WallKind::circle_outside, {0, 0}, 0.15), {{-1, -1}, {1, 1}}});
  Wall open = chain_wall({{-3, 0}, {0, 0}, {2, 1}, {2, 3}}, 0.12);
  open.pose = {0.4, {0.2, -0.1}};
  out.push_back({"polyline", open, {{-4, -3}, {4, 4}}});
  out.push_back(
      {"closed polyline", chain_wall({{-3, -2}, {3, -2}, {3, 2}, {0, 3}, {-3, 2}}, 0.1, true), {{-4, -3}, {4, 4}}});
  // A thick L with a hole: convex and reflex corners outside and inside.
  Wall solid =
      outline_wall({{{-4, -4}, {4, -4}, {4, -1}, {0, -1}, {0, 4}, {-4, 4}}, {{-3, -3}, {-3, 0}, {-1, 0}, {-1, -3}}});
  solid.pose = {-0.3, {0.1, 0.2}};
  out.push_back({"outline", solid, {{-5, -5}, {5, 5}}});
  return out;
}

// The ring's inner rim and the reflex corners of # are smooth or concave: no corner of the wall may be missed there.
const std::map<std::string, double> grains{{"disc", 0.5}, {"box", 0.6}, {"hash", 0.9}, {"ring", 0.8}};

struct WallsTest : ::testing::TestWithParam<std::tuple<int, std::string>> {
  NamedWall wall = walls()[static_cast<std::size_t>(std::get<0>(GetParam()))];
  std::string grain = std::get<1>(GetParam());
  WallCase one{grain, grains.at(grain), {wall.wall}};
};

TEST_P(WallsTest, AContactExistsWhereTheyOverlapAndIsAsDeep) {
  Rng rng(11);
  int touching = 0;
  int apart = 0;
  for (int k = 0; k < 40000 && (touching < 60 || apart < 60); ++k) {
    const Vec2d x = random_in(rng, wall.around);
    const double theta = rng.uniform(-4, 4);
    const double limit = wall.name == "peg" || wall.name.find("poly") != std::string::npos ? 0.07 : 0.1;
    const double gap = one.reference(x, theta, limit);
    if (std::abs(gap) > limit || std::abs(gap) < 2e-4) continue;  // deep, far, or too close to call
    if ((gap < 0 ? touching : apart) >= 60) continue;
    ++(gap < 0 ? touching : apart);
    const auto& contacts = one.contacts(x, theta);
    EXPECT_EQ(!contacts.empty(), gap < 0) << "gap " << gap << " at " << x.x << " " << x.y << " " << theta;
    // Samples are 4e-3 r apart: between them a boundary bulges by less than 1e-3 r against a corner or a circle.
    if (!contacts.empty()) { EXPECT_NEAR(deepest(contacts), gap, 1.5e-3) << x.x << " " << x.y << " " << theta; }
  }
  EXPECT_GE(touching, 60);
  EXPECT_GE(apart, 60);
}

TEST_P(WallsTest, GradientsAreTheDerivativesOfTheGaps) {
  Rng rng(12);
  int checked = 0;
  int kinks = 0;
  for (int k = 0; k < 40000 && checked < 100; ++k) {
    const Vec2d x = random_in(rng, wall.around);
    const double theta = rng.uniform(-4, 4);
    const std::vector<Contact> here = one.contacts(x, theta);
    if (here.empty() || deepest(here) < -0.07) continue;
    const double h = 1e-6;
    const std::vector<Contact> moved[6] = {one.contacts({x.x - h, x.y}, theta), one.contacts({x.x + h, x.y}, theta),
                                           one.contacts({x.x, x.y - h}, theta), one.contacts({x.x, x.y + h}, theta),
                                           one.contacts(x, theta - h),          one.contacts(x, theta + h)};
    for (const Contact& c : here) {
      const auto gap_in = [&](const std::vector<Contact>& list) {
        for (const Contact& o : list) {
          if (o.feature == c.feature) return o.gap;
        }
        return std::numeric_limits<double>::quiet_NaN();
      };
      const double analytic[3] = {c.gap_x.x, c.gap_x.y, c.gap_theta_b};
      for (int d = 0; d < 3; ++d) {
        const double low = gap_in(moved[2 * d]);
        const double high = gap_in(moved[2 * d + 1]);
        if (!std::isfinite(low + high) || std::abs(high + low - 2 * c.gap) > 1e-10) {
          ++kinks;  // the contact appears or goes, or changes its nearest edge, just here
          continue;
        }
        EXPECT_NEAR(analytic[d], (high - low) / (2 * h), 1e-5) << "coordinate " << d << " gap " << c.gap;
        ++checked;
      }
      EXPECT_NEAR(norm(c.normal), 1, 1e-12);
      // The point lies half-way in the overlap: half a gap away from the wall's surface or the grain's.
      EXPECT_NEAR(c.arm_b, dot(one.world.contact_point(c) - x, c.normal), 1e-12);
    }
  }
  EXPECT_GE(checked, 100);
  EXPECT_LT(kinks, checked / 4);
}

INSTANTIATE_TEST_SUITE_P(All, WallsTest,
                         ::testing::Combine(::testing::Range(0, 7), ::testing::Values("disc", "box", "hash", "ring")),
                         [](const auto& p) {
                           std::string name = walls()[static_cast<std::size_t>(std::get<0>(p.param))].name + "_" +
                                              std::get<1>(p.param);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace scree
