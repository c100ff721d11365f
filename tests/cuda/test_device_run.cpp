// Whole simulations on a device: events, insertions, deletions, measures and restarts around the stages.
#include "device_expectations.hpp"
#include "scree/step/device_run.hpp"
#include "scree/step/drive.hpp"

namespace scree {
namespace {

using testing::pouring;
using testing::settings_on;

TEST(DeviceRun, EventsInsertionsAndDeletionsAsOnTheCpu) { testing::expect_pours_as_the_cpu("serial", 10, 1e-7); }

TEST(DeviceRun, RainAsOnTheCpu) { testing::expect_rain_as_on_the_cpu("serial", 320, 1e-7); }

TEST(DeviceRun, RainGoesOnWithTheSameBits) {
  for (const char* integrator : {"symplectic-euler", "velocity-verlet"}) {
    StepSettings s = settings_on("serial", "single");
    s.integrator = integrator;
    testing::expect_rain_to_go_on_with_the_same_bits("serial", s, 300);
  }
}

// Nothing is asked of the CPU but where grains come: no step, and no copy of the world as long as there is room.
TEST(DeviceRun, RainLeavesTheWorldWhereItIs) {
  StepSettings s = settings_on("serial");
  Simulation begun(testing::two_rains(), s);
  begun.step();
  World world = begun.world();
  world.insertions[0].rate = 400, world.insertions[1].rate = 200;
  DeviceRun run(gpu::make_serial_engine(world, testing::device_settings(begun), gpu::Precision::double_), s, 0);
  const std::size_t before = world.bodies.size();
  const Vec2d place = world.bodies.x[0];
  for (int k = 0; k < 150; ++k) {
    ASSERT_FALSE(run.host_is_due(world)) << k;
    run.advance(world, 1);
  }
  EXPECT_GT(world.bodies.size(), before + 30);
  EXPECT_EQ(world.bodies.x[0].y, place.y) << "it was copied";
  run.fetch(world);
  EXPECT_LT(world.bodies.x[0].y, place.y);
}

// Rain of what does not simply fall is for the CPU.
TEST(DeviceRun, RainThatIsNotSimpleIsForTheCpu) {
  StepSettings s = settings_on("serial");
  const auto due = [&](auto&& edit) {
    World world = testing::two_rains();
    edit(world);
    world.step = 1, world.time = 0.02;
    return DeviceRun(
               gpu::make_serial_engine(world, testing::device_settings(Simulation(world, s)), gpu::Precision::double_),
               s, 0)
        .host_is_due(world);
  };
  EXPECT_FALSE(due([](World&) {}));
  EXPECT_TRUE(due([](World& w) { w.insertions[1].kind = BodyKind::fixed; }));
  EXPECT_TRUE(due([](World& w) { w.deletion_zones.push_back({"drain", {{0, 10}, {1, 11}}, false, 0}); }));
  EXPECT_FALSE(due([](World& w) { w.deletion_zones.push_back({"drain", {{0, -3}, {1, 1}}, false, 0}); }));
  EXPECT_TRUE(due([](World& w) { w.deletion_zones.push_back({"out", {{-60, -3}, {60, 10}}, true, 0}); }));
  EXPECT_FALSE(due([](World& w) { w.deletion_zones.push_back({"out", {{-60, -3}, {60, 30}}, true, 0}); }));
}

TEST(DeviceRun, TheLedgerIsThatOfTheCpu) { testing::expect_same_ledger("serial", 900, 1e-6); }

TEST(DeviceRun, HowManyStepsAreAskedForAtOnceDoesNotMatter) { testing::expect_batches_do_not_matter("serial"); }

TEST(DeviceRun, ARestartGoesOnWithTheSameBits) { testing::expect_restart_has_same_bits("serial"); }

TEST(DeviceRun, ListsThatGrowChangeNothing) { testing::expect_growing_lists_change_nothing("serial", "single"); }

TEST(DeviceRun, KinematicGrainsWithoutAMotionStay) { testing::expect_kinematic_grains_stay("serial"); }

TEST(DeviceRun, TheWatchdogNamesAnOverlap) { testing::expect_watchdog_names_an_overlap("serial"); }

TEST(DeviceRun, TheWatchdogNamesTheGrain) { testing::expect_watchdog_names_the_grain("serial"); }

TEST(DeviceRun, WhatADeviceCannotDoIsRefused) {
  StepSettings s = settings_on("serial");
  s.solver = "implicit";
  EXPECT_THROW(Simulation(pouring(), s), Error);
  s = settings_on("serail");
  EXPECT_THROW(Simulation(pouring(), s), Error);
}

}  // namespace
}  // namespace scree
