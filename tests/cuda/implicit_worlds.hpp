#pragma once
// Worlds for the tests of large steps on a device.
#include "chain.hpp"
#include "device_worlds.hpp"

namespace scree::testing {

// Pairs far from each other, so that the order of links does not matter, each about to touch or touching; of most of
// them the lower grain is fixed.
inline World lonely_pairs(int pairs, double restitution) {
  Material m = rough(0.4, restitution);
  m.rolling_friction = 0.05;
  Worlds w(m);
  const int hash = w.type(make_named_shape("hash"), 1), cross = w.type(make_named_shape("cross"), 0.7),
            disc = w.type(make_disc("disc", 0.6));
  const int types[] = {hash, cross, disc};
  const double radii[] = {1, 0.7, 0.6};
  Rng rng(11);
  for (int k = 0; k < pairs; ++k) {
    const Vec2d at{10.0 * (k % 20), 10.0 * (k / 20)};
    const int i = k % 3, j = k / 3 % 3;
    const double phi = rng.uniform(0.4, 2.7), apart = (radii[i] + radii[j]) * rng.uniform(0.93, 1.01);
    const Vec2d n{std::cos(phi), std::sin(phi)}, v = -rng.uniform(0, 1.5) * n + rng.uniform(-0.5, 0.5) * perp(n);
    const bool fixed = k % 4 != 0;
    w.body(types[i], at, rng.uniform(-3, 3), {}, fixed ? 0 : rng.uniform(-1, 1),
           fixed ? BodyKind::fixed : BodyKind::moving);
    w.body(types[j], at + apart * n, rng.uniform(-3, 3), v, rng.uniform(-1, 1));
  }
  w.world.gravity.value = {0, -9.81};
  w.maps(map_kind("table"), one_thread());
  w.world.step = 1, w.world.time = 1.0 / 60;  // the first step of all is the CPU's
  return w.world;
}

// A shaken floor, a turning paddle of a wall, kinematic grains that swing, and sides that repeat.
inline World shaken() {
  Worlds w(rough(0.4, 0.3));
  const int hash = w.type(make_named_shape("hash"), 1), disc = w.type(make_disc("disc", 0.6));
  w.half_plane({0, 0}, {0, 1});
  Wall paddle;
  paddle.name = "paddle";
  paddle.kind = WallKind::polyline;
  paddle.radius = 0.1;
  paddle.points = {{-2, 0}, {2, 0.3}};
  paddle.pose.x = {10, 5.5};
  w.world.walls.push_back(paddle);
  w.world.gravity.value = {0, -9.81};
  w.world.periodic = {true, false, {{0, 0}, {21, 0}}};
  Rng rng(9);
  for (int k = 0; k < 50; ++k) {
    const double angle = rng.uniform(-3, 3);
    w.body(k % 3 == 0 ? disc : hash, {1.1 + 2.1 * (k % 10), 9 + 2.1 * (k / 10)}, angle);
  }
  w.world.groups.push_back("swinging");
  w.world.add_body(hash, 1, BodyKind::kinematic, {3, 4}, 0);
  w.maps(map_kind("table"), one_thread());
  Motion shake = swing_of(0), turn = swing_of(1), swing = swing_of(0);
  shake.angular_amplitude = 0;
  turn.name = "turn";
  turn.kind = Motion::Kind::rotation;
  turn.centre = {10, 5.5};
  turn.omega = 0.8;
  swing.name = "swing of a grain";
  swing.walls = {};
  swing.groups = {1};
  w.world.motions = {shake, turn, swing};
  return w.world;
}

}  // namespace scree::testing
