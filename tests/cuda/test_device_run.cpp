// Whole simulations on a device: events, insertions, deletions, measures and restarts around the stages.
#include <gtest/gtest.h>

#include <cmath>

#include "scree/base/error.hpp"
#include "support.hpp"

namespace scree {
namespace {

using testing::Worlds;

World pouring() {
  static ThreadPool pool(1);
  Material m;
  m.name = "m";
  m.friction = 0.4;
  m.restitution = 0.3;
  m.stiffness = 2e4;
  Worlds w(m);
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
  w.maps(testing::map_kind("table"), pool);
  return std::move(w.world);
}

StepSettings settings_on(const std::string& device, const std::string& precision = "double") {
  StepSettings s;
  s.dt = 5e-4;
  s.threads = 1;
  s.device = device;
  s.precision = precision;
  return s;
}

TEST(DeviceRun, EventsInsertionsAndDeletionsAsOnTheCpu) {
  Simulation cpu(pouring(), settings_on("cpu")), device(pouring(), settings_on("serial"));
  for (int part = 0; part < 10; ++part) {
    cpu.advance(100);
    device.advance(100);
    const World &a = cpu.world(), &b = device.world();
    ASSERT_EQ(a.step, b.step);
    ASSERT_DOUBLE_EQ(a.time, b.time);
    ASSERT_EQ(a.bodies.id, b.bodies.id) << "part " << part;
    for (std::size_t k = 0; k < a.bodies.size(); ++k) ASSERT_LT(norm(a.bodies.x[k] - b.bodies.x[k]), 1e-7) << part;
    ASSERT_EQ(a.contacts.size(), b.contacts.size());
  }
  EXPECT_GT(cpu.world().deletion_zones[0].deleted, 1u);
  EXPECT_EQ(cpu.world().deletion_zones[0].deleted, device.world().deletion_zones[0].deleted);
}

// Contacts of deleted grains take a little with them that is not in the books.
TEST(DeviceRun, TheLedgerIsThatOfTheCpu) {
  for (const char* integrator : {"symplectic-euler", "velocity-verlet"}) {
    World world = pouring();
    world.deletion_zones.clear();
    world.gravity.turn_rate = 0.3;
    StepSettings on_cpu = settings_on("cpu"), on_device = settings_on("serial");
    on_cpu.integrator = on_device.integrator = integrator;
    Simulation cpu(world, on_cpu), device(world, on_device);
    cpu.advance(900);
    device.advance(900);
    const Ledger a = cpu.energy(), b = device.energy();
    EXPECT_NEAR(a.normal_damping, b.normal_damping, 1e-6 * a.moved);
    EXPECT_NEAR(a.friction, b.friction, 1e-6 * a.moved);
    EXPECT_NEAR(a.gravity_work, b.gravity_work, 1e-6 * a.moved);
    EXPECT_NEAR(a.wall_work, b.wall_work, 1e-6 * a.moved);
    EXPECT_NEAR(a.moved, b.moved, 1e-6 * a.moved);
    EXPECT_NEAR(a.residual(), b.residual(), 1e-6 * a.moved) << integrator;
    EXPECT_GT(a.friction, 0);
  }
}

TEST(DeviceRun, HowManyStepsAreAskedForAtOnceDoesNotMatter) {
  Simulation many(pouring(), settings_on("serial", "single")), single(pouring(), settings_on("serial", "single"));
  many.advance(700);
  for (int k = 0; k < 700; ++k) {
    single.step();
    if (k % 50 == 0) single.world();  // lists are then built anew
  }
  EXPECT_EQ(many.state_hash(), single.state_hash());
}

TEST(DeviceRun, ARestartGoesOnWithTheSameBits) {
  Simulation whole(pouring(), settings_on("serial", "single")), first(pouring(), settings_on("serial", "single"));
  first.advance(333);
  Simulation second(first.world(), settings_on("serial", "single"));
  second.advance(400);
  whole.advance(733);
  EXPECT_EQ(whole.state_hash(), second.state_hash());
}

TEST(DeviceRun, TheWatchdogNamesTheGrain) {
  World world = pouring();
  world.insertions.clear();
  world.deletion_zones.clear();
  world.add_body(0, 0, BodyKind::moving, {0, 20}, 0, {0, -30});
  world.bounds = {{-100, -5}, {100, 100}};
  world.walls.clear();
  Simulation sim(world, settings_on("serial"));
  try {
    sim.advance(5000);
    FAIL() << "it fell for ever";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::physics);
    EXPECT_NE(std::string(e.what()).find("grain 0"), std::string::npos) << e.what();
  }
}

TEST(DeviceRun, WhatADeviceCannotDoIsRefused) {
  StepSettings s = settings_on("serial");
  s.solver = "implicit";
  EXPECT_THROW(Simulation(pouring(), s), Error);
  s = settings_on("serail");
  EXPECT_THROW(Simulation(pouring(), s), Error);
}

}  // namespace
}  // namespace scree
