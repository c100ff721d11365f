#pragma once
// Discs in a box with a lid that can move: small enough for thousands of steps a second.
#include "scree/view/live_session.hpp"
#include "support.hpp"

namespace scree::testing {

inline World disc_box() {
  Material material;
  material.name = "glass";
  material.density = 1000;
  material.stiffness = 1e5;
  Worlds w(material);
  const int disc = w.type(make_disc("disc", 0.05));
  for (int k = 0; k < 12; ++k) w.body(disc, {-0.4 + 0.16 * (k % 6), 0.06 + 0.12 * (k / 6)});
  w.half_plane({0, 0}, {0, 1}).name = "floor";
  w.half_plane({-0.5, 0}, {1, 0}).name = "left";
  w.half_plane({0.5, 0}, {-1, 0}).name = "right";
  w.world.gravity.value = {0, -9.81};
  ThreadPool pool(1);
  w.maps(map_kind("table"), pool);
  return std::move(w.world);
}

inline StepSettings disc_steps() {
  StepSettings s;
  s.dt = 1e-4;
  s.threads = 1;
  return s;
}

}  // namespace scree::testing
