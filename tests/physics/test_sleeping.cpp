// Sleeping: piles at rest cost nothing, and whatever happens to them finds them as they were.
#include "physics.hpp"
#include "scree/base/text.hpp"

namespace scree::testing {
namespace {

StepSettings large_steps(double sleep, int threads = 1) {
  StepSettings s;
  s.solver = "implicit";
  s.dt = 1.0 / 60;
  s.threads = threads;
  s.implicit.sleep = sleep;
  return s;
}

void run(Simulation& sim, double until) {
  while (sim.world().time < until - 1e-9) sim.step();
}

Material rough() {
  Material m = elastic_material(2e6);
  m.friction = 0.4;
  m.restitution = 0.01;
  return m;
}

// Two columns between walls that share nothing but the floor.
Worlds two_columns(std::uint64_t seed = 5) {
  Worlds w(rough());
  const int hash = w.type(make_named_shape("hash"), 1);
  w.half_plane({0, 0}, {0, 1});
  for (const double x : {0.0, 30.0}) {
    w.half_plane({x, 0}, {1, 0}).kind = WallKind::polyline;
    w.half_plane({x + 8, 0}, {1, 0}).kind = WallKind::polyline;
  }
  for (std::size_t k = 1; k < w.world.walls.size(); ++k) {
    w.world.walls[k].radius = 0.2;
    w.world.walls[k].points = {{0, -1}, {0, 30}};
  }
  w.world.gravity.value = {0, -9.81};
  Rng rng(seed);
  for (int k = 0; k < 60; ++k) {
    const double left = k < 30 ? 1.3 : 31.3;
    w.body(hash, {left + 2.1 * (k % 3), 1.2 + 2.1 * ((k % 30) / 3)}, rng.uniform(-pi, pi));
  }
  w.maps(map_kind("table"), test_pool());
  return w;
}

double fastest(const World& w) {
  double most = 0;
  for (std::size_t k = 0; k < w.bodies.size(); ++k)
    most = std::max(most, norm(w.bodies.v[k]) + w.types[w.bodies.type[k]].radius * std::abs(w.bodies.omega[k]));
  return most;
}

double mean_height(const World& w) {
  double sum = 0;
  for (const Vec2d x : w.bodies.x) sum += x.y;
  return sum / static_cast<double>(w.bodies.size());
}

// The fastest grain in the next `steps`.
double fastest_in(Simulation& sim, int steps) {
  double most = 0;
  for (int k = 0; k < steps; ++k) {
    sim.step();
    most = std::max(most, fastest(sim.world()));
  }
  return most;
}

Simulation asleep(Worlds w) {
  Simulation sim = w.start(large_steps(0.5));
  while (sim.stats().asleep < sim.world().bodies.size() && sim.world().time < 20) sim.step();
  return sim;
}

TEST(Sleeping, APileFallsAsleepWithItsForces) {
  Simulation sim = asleep(two_columns());
  const World& w = sim.world();
  ASSERT_EQ(sim.stats().asleep, 60u);
  record("asleep_at", w.time);
  const std::vector<Vec2d> x = w.bodies.x;
  for (int k = 0; k < 60; ++k) sim.step();
  EXPECT_EQ(w.bodies.x, x);
  EXPECT_EQ(fastest(w), 0);
  EXPECT_EQ(sim.stats().queries, 0u);
  double up = 0;
  for (const Contact& c : w.contacts) {
    if (c.a == no_body) up += (c.normal_force * c.gap_x + c.tangential_force * perp(c.normal)).y;
  }
  EXPECT_NEAR(up, 60 * 9.81 * w.types[0].mass, 0.02 * up);
  EXPECT_LE(std::abs(sim.energy().relative_residual()), 1e-9);
}

// Woken by nothing, it goes on as one that never slept; as a rule it lies as it lay, but a grain may have begun to
// slip.
TEST(Sleeping, AWokenBedDoesNotJump) {
  int still = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Simulation sim = asleep(two_columns(seed));
    ASSERT_EQ(sim.stats().asleep, 60u) << seed;
    const double height = mean_height(sim.world());
    Simulation never(sim.world(), large_steps(0));
    const double usual = fastest_in(never, 300);
    sim.change([](World&) {});
    const double woken = fastest_in(sim, 20);
    EXPECT_EQ(sim.stats().asleep, 0u);
    EXPECT_LE(woken, std::max(usual, 0.02)) << seed;
    still += std::abs(mean_height(sim.world()) - height) <= 1e-4;
    record(cat("fastest_woken_", seed), woken);
    record(cat("fastest_usual_", seed), usual);
  }
  EXPECT_GE(still, 5);
}

// Everything that can happen to a sleeping column wakes it, and not the other.
TEST(Sleeping, WhatHappensToAnIslandWakesIt) {
  const Simulation sleeping = asleep(two_columns());
  ASSERT_EQ(sleeping.stats().asleep, 60u);
  const World rest = sleeping.world();
  const auto asleep_after = [&](const std::function<void(World&)>& happens, int steps = 3) {
    World world = rest;
    happens(world);
    Simulation sim(std::move(world), large_steps(0.5));
    for (int k = 0; k < steps; ++k) sim.step();
    return sim.stats().asleep;
  };
  const auto at = [&](Event::Action action, std::vector<int> targets) {
    Event e;
    e.time = rest.time;
    e.action = action;
    e.targets = std::move(targets);
    e.gravity = {0, -9};
    return e;
  };
  EXPECT_EQ(asleep_after([](World&) {}), 60u);
  EXPECT_EQ(asleep_after([](World& w) { w.bodies.v[4] = {0, 1}; }), 30u) << "pushed";
  EXPECT_EQ(asleep_after([](World& w) { w.bodies.x[4].y += 0.01; }), 30u) << "moved";
  EXPECT_EQ(asleep_after([&](World& w) { w.deletion_zones.push_back({"hole", {{0, 0}, {9, 2}}, false, 0}); }), 30u);
  EXPECT_EQ(asleep_after([&](World& w) { w.events = {at(Event::Action::remove_wall, {1})}; }), 30u);
  EXPECT_EQ(asleep_after([&](World& w) { w.events = {at(Event::Action::set_gravity, {})}; }), 0u);
  EXPECT_EQ(asleep_after([&](World& w) {
              Motion m;
              m.kind = Motion::Kind::constant;
              m.velocity = {0.1, 0};
              m.walls = {1};
              m.start = w.time + 0.02;
              w.motions = {m};
            }),
            30u)
      << "a wall that begins to move within a step";
  EXPECT_EQ(asleep_after([](World& w) { w.add_body(0, 0, BodyKind::moving, {4, 25}, 0, {0, -5}); }), 60u) << "not yet";
  EXPECT_EQ(asleep_after([](World& w) { w.add_body(0, 0, BodyKind::moving, {4, 25}, 0, {0, -5}); }, 120), 30u);
}

// A sleeper that is struck takes its share of the momentum, as if it had been awake.
TEST(Sleeping, AStruckSleeperMovesAsIfAwake) {
  const auto struck = [](double sleep) {
    Material m = rough();
    m.friction = 0;
    m.restitution = 0.5;
    Worlds w(m);
    const int box = w.type(make_named_shape("box", {{"width", 1}, {"height", 1}}));
    w.half_plane({0, 0}, {0, 1});
    w.world.gravity.value = {0, -9.81};
    w.body(box, {0, 0.501});
    w.maps(map_kind("table"), test_pool());
    Simulation sim = w.start(large_steps(sleep));
    run(sim, 2);
    EXPECT_EQ(sim.stats().asleep, sleep > 0 ? 1u : 0u);
    sim.mutable_world().add_body(box, 0, BodyKind::moving, {-3, 0.501}, 0, {4, 0});
    run(sim, 4);
    return std::pair(sim.world().bodies.v[0].x, sim.world().bodies.v[1].x);
  };
  const auto [of_sleeper, of_other] = struck(0.5);
  const auto [of_awake, of_its_other] = struck(0);
  EXPECT_NEAR(of_sleeper + of_other, 4, 0.01);
  EXPECT_NEAR(of_sleeper, of_awake, 0.02);
  EXPECT_NEAR(of_other, of_its_other, 0.02);
}

// A grain falls on one of the columns when both sleep.
TEST(Sleeping, ThreadsDoNotChangeABit) {
  const World world = two_columns().world;
  std::vector<std::uint64_t> hashes;
  std::size_t most = 0;
  for (const int threads : {1, 2, 3}) {
    Simulation sim(world, large_steps(0.3, threads));
    for (int k = 0; k < 700; ++k) {
      if (k == 600) sim.mutable_world().add_body(0, 0, BodyKind::moving, {4, 25}, 0, {0, -5});
      sim.step();
      most = std::max(most, sim.stats().asleep);
    }
    EXPECT_LT(sim.stats().asleep, most) << "struck";
    hashes.push_back(sim.state_hash());
  }
  EXPECT_EQ(most, 60u);
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST(Sleeping, AWorldHandedOverGoesOnWithTheSameBits) {
  Simulation whole = two_columns().start(large_steps(0.3));
  for (const int steps : {60, 100, 100, 200}) {
    for (int k = 0; k < steps; ++k) whole.step();
    Simulation other(whole.world(), large_steps(0.3));
    for (int k = 0; k < 40; ++k) whole.step(), other.step();
    ASSERT_EQ(other.state_hash(), whole.state_hash());
    ASSERT_EQ(other.stats().asleep, whole.stats().asleep);
  }
  EXPECT_GT(whole.stats().asleep, 0u);
}

}  // namespace
}  // namespace scree::testing
