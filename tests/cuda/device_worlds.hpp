#pragma once
// Worlds for the tests of devices, and what moves them: the same for the stages run on the CPU and for a GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "scree/cuda/engine.hpp"
#include "support.hpp"

namespace scree::testing {

inline Material sticky() {
  Material m;
  m.name = "m";
  m.density = 1;
  m.friction = 0.4;
  m.restitution = 0.3;
  m.stiffness = 2e4;
  m.rolling_friction = 0.05;
  return m;
}

// A cloud that collapses under its own shear: many contacts, none with walls.
inline World cloud(const std::vector<Shape>& shapes, bool periodic, const MapSettings& maps, int side = 12) {
  static ThreadPool pool(1);
  Worlds w(sticky());
  std::vector<int> types;
  for (const Shape& s : shapes) types.push_back(w.type(s, 0.5));
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const double x = 1.02 * i, y = 1.02 * j, middle = 0.5 * side;
      const Vec2d v = {0.6 * (middle - x) + 0.3 * std::sin(3.0 * j), 0.6 * (middle - y) + 0.2 * std::cos(5.0 * i)};
      w.body(types[static_cast<std::size_t>(i + 2 * j) % types.size()], {x, y}, 0.7 * i - 1.3 * j, v, 0.5);
    }
  if (periodic) { w.world.periodic = {true, false, {{0, 0}, {1.02 * side, 0}}}; }
  w.maps(maps, pool);
  return std::move(w.world);
}
inline World cloud(const std::vector<Shape>& shapes, bool periodic, const std::string& kind = "table", int side = 12) {
  return cloud(shapes, periodic, map_kind(kind), side);
}

// A net that knows roughly where a grain is.
inline MapSettings quick_net(const char* net) {
  MapSettings s = map_kind("neural");
  s.net = net;
  s.samples = 20000;
  s.epochs = 4;
  return s;
}

// A tilted floor, a round container, a bent bar and a block in it.
inline std::vector<Wall> walls_around(double side) {
  Wall floor, drum, bar, block;
  floor.name = "floor";
  floor.kind = WallKind::half_plane;
  floor.normal = {0.1 / std::hypot(0.1, 1.0), 1 / std::hypot(0.1, 1.0)};
  floor.pose.x = {0, -2};
  drum.name = "drum";
  drum.kind = WallKind::circle_inside;
  drum.radius = 0.85 * side;
  drum.pose.x = {0.5 * side, 0.5 * side};
  bar.name = "bar";
  bar.kind = WallKind::polyline;
  bar.radius = 0.1;
  bar.points = {{1, -1.2}, {4, -1.0}, {6, -1.4}};
  block.name = "block";
  block.kind = WallKind::circle_outside;
  block.radius = 0.6;
  block.pose.x = {9, -1.9};
  return {floor, drum, bar, block};
}

inline Motion swing_of(int wall) {
  Motion m;
  m.name = "swing";
  m.kind = Motion::Kind::oscillation;
  m.amplitude = {0.1, 0.2};
  m.angular_amplitude = 0.05;
  m.frequency = 2;
  m.walls = {wall};
  return m;
}

inline World pouring() {
  static ThreadPool pool(1);
  Worlds w(sticky());
  const int cross = w.type(make_named_shape("cross"), 0.5), disc = w.type(make_named_shape("disc"), 0.4);
  w.half_plane({0, 0}, {0.2, 1});
  w.half_plane({-5, 0}, {1, 0});
  World& world = w.world;
  world.gravity.value = {0, -9.81};
  Insertion rain;
  rain.name = "rain";
  rain.method = Insertion::Method::rain;
  rain.mixture = {{cross, 0.5}, {disc, 0.5}};
  rain.region = {{-4, 4}, {4, 8}};
  rain.rate = 200;
  rain.count = 60;
  rain.velocity = {0, -1};
  world.insertions.push_back(rain);
  Insertion block = rain;
  block.name = "block";
  block.method = Insertion::Method::lattice;
  block.region = {{-4, 1.5}, {4, 3.5}};
  block.count = 0;
  block.seed = 7;
  world.insertions.push_back(block);
  DeletionZone zone;
  zone.box = {{2.5, -3}, {20, 0.6}};
  world.deletion_zones.push_back(zone);
  Event turn;
  turn.time = 0.25;
  turn.action = Event::Action::set_gravity;
  turn.gravity = {3, -9};
  world.events.push_back(turn);
  w.maps(map_kind("table"), pool);
  return std::move(w.world);
}

// Two rains at once over a few grains: in a world whose sides repeat, across its edge, and more grains than there is
// room for at first. They come where the CPU has them.
inline World two_rains() {
  static ThreadPool pool(1);
  Worlds w(sticky());
  const int disc = w.type(make_named_shape("disc"), 0.2), cross = w.type(make_named_shape("cross"), 0.3);
  w.half_plane({0, 0}, {0, 1});
  World& world = w.world;
  world.gravity.value = {0, -9.81};
  world.periodic = {true, false, {{-30, 0}, {30, 0}}};
  for (int k = 0; k < 5; ++k) w.body(cross, {-20.0 + 10 * k, 0.5}, 0.3 * k);
  Insertion rain;
  rain.name = "discs";
  rain.method = Insertion::Method::rain;
  rain.mixture = {{disc, 1}};
  rain.region = {{-40, 3}, {-10, 12}};
  rain.rate = 9000;
  rain.count = 1200;
  world.insertions.push_back(rain);
  rain.name = "crosses";
  rain.mixture = {{cross, 1}};
  rain.region = {{-25, 8}, {20, 14}};
  rain.rate = 3000;
  rain.count = 0;
  rain.start = 0.01;
  rain.stop = 0.1;
  rain.velocity = {0, -2};
  world.insertions.push_back(rain);
  w.maps(map_kind("table"), pool);
  return std::move(w.world);
}

inline StepSettings settings_on(const std::string& device, const std::string& precision = "double") {
  StepSettings s;
  s.dt = 5e-4;
  s.threads = 1;
  s.device = device;
  s.precision = precision;
  return s;
}

inline StepSettings steps_of(double dt, const std::string& integrator = "symplectic-euler") {
  StepSettings s;
  s.dt = dt;
  s.integrator = integrator;
  s.threads = 1;
  s.ledger = false;
  return s;
}

inline gpu::EngineSettings device_settings(const Simulation& sim) {
  gpu::EngineSettings s;
  s.dt = sim.settings().dt;
  s.skin = sim.settings().skin;
  s.velocity_verlet = sim.settings().integrator == "velocity-verlet";
  s.law = law_by_name(sim.settings().law);
  s.most_speed = 1e9;
  s.most_overlap = 1e9;
  return s;
}

inline gpu::StepInput input_now(const World& world) {
  gpu::StepInput in;
  in.script = {world.gravity.at(world.time), world.time};
  for (const Wall& wall : world.walls)
    in.walls.push_back({wall.pose, Rotation2d(wall.pose.theta), wall.velocity, wall.omega});
  const Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.kind[k] == BodyKind::kinematic) in.driven.push_back({b.x[k], b.theta[k], b.v[k], b.omega[k], b.image[k]});
  }
  return in;
}

// Both go on by `steps`; the device has its walls and driven bodies from the CPU.
inline void go_on(Simulation& cpu, gpu::Engine& device, std::size_t steps) {
  std::vector<gpu::StepInput> inputs{input_now(cpu.world())};
  for (std::size_t k = 0; k < steps; ++k) {
    cpu.step();
    inputs.push_back(input_now(cpu.world()));
  }
  EXPECT_EQ(device.advance(inputs).steps, steps);
}

inline double farthest_apart(const World& a, const World& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    most = std::max(most, norm(a.separation(a.bodies.x[k], b.bodies.x[k])));
    most = std::max(most, std::abs(a.bodies.theta[k] - b.bodies.theta[k]));
  }
  return most;
}

}  // namespace scree::testing
