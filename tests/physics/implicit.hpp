#pragma once
// What tests of large steps have in common.
#include "physics.hpp"

namespace scree::testing {

inline Material rough(double friction) {
  Material m = elastic_material(2e6);
  m.friction = friction;
  m.restitution = 0.01;
  return m;
}

inline StepSettings large_steps(int threads = 1) {
  StepSettings s;
  s.solver = "implicit";
  s.dt = 1.0 / 60;
  s.threads = threads;
  return s;
}

inline void run(Simulation& sim, double until) {
  while (sim.world().time < until - 1e-9) sim.step();
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
  for (int k = 0; k < 150; ++k)
    w.body(mixed && k % 4 == 0 ? disc : hash, {1.2 + 2.1 * (k % 9), 1.2 + 2.1 * (k / 9)}, rng.uniform(-pi, pi));
  w.maps(map_kind("table"), test_pool());
  return w.world;
}

}  // namespace scree::testing
