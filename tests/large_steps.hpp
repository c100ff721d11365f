#pragma once
// Large steps in tests: by the CPU, and by the stages of a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "scree/base/rng.hpp"
#include "support.hpp"

namespace scree::testing {

inline Material rough(double friction, double restitution = 0.01) {
  Material m;
  m.name = "rough";
  m.density = 1.3;
  m.friction = friction;
  m.restitution = restitution;
  m.stiffness = 2e6;
  return m;
}

inline StepSettings large_steps(const std::string& device = "cpu", int threads = 1) {
  StepSettings s;
  s.solver = "implicit";
  s.dt = 1.0 / 60;
  s.threads = threads;
  s.device = device;
  return s;
}

inline void advance_to(Simulation& sim, double time) {
  const double left = (time - sim.glance().time) / sim.settings().dt;
  if (left > 0.5) sim.advance(static_cast<std::size_t>(std::lround(left)));
}

inline ThreadPool& one_thread() {
  static ThreadPool pool(1);
  return pool;
}

// Discs among them would roll for long.
inline World pile(bool mixed, double rolling_friction = 0) {
  Worlds w(rough(0.4));
  w.world.materials[0].rolling_friction = rolling_friction;
  const int hash = w.type(make_named_shape("hash"), 1), disc = w.type(make_disc("disc", 0.6));
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({20, 0}, {-1, 0});
  w.world.gravity.value = {0, -9.81};
  Rng rng(5);
  for (int k = 0; k < 150; ++k) {
    const double angle = rng.uniform(-std::numbers::pi, std::numbers::pi);
    w.body(mixed && k % 4 == 0 ? disc : hash, {1.2 + 2.1 * (k % 9), 1.2 + 2.1 * (k / 9)}, angle);
  }
  w.maps(map_kind("table"), one_thread());
  return w.world;
}

inline double fastest_of(const World& world) {
  double fastest = 0;
  for (const Vec2d v : world.bodies.v) fastest = std::max(fastest, norm(v));
  return fastest;
}

// Of any grain in any step.
inline double fastest_until(Simulation& sim, double time) {
  double fastest = 0;
  while (sim.glance().time < time - 1e-9) {
    sim.step();
    fastest = std::max(fastest, fastest_of(sim.world()));
  }
  return fastest;
}

// What the lag of planes could pump up with the least: a disc that slides to and fro in a bowl, at first at 0.01 a unit
// of time. With nothing set against the lag it went on at 0.02 for good, with mu = 0.01 too.
inline void expect_a_swing_to_die_down(const std::string& device) {
  for (const double mu : {0.0, 0.01}) {
    Worlds w(rough(mu));
    const int bowl = w.type(make_named_shape("arc"), 3), disc = w.type(make_disc("disc", 0.5));
    w.body(bowl, {0, 0}, std::numbers::pi / 2, {}, 0, BodyKind::fixed);
    w.body(disc, {0, 0});
    w.world.gravity.value = {0, -9.81};
    w.maps(map_kind("table"), one_thread());
    StepSettings s = large_steps(device);
    s.dt = 0;
    Simulation sim = w.start(s);
    advance_to(sim, 20);
    sim.change([](World& world) { world.bodies.v[1].x += 0.01; });
    EXPECT_GT(fastest_until(sim, 22), 0.008) << mu;
    advance_to(sim, 50);
    EXPECT_LE(fastest_until(sim, 54), 1e-4) << mu;
  }
}

inline constexpr double poured_radius = 0.05;

// Grains that are about to be poured into a box 36 radii wide.
inline World pour(const std::string& shape, const std::string& map, double friction, std::uint64_t seed,
                  int grains = 300) {
  constexpr double radius = poured_radius;
  Worlds w(rough(friction));
  const int type = w.type(make_named_shape(shape), radius);
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({36 * radius, 0}, {-1, 0});
  w.world.gravity.value = {0, -9.81};
  Rng rng(seed);
  for (int k = 0; k < grains; ++k) {
    const double right = rng.uniform(-0.1, 0.1), up = rng.uniform(-0.1, 0.1);
    w.body(type, radius * Vec2d{1.4 + 2.2 * (k % 16) + right, 1.4 + 2.2 * (k / 16) + up},
           rng.uniform(-std::numbers::pi, std::numbers::pi));
  }
  w.maps(map_kind(map), one_thread());
  return w.world;
}

inline StepSettings own_steps(const std::string& device = "cpu", int threads = 1) {
  StepSettings s = large_steps(device, threads);
  s.dt = 0;
  return s;
}

// Of ten such pours of staples with next to no friction seven shook for good, at 1 to 3 radii a second.
inline void expect_slippery_staples_to_rest(const std::string& device, std::uint64_t seed) {
  Simulation sim(pour("n", "table", 0.05, seed), own_steps(device));
  advance_to(sim, 11);
  EXPECT_LE(fastest_until(sim, 12), 1e-3 * poured_radius) << seed;
}

// A heavy disc, 30 fast, hits a bar at rest near its end, and sets it spinning within a substep: the rest of the step
// takes shorter ones.
inline World bar_and_disc(double height) {
  Worlds w(rough(0.4));
  const int bar = w.type(make_named_shape("box", {{"width", 2}, {"height", 0.3}}));
  GrainType disc = w.world.types[static_cast<std::size_t>(w.type(make_disc("disc", 0.5)))];
  w.world.materials.push_back(rough(0.4));
  w.world.materials[1].density *= 100;
  disc.material = 1;
  w.body(bar, {0, 0});
  w.body(w.world.add_type(disc), {0.9, height}, 0, {0, -30});
  w.maps(map_kind("table"), one_thread());
  return w.world;
}

// Wherever in the step the substep is that is taken back: the centre of mass goes on as before.
inline void expect_no_time_to_be_lost(const std::string& device) {
  World world = bar_and_disc(1.2);
  for (double& height = world.bodies.x[1].y; height < 1.7; height += 0.03) {
    Simulation sim(world, large_steps(device));
    const auto centre = [&] {
      const World& now = sim.world();
      Vec2d sum;
      double mass = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        const double m = now.types[now.bodies.type[k]].mass;
        sum += m * now.bodies.x[k], mass += m;
      }
      return 1 / mass * sum;
    };
    Vec2d before = centre(), way;
    for (int k = 0; k < 3; ++k) {
      sim.step();
      const Vec2d now = centre(), next = now - before;
      EXPECT_TRUE(k == 0 || norm(next - way) < 1e-4 * norm(way)) << height << " " << k;
      before = now, way = next;
    }
  }
}

struct EnergyWatch {
  double fallen = 0;  // the sum of the losses, below what it was before
  double risen = 0;   // in one step: kinetic and potential energy, but for work that was done
};

// Both of what the ledger says has been moved.
inline EnergyWatch watch_energy(Simulation& sim, double until) {
  EnergyWatch seen;
  sim.prepare();  // the ledger is opened
  const auto lost = [](const Ledger& l) { return l.normal_damping + l.friction + l.rotational_damping; };
  double most = lost(sim.energy()), before = sim.energy().elastic + most;
  while (sim.glance().time < until - 1e-9) {
    const double initial = sim.energy().initial;
    sim.step();
    const Ledger l = sim.energy();
    most = std::max(most, lost(l));
    seen.fallen = std::max(seen.fallen, most - lost(l));
    seen.risen = std::max(seen.risen, before - l.elastic - lost(l) + (l.initial - initial));
    before = l.elastic + lost(l);
  }
  const double moved = sim.energy().moved;
  EXPECT_LE(std::abs(sim.energy().relative_residual()), 1e-9);
  return {seen.fallen / moved, seen.risen / moved};
}

// One grain falls on another of the same shape, `density` times as heavy: planes that turn under a load, or lie above a
// hollow gap, give energy, and what gained it gives it back.
struct TwoGrains {
  std::string shape;
  double density, friction, restitution, dt, height;
};

inline EnergyWatch watch_two_grains(const TwoGrains& c, const std::string& device) {
  const Material m = rough(c.friction, c.restitution);
  Worlds w(m);
  Material lead = m;
  lead.density *= c.density;
  w.world.materials.push_back(lead);
  const int light = w.type(make_named_shape(c.shape), 1);
  GrainType heavy = w.world.types[0];
  heavy.material = 1;
  const int lead_grain = w.world.add_type(heavy);
  w.half_plane({0, 0}, {0, 1});
  w.body(light, {0, 1.2}, 0.2);
  w.body(lead_grain, {0.3, c.height}, 0.5);
  w.world.gravity.value = {0, -9.81};
  w.maps(map_kind("table"), one_thread());
  StepSettings s = large_steps(device);
  s.dt = c.dt;
  Simulation sim = w.start(s);
  return watch_energy(sim, 6);
}

}  // namespace scree::testing
