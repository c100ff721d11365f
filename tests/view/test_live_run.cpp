#include <gtest/gtest.h>

#include <cmath>

#include "scree/base/error.hpp"
#include "view/live_world.hpp"

namespace scree {
namespace {

using testing::disc_box;
using testing::disc_steps;

void steps(LiveRun& run, int count) {
  for (int k = 0; k < count; ++k) run.step();
}

TEST(LiveRun, WithoutCommandsItIsTheSameRun) {
  LiveRun run(disc_box(), disc_steps());
  Simulation plain(disc_box(), disc_steps());
  steps(run, 300);
  for (int k = 0; k < 300; ++k) plain.step();
  EXPECT_EQ(run.simulation().state_hash(), plain.state_hash());
  run.start_again();
  steps(run, 300);
  EXPECT_EQ(run.simulation().state_hash(), plain.state_hash());
}

TEST(LiveRun, GravityChangesAndTheLedgerKnows) {
  StepSettings settings = disc_steps();
  settings.integrator = "velocity-verlet";  // exact in free fall
  LiveRun run(disc_box(), settings);
  steps(run, 50);
  run.apply(SetGravity{{3, 0}});
  steps(run, 200);
  EXPECT_EQ(run.world().gravity.value.x, 3);
  EXPECT_NE(run.world().ledger.gravity_work, 0);
  EXPECT_LT(std::abs(run.simulation().energy().relative_residual()), 1e-3);
  EXPECT_THROW(run.apply(SetGravity{{2 * run.gravity_limit(), 0}}), Error);
  EXPECT_EQ(run.world().gravity.value.x, 3);
}

TEST(LiveRun, AWallMovesFromWhereItIs) {
  LiveRun run(disc_box(), disc_steps());
  steps(run, 10);
  Drive drive;
  drive.index = 2;
  drive.velocity = {0.5, 0};
  run.apply(drive);
  steps(run, 100);
  EXPECT_NEAR(run.world().walls[2].pose.x.x, 0.5 + 0.5 * 100 * 1e-4, 1e-12);
  drive.velocity = {-0.5, 0};
  run.apply(drive);  // again: no second motion
  steps(run, 100);
  EXPECT_NEAR(run.world().walls[2].pose.x.x, 0.5, 1e-12);
  EXPECT_EQ(run.world().motions.size(), 1u);
  drive.velocity = {};
  run.apply(drive);
  steps(run, 10);
  EXPECT_EQ(run.world().walls[2].velocity.x, 0);
}

TEST(LiveRun, WhatCannotBeDrivenIsRefused) {
  LiveRun run(disc_box(), disc_steps());
  Drive drive;
  drive.index = 3;
  EXPECT_THROW(run.apply(drive), Error);  // there are three walls
  drive.group = true, drive.index = 0;
  EXPECT_THROW(run.apply(drive), Error);  // its grains move by themselves
  drive.group = false;
  drive.velocity = {2 * run.speed_limit(), 0};
  EXPECT_THROW(run.apply(drive), Error);
  EXPECT_TRUE(run.world().motions.empty());
}

TEST(LiveRun, DroppedGrainsAreClearOfEverything) {
  LiveRun run(disc_box(), disc_steps());
  steps(run, 100);
  const std::size_t before = run.world().bodies.size();
  EXPECT_EQ(run.apply(Drop{0, {0.2, 0.3}, 20}), 20u);
  const World& w = run.world();
  ASSERT_EQ(w.bodies.size(), before + 20);
  for (std::size_t i = before; i < w.bodies.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_GT(norm(w.bodies.x[i] - w.bodies.x[k]), 0.1);
    for (const Wall& wall : w.walls) EXPECT_GT(wall_distance(wall, w.bodies.x[i]), 0.05);
  }
  steps(run, 3000);  // the watchdog has nothing to say
  EXPECT_LT(std::abs(run.simulation().energy().relative_residual()), 1e-2);
}

TEST(LiveRun, NoGrainIsDroppedWhereThereIsNoRoom) {
  LiveRun run(disc_box(), disc_steps());
  EXPECT_THROW(run.apply(Drop{0, {0, -3}, 5}), Error);   // below the floor
  EXPECT_THROW(run.apply(Drop{7, {0, 0.5}, 5}), Error);  // no such grain
  EXPECT_EQ(run.world().bodies.size(), 12u);
}

TEST(LiveRun, DistancesToWallsAreSigned) {
  Wall wall;
  wall.kind = WallKind::circle_inside;
  wall.radius = 2;
  wall.pose.x = {1, 0};
  EXPECT_NEAR(wall_distance(wall, {2.5, 0}), 0.5, 1e-12);
  wall.kind = WallKind::circle_outside;
  EXPECT_NEAR(wall_distance(wall, {2.5, 0}), -0.5, 1e-12);
  wall.kind = WallKind::polyline;
  wall.radius = 0.1;
  wall.points = {{0, 0}, {1, 0}};
  wall.pose.theta = 0.5 * 3.141592653589793;  // along y at x = 1
  EXPECT_NEAR(wall_distance(wall, {1.5, 0.5}), 0.4, 1e-12);
  wall.kind = WallKind::outline;
  wall.pose = {};
  wall.outline.loops = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  EXPECT_NEAR(wall_distance(wall, {0.5, 0.8}), -0.2, 1e-12);
}

}  // namespace
}  // namespace scree
