#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "step_world.hpp"

namespace scree {
namespace {

using namespace testing;
using Method = Insertion::Method;

struct Sizes : Discs {
  int small;
  Sizes() : small(type(make_disc("small", 0.2))) {}

  Insertion mixture(Method method, Box region) {
    Insertion in;
    in.name = "fill";
    in.method = method;
    in.mixture = {{disc, 1}, {small, 3}};
    in.region = region;
    return in;
  }
  double small_ones() const {
    return static_cast<double>(std::count(world.bodies.type.begin(), world.bodies.type.end(), small));
  }
};

void expect_clear(const World& w, double clearance, const std::string& what) {
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < w.bodies.size(); ++j) {
      const double reach = w.types[w.bodies.type[i]].radius + w.types[w.bodies.type[j]].radius + clearance;
      ASSERT_GE(norm(w.separation(w.bodies.x[i], w.bodies.x[j])), reach * (1 - 1e-8))
          << what << ": " << i << " and " << j;
    }
  }
}

void expect_inside(const World& w, const Box& region) {
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    const double r = w.types[w.bodies.type[i]].radius - 1e-12;
    EXPECT_GE(w.bodies.x[i].x, region.lo.x + r);
    EXPECT_LE(w.bodies.x[i].x, region.hi.x - r);
    EXPECT_GE(w.bodies.x[i].y, region.lo.y + r);
    EXPECT_LE(w.bodies.x[i].y, region.hi.y - r);
  }
}

// 5 x 3 discs of diameter 1, although 1.0 does not divide evenly in binary.
Insertion fifteen(const Discs& d) {
  Insertion in;
  in.method = Method::lattice;
  in.mixture = {{d.disc, 1}};
  in.region = {{-1, 2}, {4, 5}};
  return in;
}

TEST(Insertion, LatticeFillsItsRegionAndNothingElse) {
  Discs d;
  const Insertion in = fifteen(d);
  d.world.insertions = {in};
  EXPECT_TRUE(apply_insertions(d.world, 1e-3));
  EXPECT_EQ(d.world.bodies.size(), 15u);
  expect_clear(d.world, 0, "lattice");
  expect_inside(d.world, in.region);
  EXPECT_FALSE(apply_insertions(d.world, 1e-3)) << "once";
}

// Looked at before the first step, a world has its first grains; the steps are the same as without the look.
TEST(Insertion, PreparedWorldsHoldTheirFirstGrains) {
  const auto filled = [] {
    Discs d;
    d.world.insertions = {fifteen(d)};
    return d.start();
  };
  Simulation looked = filled(), plain = filled();
  EXPECT_EQ(looked.world().bodies.size(), 0u);
  looked.prepare();
  EXPECT_EQ(looked.world().bodies.size(), 15u);
  EXPECT_EQ(looked.world().time, 0);
  looked.prepare();
  for (int k = 0; k < 20; ++k) {
    looked.step();
    plain.step();
  }
  EXPECT_EQ(looked.world().bodies.size(), 15u);
  EXPECT_EQ(looked.state_hash(), plain.state_hash());
}

TEST(Insertion, LatticesLoseNoSiteToRounding) {
  for (const double radius : {0.02, 0.03, 0.05, 0.1, 0.3}) {
    Worlds d{Material{}};
    const int type = d.type(make_disc("disc", radius));
    Insertion in;
    in.name = "fill";
    in.method = Method::lattice;
    in.mixture = {{type, 1}};
    in.region = {{-0.7, 0.1}, {-0.7 + 20 * radius, 0.1 + 14 * radius}};
    d.world.insertions = {in};
    apply_insertions(d.world, 1e-3);
    EXPECT_EQ(d.world.bodies.size(), 70u) << "10 x 7 discs of radius " << radius;
  }
}

TEST(Insertion, JitterKeepsGrainsClearAndInside) {
  Sizes d;
  Insertion in = d.mixture(Method::lattice, {{0, 0}, {12, 8}});
  in.jitter = 0.15;
  in.clearance = 0.05;
  d.world.insertions = {in};
  apply_insertions(d.world, 1e-3);
  EXPECT_GT(d.world.bodies.size(), 30u);
  expect_clear(d.world, 0.05, "jitter");
  expect_inside(d.world, in.region);
  double off = 0;
  for (const Vec2d x : d.world.bodies.x)
    off = std::max(off, std::abs(std::remainder(x.x - d.world.bodies.x[0].x, 1.35)));
  EXPECT_GT(off, 0.05) << "it is jittered";
}

TEST(Insertion, PoissonKeepsClearOfWhatIsThere) {
  Sizes d;
  for (int k = 0; k < 5; ++k) d.body(d.disc, {2.0 * k, 3});
  Insertion in = d.mixture(Method::poisson, {{0, 0}, {10, 6}});
  in.clearance = 0.02;
  d.world.insertions = {in};
  apply_insertions(d.world, 1e-3);
  EXPECT_GT(d.world.bodies.size(), 60u);
  expect_clear(d.world, 0.02 - 1e-9, "poisson");
}

// Four standard deviations of a share among n grains.
double four_sigma(double share, double n) { return 4 * std::sqrt(share * (1 - share) / n); }

TEST(Insertion, PoissonKeepsTheSharesOfAFullRegion) {
  Sizes d;
  d.world.insertions = {d.mixture(Method::poisson, {{0, 0}, {60, 60}})};
  apply_insertions(d.world, 1e-3);
  const double n = static_cast<double>(d.world.bodies.size());
  EXPECT_GT(n, 1000);
  EXPECT_NEAR(d.small_ones() / n, 0.75, four_sigma(0.75, n)) << "small ones fit where large ones do not";
}

TEST(Insertion, PoissonInAPeriodicBoxKeepsClearAcrossTheBoundary) {
  for (const int axes : {1, 2, 3}) {
    Sizes d;
    d.world.periodic = {(axes & 1) != 0, (axes & 2) != 0, {{0, 0}, {6, 6}}};
    Insertion in = d.mixture(Method::poisson, {{-0.5, -0.5}, {6.5, 6.5}});
    d.world.insertions = {in};
    apply_insertions(d.world, 1e-3);
    EXPECT_GT(d.world.bodies.size(), 30u);
    expect_clear(d.world, 0, "periodic");
    for (const Vec2d x : d.world.bodies.x) {
      EXPECT_TRUE(axes != 3 || (x.x >= 0 && x.x < 6 && x.y >= 0 && x.y < 6)) << "wrapped into the box";
    }
  }
}

TEST(Insertion, FractionsAreByNumber) {
  Sizes d;
  Insertion in = d.mixture(Method::lattice, {{0, 0}, {60, 60}});
  d.world.insertions = {in};
  apply_insertions(d.world, 1e-3);
  const double n = static_cast<double>(d.world.bodies.size());
  ASSERT_EQ(n, 3600);
  EXPECT_NEAR(d.small_ones() / n, 0.75, four_sigma(0.75, n));
}

TEST(Insertion, AsksForNoMoreThanItsCount) {
  for (const Method method : {Method::lattice, Method::poisson}) {
    Sizes d;
    Insertion in = d.mixture(method, {{0, 0}, {20, 20}});
    in.count = 17;
    d.world.insertions = {in};
    apply_insertions(d.world, 1e-3);
    EXPECT_EQ(d.world.bodies.size(), 17u);
  }
}

TEST(Insertion, ACountThatDoesNotFitIsAnErrorThatNamesIt) {
  for (const Method method : {Method::lattice, Method::poisson}) {
    Sizes d;
    Insertion in = d.mixture(method, {{0, 0}, {3, 3}});
    in.count = 1000;
    d.world.insertions = {in};
    const Error e = error_of([&] { apply_insertions(d.world, 1e-3); });
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_TRUE(mentions(e.what(), "fill")) << e.what();
    EXPECT_TRUE(mentions(e.what(), "1000")) << e.what();
    EXPECT_TRUE(mentions(e.what(), "[0, 0] to [3, 3]")) << e.what();
    EXPECT_FALSE(e.remedy().empty());
  }
  Sizes d;
  d.world.insertions = {d.mixture(Method::lattice, {{0, 0}, {0.9, 5}})};
  EXPECT_TRUE(mentions(error_of([&] { apply_insertions(d.world, 1e-3); }).what(), "only 0 grains"))
      << "a region too small for a single grain is a mistake too";
}

TEST(Insertion, TheSeedDecides) {
  const auto filled = [](std::uint64_t seed, Method method) {
    Sizes d;
    Insertion in = d.mixture(method, {{0, 0}, {8, 8}});
    in.seed = seed;
    in.jitter = 0.1;
    in.count = method == Method::poisson ? 20 : 0;
    d.world.insertions = {in};
    apply_insertions(d.world, 1e-3);
    return d.world.bodies.theta;
  };
  for (const Method method : {Method::lattice, Method::poisson}) {
    EXPECT_EQ(filled(4, method), filled(4, method));
    EXPECT_NE(filled(4, method), filled(5, method));
  }
}

TEST(Insertion, FixedAngleVelocityGroupAndKind) {
  Discs d;
  d.world.groups = {"grains", "floor"};
  Insertion in;
  in.method = Method::lattice;
  in.mixture = {{d.disc, 1}};
  in.region = {{0, 0}, {3, 1}};
  in.random_angle = false;
  in.angle = 0.7;
  in.velocity = {1, -2};
  in.omega = 3;
  in.group = 1;
  in.kind = BodyKind::kinematic;
  d.world.insertions = {in};
  apply_insertions(d.world, 1e-3);
  ASSERT_EQ(d.world.bodies.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(d.world.bodies.theta[k], 0.7);
    EXPECT_EQ(d.world.bodies.v[k].y, -2);
    EXPECT_EQ(d.world.bodies.omega[k], 3);
    EXPECT_EQ(d.world.bodies.group[k], 1);
    EXPECT_EQ(d.world.bodies.kind[k], BodyKind::kinematic);
  }
}

Insertion rain(const Discs& d, double rate) {
  Insertion in;
  in.name = "rain";
  in.method = Method::rain;
  in.mixture = {{d.disc, 1}};
  in.region = {{0, 0}, {30, 1.1}};
  in.rate = rate;
  in.velocity = {0, -20};
  return in;
}

TEST(Insertion, RainFallsAtItsRate) {
  // 0.1 and 0.001 are not exact: 10 / s must still make 10 in the first second, 20 in two.
  for (const double rate : {10.0, 7.0, 300.0}) {
    Discs d;
    d.world.insertions = {rain(d, rate)};
    d.world.deletion_zones.push_back({"out", {{-10, -1e9}, {40, -1.5}}, false, 0});
    Simulation s = d.start();
    for (int second = 1; second <= 3; ++second) {
      run_until(s, second);
      EXPECT_EQ(s.world().insertions[0].inserted, static_cast<std::uint64_t>(rate) * static_cast<std::uint64_t>(second))
          << "rate " << rate;
    }
    EXPECT_EQ(s.world().bodies.size() + s.world().deletion_zones[0].deleted, s.world().insertions[0].inserted);
    EXPECT_EQ(s.world().next_id, s.world().insertions[0].inserted);
  }
}

TEST(Insertion, RainStartsStopsAndEnds) {
  Discs d;
  Insertion in = rain(d, 100);
  in.start = 0.5;
  in.stop = 0.7;
  d.world.insertions = {in};
  in.stop = 1e300;
  in.count = 5;
  in.region = {{0, 50}, {30, 51.1}};
  d.world.insertions.push_back(in);
  Simulation s = d.start();
  run_until(s, 0.5);
  EXPECT_EQ(s.world().bodies.size(), 0u);
  run_until(s, 1.2);
  EXPECT_EQ(s.world().insertions[0].inserted, 20u);
  EXPECT_EQ(s.world().insertions[1].inserted, 5u);
  EXPECT_TRUE(s.world().insertions[0].finished);
  EXPECT_TRUE(s.world().insertions[1].finished);
}

TEST(Insertion, RainWaitsForRoomAndCatchesUp) {
  Discs d;
  Insertion in = rain(d, 50);
  in.region = {{0, 0}, {1, 1}};  // room for one
  in.velocity = {};
  d.world.insertions = {in};
  Simulation s = d.start();
  run_until(s, 0.5);
  EXPECT_EQ(s.world().bodies.size(), 1u) << "it is in the way of the next";
  s.mutable_world().bodies.v[0] = {0, -100};
  s.mutable_world().deletion_zones.push_back({"out", {{-10, -1e9}, {40, -2}}, false, 0});
  run_until(s, 0.55);
  EXPECT_EQ(s.world().insertions[0].inserted, 2u);
}

// A state in the middle of rain goes on exactly: all that rain remembers is in the world.
TEST(Insertion, RainGoesOnAfterARestart) {
  const auto world = [] {
    Discs d;
    d.world.gravity.value = {0, -10};
    d.half_plane({0, -3}, {0, 1});
    d.world.insertions = {rain(d, 40)};
    d.world.insertions[0].velocity = {0, -2};
    ThreadPool pool(1);
    d.maps(map_kind("exact"), pool);
    return d.world;
  };
  Simulation whole(world(), quick());
  run(whole, 600);
  Simulation first(world(), quick());
  run(first, 311);
  Simulation second(World(first.world()), quick());
  run(second, 289);
  EXPECT_EQ(second.world().time, whole.world().time);
  EXPECT_EQ(second.state_hash(), whole.state_hash());
}

// More rain than there is room for: what waits is a grain, not a place, so the shares are those of the mixture. A
// restart in between, where a grain waits, changes nothing.
TEST(Insertion, CrowdedRainKeepsItsShares) {
  const auto world = [] {
    Sizes d;
    Insertion in = d.mixture(Method::rain, {{0, 0}, {6, 1.1}});
    in.mixture = {{d.disc, 1}, {d.small, 1}};
    in.rate = 4000;
    in.velocity = {0, -20};
    d.world.insertions = {in};
    d.world.deletion_zones.push_back({"out", {{-10, -1e9}, {40, -1.5}}, false, 0});
    ThreadPool pool(1);
    d.maps(map_kind("exact"), pool);
    return d;
  };
  const Sizes d = world();
  Simulation whole(World(d.world), quick());
  double fallen = 0, small = 0;  // by id, as grains that left are gone
  for (int k = 0; k < 3000; ++k) {
    whole.step();
    const Bodies& b = whole.world().bodies;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (b.id[i] < fallen) continue;
      ++fallen;
      small += b.type[i] == d.small ? 1 : 0;
    }
  }
  EXPECT_LT(fallen, 0.5 * 4000 * 3) << "it is crowded";
  EXPECT_GT(fallen, 300);
  EXPECT_NEAR(small / fallen, 0.5, four_sigma(0.5, fallen));
  Simulation first(World(d.world), quick());
  run(first, 1311);
  Simulation second(World(first.world()), quick());
  run(second, 3000 - 1311);
  EXPECT_EQ(second.state_hash(), whole.state_hash());
}

TEST(Deletion, ZonesDeleteMovingGrainsInsideOrOutside) {
  Discs d;
  d.body(d.disc, {0, 0});
  d.body(d.disc, {5, 0});
  d.world.add_body(d.disc, 0, BodyKind::fixed, {5, 3}, 0);
  d.body(d.disc, {20, 0});
  d.world.deletion_zones = {{"sink", {{4, -1}, {6, 5}}, false, 0}, {"world", {{-10, -10}, {10, 10}}, true, 0}};
  Simulation s = d.start();
  s.step();
  EXPECT_EQ(s.world().bodies.id, (std::vector<std::uint32_t>{0, 2})) << "the fixed one stays";
  EXPECT_EQ(s.world().deletion_zones[0].deleted, 1u);
  EXPECT_EQ(s.world().deletion_zones[1].deleted, 1u);
}

}  // namespace
}  // namespace scree
