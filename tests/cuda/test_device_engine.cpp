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
World cloud(const std::vector<Shape>& shapes, bool periodic, int side = 12) {
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
  w.maps(testing::map_kind("table"), pool);
  return std::move(w.world);
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

std::vector<gpu::StepInput> inputs(const World& world, std::size_t steps) {
  std::vector<gpu::StepInput> out(steps + 1);
  for (auto& in : out) in.script.gravity = world.gravity.value;
  return out;
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

class DeviceEngine : public ::testing::TestWithParam<const char*> {};

// Double precision differs from the CPU by the order of the table's sums alone.
TEST_P(DeviceEngine, FollowsTheCpuInDoublePrecision) {
  for (const bool periodic : {false, true}) {
    const World world = cloud({make_named_shape("cross"), make_named_shape("hash")}, periodic);
    Simulation sim(world, steps_of(2e-4, GetParam()));
    sim.prepare();
    const auto engine = gpu::make_serial_engine(sim.world(), device_settings(sim), Precision::double_);
    engine->upload(sim.world());
    World device = sim.world();
    for (int part = 0; part < 4; ++part) {
      for (int k = 0; k < 250; ++k) sim.step();
      const gpu::Outcome out = engine->advance(inputs(world, 250));
      EXPECT_EQ(out.steps, 250u);
      engine->download(device);
      ASSERT_LT(farthest_apart(sim.world(), device), 1e-9) << part << periodic;
      expect_same_contacts(sim.world(), device, 1e-9);
    }
    EXPECT_GT(sim.world().contacts.size(), 50u);
    EXPECT_GT(sim.stats().rebuilds, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, DeviceEngine, ::testing::Values("symplectic-euler", "velocity-verlet"),
                         [](const auto& test) {
                           return std::string(test.param) == "velocity-verlet" ? "verlet" : "euler";
                         });

}  // namespace
}  // namespace scree
