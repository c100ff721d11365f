// Whole simulations on a device: events, insertions, deletions, measures and restarts around the stages.
#include "device_worlds.hpp"

namespace scree {
namespace {

using testing::pouring;
using testing::settings_on;

TEST(DeviceRun, EventsInsertionsAndDeletionsAsOnTheCpu) { testing::expect_pours_as_the_cpu("serial", 10, 1e-7); }

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
