// The stages of a device step, one after the other on the CPU, against the engine of the CPU.
#include <gtest/gtest.h>

#include <cmath>

#include "scree/cuda/engine.hpp"
#include "support.hpp"

namespace scree {
namespace {

using gpu::Engine;
using gpu::EngineSettings;
using gpu::Precision;
using testing::Worlds;

Material sticky() {
  Material m;
  m.name = "m";
  m.density = 1;
  m.friction = 0.4;
  m.restitution = 0.3;
  m.stiffness = 2e4;
  return m;
}

// A cloud that collapses under its own shear: many contacts, none with walls.
World cloud(const std::vector<Shape>& shapes, bool periodic, const std::string& kind = "table", int side = 12) {
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
  w.maps(testing::map_kind(kind), pool);
  return std::move(w.world);
}

// A tilted floor, a round container, a bent bar and a block in it.
std::vector<Wall> walls_around(double side) {
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

Motion swing_of(int wall) {
  Motion m;
  m.name = "swing";
  m.kind = Motion::Kind::oscillation;
  m.amplitude = {0.1, 0.2};
  m.angular_amplitude = 0.05;
  m.frequency = 2;
  m.walls = {wall};
  return m;
}

StepSettings steps_of(double dt, const std::string& integrator = "symplectic-euler") {
  StepSettings s;
  s.dt = dt;
  s.integrator = integrator;
  s.threads = 1;
  s.ledger = false;
  return s;
}

EngineSettings device_settings(const Simulation& sim) {
  EngineSettings s;
  s.dt = sim.settings().dt;
  s.skin = sim.settings().skin;
  s.velocity_verlet = sim.settings().integrator == "velocity-verlet";
  s.law = law_by_name(sim.settings().law);
  s.most_speed = 1e9;
  s.most_overlap = 1e9;
  return s;
}

gpu::StepInput input_now(const World& world) {
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
void go_on(Simulation& cpu, Engine& device, std::size_t steps) {
  std::vector<gpu::StepInput> inputs{input_now(cpu.world())};
  for (std::size_t k = 0; k < steps; ++k) {
    cpu.step();
    inputs.push_back(input_now(cpu.world()));
  }
  EXPECT_EQ(device.advance(inputs).steps, steps);
}

double farthest_apart(const World& a, const World& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    most = std::max(most, norm(a.separation(a.bodies.x[k], b.bodies.x[k])));
    most = std::max(most, std::abs(a.bodies.theta[k] - b.bodies.theta[k]));
  }
  return most;
}

void expect_same_contacts(const World& cpu, const World& gpu, double tolerance) {
  ASSERT_EQ(cpu.contacts.size(), gpu.contacts.size());
  for (std::size_t k = 0; k < cpu.contacts.size(); ++k) {
    EXPECT_EQ(cpu.contacts[k].a, gpu.contacts[k].a);
    EXPECT_EQ(cpu.contacts[k].b, gpu.contacts[k].b);
    EXPECT_NEAR(cpu.contacts[k].gap, gpu.contacts[k].gap, tolerance);
    EXPECT_NEAR(cpu.contacts[k].spring, gpu.contacts[k].spring, tolerance);
  }
}

// Bodies and contacts follow those of the CPU, which are many.
void expect_same_run(World world, const StepSettings& settings, std::size_t parts, std::size_t steps) {
  Simulation cpu(std::move(world), settings);
  cpu.prepare();
  const auto engine = gpu::make_serial_engine(cpu.world(), device_settings(cpu), Precision::double_);
  engine->upload(cpu.world());
  World device = cpu.world();
  for (std::size_t part = 0; part < parts; ++part) {
    go_on(cpu, *engine, steps);
    engine->download(device);
    ASSERT_LT(farthest_apart(cpu.world(), device), 1e-9) << "part " << part;
    expect_same_contacts(cpu.world(), device, 1e-9);
  }
  EXPECT_GT(cpu.world().pair_contacts, 20u);
  EXPECT_GT(cpu.stats().rebuilds, 1u);
}

class DeviceEngine : public ::testing::TestWithParam<const char*> {};

// Double precision differs from the CPU by the order of the table's sums alone.
TEST_P(DeviceEngine, FollowsTheCpu) {
  for (const bool periodic : {false, true}) {
    expect_same_run(cloud({make_named_shape("cross"), make_named_shape("hash")}, periodic), steps_of(2e-4, GetParam()),
                    4, 250);
  }
}

TEST_P(DeviceEngine, FollowsTheCpuAtWalls) {
  World world = cloud({make_named_shape("cross"), make_named_shape("disc")}, false);
  world.gravity.value = {0, -9.81};
  world.walls = walls_around(12);
  world.motions.push_back(swing_of(0));
  expect_same_run(std::move(world), steps_of(2e-4, GetParam()), 6, 250);
}

TEST_P(DeviceEngine, FollowsTheCpuWithStarsAndClumps) {
  for (const char* kind : {"star", "clump"}) {
    SCOPED_TRACE(kind);
    expect_same_run(cloud({make_named_shape("cross"), make_named_shape("disc")}, true, kind),
                    steps_of(2e-4, GetParam()), 4, 250);
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, DeviceEngine, ::testing::Values("symplectic-euler", "velocity-verlet"),
                         [](const auto& test) {
                           return std::string(test.param) == "velocity-verlet" ? "verlet" : "euler";
                         });

}  // namespace
}  // namespace scree
