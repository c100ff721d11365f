// What of a wall contact must stay the same while a grain slides, rests or crosses a periodic boundary.
#include <gtest/gtest.h>

#include <chrono>
#include <numbers>
#include <set>

#include "wall_case.hpp"

namespace scree {
namespace {

using testing::chain_wall;
using testing::circle_wall;
using testing::deepest;
using testing::half_plane_wall;
using testing::outline_wall;
using testing::WallCase;

std::multiset<std::uint32_t> features(const std::vector<Contact>& contacts) {
  std::multiset<std::uint32_t> out;
  for (const Contact& c : contacts) out.insert(c.feature);
  return out;
}

double half_side(const WallCase& w) { return w.radius() / std::numbers::sqrt2; }

const Wall floors[] = {half_plane_wall({0, 0}, {0, 1}), chain_wall({{-50, -0.2}, {50, -0.2}}, 0.2),
                       outline_wall({{{-50, 0}, {-50, -5}, {50, -5}, {50, 0}}})};

TEST(WallHistory, ABoxSlidesOnTheSameTwoFeatures) {
  for (const Wall& floor : floors) {
    WallCase one("box", 0.6, {floor});
    const double y = half_side(one) - 0.01;
    const auto start = features(one.contacts({-20, y}, 0));
    ASSERT_EQ(start.size(), 2u) << "a flat face rests on its two corners";
    for (double x = -20; x < 20; x += 0.37) {
      const auto& contacts = one.contacts({x, y}, 0);
      EXPECT_EQ(features(contacts), start);
      for (const Contact& c : contacts) EXPECT_NEAR(c.gap, -0.01, 1e-12);
    }
  }
}

// A face that leans by less than the overlap keeps both corners: else a resting box would chatter.
TEST(WallHistory, AFaceThatLeansALittleKeepsItsContacts) {
  for (const Wall& floor : floors) {
    WallCase one("box", 0.6, {floor});
    const double y = half_side(one) - 0.01;
    for (const double lean : {-1e-3, -1e-6, -1e-12, 0.0, 1e-12, 1e-6, 1e-3}) {
      EXPECT_EQ(one.contacts({0.3, y}, lean).size(), 2u) << lean;
    }
  }
}

// A floor drawn as many pieces is the same floor, and one node under a face does not count as a support.
TEST(WallHistory, JointsOfAStraightChainAreNotFelt) {
  std::vector<Vec2d> nodes;
  for (int k = 0; k <= 40; ++k) nodes.push_back({-4 + 0.2 * k, -0.2});
  WallCase whole("box", 0.6, {floors[1]});
  WallCase pieces("box", 0.6, {chain_wall(nodes, 0.2)});
  WallCase solid("box", 0.6, {outline_wall({[&] {
                   Loop loop{{-4, -5}, {4, -5}};
                   for (std::size_t k = nodes.size(); k-- > 0;) loop.push_back({nodes[k].x, 0});
                   return loop;
                 }()})});
  WallCase disc("disc", 0.6, {chain_wall(nodes, 0.2)});
  const double y = half_side(whole) - 0.01;
  for (double x = -2; x < 2; x += 0.05) {
    for (const double lean : {0.0, 1e-14, -1e-14, 1e-4}) {
      const double gap = deepest(whole.contacts({x, y}, lean));
      EXPECT_EQ(pieces.contacts({x, y}, lean).size(), 2u) << x << " " << lean;
      EXPECT_NEAR(deepest(pieces.contacts({x, y}, lean)), gap, 1e-12);
      EXPECT_EQ(solid.contacts({x, y}, lean).size(), 2u) << x << " " << lean;
    }
    EXPECT_EQ(disc.contacts({x, 0.59}, 0).size(), 1u) << x;
  }
}

TEST(WallHistory, AFaceAcrossTheEdgeOfATableRestsOnTheEdge) {
  const Wall tables[] = {chain_wall({{-50, -0.2}, {0, -0.2}}, 0.2), chain_wall({{-50, -0.2}, {0, -0.2}, {0, -9}}, 0.2),
                         outline_wall({{{-50, 0}, {-50, -5}, {0, -5}, {0, 0}}})};
  for (const Wall& table : tables) {
    WallCase one("box", 0.6, {table});
    for (const double lean : {-1e-3, -1e-9, 0.0, 1e-9, 1e-3}) {
      const auto& contacts = one.contacts({-0.1, half_side(one) - 0.01}, lean);
      ASSERT_EQ(contacts.size(), 2u) << "one corner on the table and the table's edge; lean " << lean;
      const double apart = std::abs(one.world.contact_point(contacts[0]).x - one.world.contact_point(contacts[1]).x);
      EXPECT_NEAR(apart, half_side(one) + 0.1, 0.21) << "the edge supports, not the corner in the air";
    }
  }
}

TEST(WallHistory, SpringsFollowTheirFeatureAndTurnWithTheNormal) {
  WallCase one("box", 0.6, {circle_wall(WallKind::circle_inside, {0, 0}, 3)});
  one.contacts({0, -2.55}, 0);
  ASSERT_EQ(one.world.contacts.size(), 2u);
  one.world.contacts[0].spring = 0.3;
  one.world.contacts[1].spring = -0.2;
  const Vec2d before = one.world.contacts[0].normal;
  const auto& after = one.contacts({0.05, -2.55}, 0.02);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_NEAR(after[0].spring, 0.3 * dot(before, after[0].normal), 1e-12);
  EXPECT_LT(after[1].spring, 0);
  one.contacts({0, 0}, 0);
  EXPECT_TRUE(one.world.contacts.empty());
  for (const Contact& c : one.contacts({0, -2.55}, 0)) EXPECT_EQ(c.spring, 0) << "a new contact has no memory";
}

TEST(WallHistory, WallsCarryTheVelocityOfTheContactPoint) {
  Wall drum = circle_wall(WallKind::circle_inside, {1, 0}, 3);
  drum.omega = 2;
  drum.velocity = {0.5, 0};
  WallCase one("disc", 0.5, {drum});
  const auto& contacts = one.contacts({1, -2.6}, 0);
  ASSERT_EQ(contacts.size(), 1u);
  const Contact& c = contacts[0];
  const double tangential = dot(perp(c.normal), -drum.velocity) + c.arm_a * drum.omega;
  const double normal = dot(c.gap_x, -drum.velocity) + c.gap_theta_a * drum.omega;
  EXPECT_NEAR(tangential, 0.5 + 2 * 3.05, 1e-12) << "the disc stays behind by omega x r at half the overlap";
  EXPECT_NEAR(normal, 0, 1e-12);
}

TEST(WallHistory, AnInactiveWallDoesNotTouch) {
  for (Wall floor : floors) {
    floor.active = false;
    WallCase one("box", 0.6, {floor});
    EXPECT_TRUE(one.contacts({0, 0.4}, 0).empty());
    one.world.walls[0].active = true;
    EXPECT_FALSE(one.contacts_of_list().empty()) << "candidates are there when it comes back";
  }
}

// --- periodic worlds ---------------------------------------------------------------------------------------------

const Periodic tunnel{true, false, {{0, 0}, {10, 10}}};

TEST(PeriodicWalls, AFloorOfOnePeriodHasNoHoleAndNoStep) {
  for (const char* grain : {"disc", "box"}) {
    for (const double from : {0.0, -3.7}) {
      WallCase one(grain, 0.6, {chain_wall({{from, 1}, {from + 4, 1}, {from + 10, 1}}, 0.2)}, tunnel);
      const double rest = 1.2 + (one.shape().is_disc ? 0.6 : half_side(one)) - 0.01;
      for (double x = -12; x < 25; x += 0.0625) {  // hits the ends exactly
        const auto& contacts = one.contacts({x, rest}, 0);
        EXPECT_EQ(contacts.size(), one.shape().is_disc ? 1u : 2u) << grain << " at " << x;
        EXPECT_NEAR(deepest(contacts), -0.01, 1e-9) << grain << " at " << x;
      }
    }
  }
}

TEST(PeriodicWalls, AnObstacleAcrossTheBoundaryIsWholeFromBothSides) {
  const Wall obstacle = outline_wall({{{-1, 2}, {1, 2}, {1, 4}, {-1, 4}}});
  WallCase one("box", 0.6, {obstacle}, tunnel);
  WallCase alone("box", 0.6, {obstacle});
  for (double x = -2.5; x < 2.5; x += 0.1) {
    for (const double theta : {0.0, 0.4}) {
      const double gap = deepest(alone.contacts({x, 4.4}, theta));
      EXPECT_NEAR(deepest(one.contacts({x, 4.4}, theta)), gap, 1e-12) << x;
      EXPECT_NEAR(deepest(one.contacts({x + 10, 4.4}, theta)), gap, 1e-12) << x;
      EXPECT_NEAR(deepest(one.contacts({x - 30, 4.4}, theta)), gap, 1e-12) << x;
    }
  }
}

TEST(PeriodicWalls, AGrainBetweenTwoImagesOfAPegTouchesBoth) {
  const Wall peg = circle_wall(WallKind::circle_outside, {0, 5}, 4.5);  // 1 wide between the images
  WallCase one("disc", 0.52, {peg}, tunnel);
  const auto& contacts = one.contacts({5.005, 5}, 0);
  ASSERT_EQ(contacts.size(), 2u);
  EXPECT_NEAR(contacts[0].gap + contacts[1].gap, -0.04, 1e-12);
  EXPECT_NEAR(contacts[0].normal.x, -contacts[1].normal.x, 1e-12);
  EXPECT_NE(contacts[0].feature, contacts[1].feature) << "each has its own spring";
}

// Candidates are rebuilt only now and then; a grain that is wrapped in between must still find its wall and its spring.
TEST(PeriodicWalls, CrossingTheBoundaryKeepsContactAndSpring) {
  for (const char* grain : {"disc", "box"}) {
    WallCase one(grain, 0.6, {chain_wall({{-5, 1}, {15, 1}}, 0.2)}, {true, false, {{0, 0}, {20, 10}}});
    const double rest = 1.2 + (one.shape().is_disc ? 0.6 : half_side(one)) - 0.01;
    one.contacts({-0.02, rest}, 0);
    ASSERT_GT(one.world.bodies.x[0].x, 10) << "it starts left of the boundary";
    const auto start = features(one.world.contacts);
    for (Contact& c : one.world.contacts) c.spring = 0.25;
    one.world.bodies.x[0].x += 0.04;
    one.world.wrap(0);
    ASSERT_LT(one.world.bodies.x[0].x, 10);
    const auto& after = one.contacts_of_list();
    EXPECT_EQ(features(after), start);
    for (const Contact& c : after) EXPECT_NEAR(c.spring, 0.25, 1e-12);
  }
}

TEST(PeriodicWalls, WorldsPeriodicInBothDirections) {
  const Periodic both{true, true, {{0, 0}, {10, 8}}};
  WallCase one("disc", 0.5, {outline_wall({{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}})}, both);
  for (const Vec2d corner : {Vec2d{0, 0}, {10, 0}, {0, 8}, {10, 8}}) {
    for (const Vec2d side : {Vec2d{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const auto& contacts = one.contacts(corner + 1.49 * side, 0);
      ASSERT_EQ(contacts.size(), 1u) << corner.x << " " << corner.y;
      EXPECT_NEAR(contacts[0].gap, -0.01, 1e-12);
      EXPECT_NEAR(dot(contacts[0].normal, side), 1, 1e-12);
    }
  }
}

// A wall of the largest size the outline check allows: features must not take quadratic time.
TEST(WallFeatures, LargeOutlinesAreTakenInQuickly) {
  Wall wall = outline_wall({{}});
  const int n = 20000;
  for (int k = 0; k < n; ++k) {
    const double a = 2 * std::numbers::pi * k / n;
    wall.outline.loops[0].push_back((30 + std::sin(40 * a)) * Vec2d{std::cos(a), std::sin(a)});
  }
  const auto start = std::chrono::steady_clock::now();
  const WallFeatures wide = features_of(wall);
  const ShapeFeatures grain = features_of(wall.outline, false);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 2) << "quadratic work would take minutes";
  EXPECT_EQ(wide.elements.size(), static_cast<std::size_t>(n));
  // The hull touches the 40 crests; between them corners are not on it.
  std::size_t on_hull = 0;
  for (const Corner& c : grain.corners) on_hull += c.on_hull ? 1 : 0;
  EXPECT_GT(on_hull, 40u);
  EXPECT_LT(on_hull, grain.corners.size());
}

TEST(WallFeatures, HullHoldsExtremeCornersInEveryDirection) {
  for (const char* name : {"hash", "star", "u", "n", "heart", "ring", "box", "cross"}) {
    const Shape shape = make_named_shape(name);
    const ShapeFeatures f = features_of(shape.outline);
    for (int k = 0; k < 2000; ++k) {
      const double a = 2 * std::numbers::pi * k / 2000;
      const Vec2d n{std::cos(a), std::sin(a)};
      double all = -2;
      double hull = -2;
      for (const Loop& loop : shape.outline.loops)
        for (const Vec2d p : loop) all = std::max(all, dot(p, n));
      for (const Corner& c : f.corners) hull = std::max(hull, c.on_hull ? dot(c.p, n) : -2);
      ASSERT_NEAR(hull, all, 1e-8) << name << " direction " << a;
    }
  }
}

}  // namespace
}  // namespace scree
