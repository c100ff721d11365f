#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "step_world.hpp"

namespace scree {
namespace {

using namespace testing;
using Action = Event::Action;

TEST(Events, HappenAtTheFirstStepThatStartsAtOrAfterTheirTime) {
  // 0.3 is not a multiple of 0.1 in binary: 3 * 0.1 > 0.3. And 0.25 lies between two steps.
  for (const auto& [time, steps] : {std::pair{0.3, 3}, {0.25, 3}, {0.0, 0}, {0.7, 7}}) {
    Discs d;
    d.half_plane({0, 0}, {0, 1});
    d.event(time, Action::set_gravity).gravity = {0, -1};
    Simulation s = d.start(quick(0.1 / 32));
    const int due = time == 0.25 ? 80 : steps * 32;
    for (int k = 0; k < due; ++k) {
      s.step();
      EXPECT_EQ(s.world().gravity.value.y, 0) << "not before step " << due;
    }
    s.step();
    EXPECT_EQ(s.world().gravity.value.y, -1);
    EXPECT_TRUE(s.world().events[0].done);
  }
}

TEST(Events, ARemovedWallLetsGoAndAnAddedOneHolds) {
  Discs d(soft(0.3, 0.3));
  d.world.gravity.value = {0, -10};
  d.half_plane({0, 0}, {0, 1});
  d.half_plane({0, -5}, {0, 1}).active = false;
  d.body(d.disc, {0, 0.495});
  d.event(0.5, Action::remove_wall, {0});
  d.event(0.6, Action::add_wall, {1});
  Simulation s = d.start();
  run_until(s, 0.5);
  EXPECT_NEAR(s.world().bodies.x[0].y, 0.5, 0.02);
  EXPECT_EQ(s.world().contacts.size(), 1u);
  s.step();
  EXPECT_TRUE(s.world().contacts.empty()) << "in the very step";
  run_until(s, 3);
  EXPECT_NEAR(s.world().bodies.x[0].y, -4.5, 0.02);
  EXPECT_NEAR(s.energy().relative_residual(), 0, 2e-3);
}

TEST(Events, StartAndStopAMotionOnce) {
  Discs d;
  d.half_plane({0, 0}, {0, 1});
  Motion m;
  m.velocity = {0, 2};
  m.running = false;
  m.walls = {0};
  d.world.motions = {m};
  d.event(0.1, Action::start_motion, {0});
  d.event(0.3, Action::stop_motion, {0});
  d.event(0.5, Action::start_motion, {0});
  Simulation s = d.start(quick(1.0 / 1024));
  run_until(s, 0.09);
  EXPECT_EQ(s.world().walls[0].pose.x.y, 0);
  run_until(s, 0.2);
  EXPECT_EQ(s.world().walls[0].velocity.y, 2);
  run_until(s, 0.4);
  const double stopped = s.world().walls[0].pose.x.y;
  EXPECT_NEAR(stopped, 0.4, 2.0 / 1024 + 1e-12) << "to the step";
  EXPECT_EQ(s.world().walls[0].velocity.y, 0);
  run_until(s, 0.6);
  EXPECT_NEAR(s.world().walls[0].pose.x.y, stopped + 2 * (s.world().time - 0.5), 1e-12) << "on from where it stood";
}

TEST(Events, InsertAnInsertionThatWaited) {
  Discs d;
  Insertion in;
  in.enabled = false;
  in.list = {{d.disc, {1, 2}, 0.3, {0.5, 0}, 1.5}, {d.disc, {4, 2}, 0, {}, 0}};
  d.world.insertions = {in};
  d.event(0.05, Action::insert, {0});
  Simulation s = d.start();
  run(s, 50);
  EXPECT_EQ(s.world().bodies.size(), 0u);
  s.step();
  ASSERT_EQ(s.world().bodies.size(), 2u);
  EXPECT_NEAR(s.world().bodies.x[0].x, 1.0005, 1e-12) << "and takes part in this step";
  EXPECT_EQ(s.world().bodies.omega[0], 1.5);
  run(s, 50);
  EXPECT_EQ(s.world().bodies.size(), 2u) << "once";
}

TEST(Events, RemoveAndReleaseGroups) {
  Discs d;
  d.world.gravity.value = {0, -10};
  d.world.groups = {"grains", "gate", "plug"};
  d.body(d.disc, {0, 0});
  d.world.add_body(d.disc, 1, BodyKind::fixed, {2, 0}, 0);
  d.world.add_body(d.disc, 2, BodyKind::fixed, {4, 0}, 0);
  d.body(d.disc, {6, 0});
  d.event(0.01, Action::remove_group, {1});
  d.event(0.02, Action::release_group, {2});
  Simulation s = d.start();
  run(s, 10);
  EXPECT_EQ(s.world().bodies.size(), 4u);
  s.step();
  ASSERT_EQ(s.world().bodies.size(), 3u);
  EXPECT_EQ(s.world().bodies.id, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(s.world().anchors.size(), 3u);
  EXPECT_EQ(s.world().bodies.x[1].y, 0) << "the plug still holds";
  run(s, 10);
  EXPECT_EQ(s.world().bodies.kind[1], BodyKind::moving);
  EXPECT_LT(s.world().bodies.v[1].y, 0) << "and falls";
  run(s, 200);
  EXPECT_NEAR(s.energy().relative_residual(), 0, 1e-2);
}

// Neighbours of what is removed keep their springs although all indices behind it move.
TEST(Events, RemovalKeepsTheFrictionOfTheOthers) {
  Discs d;
  d.world.groups = {"grains", "gone"};
  d.world.add_body(d.disc, 1, BodyKind::moving, {-5, 0}, 0);
  d.body(d.disc, {0, 0}, 0, {}, 0.01);
  d.body(d.disc, {0.999, 0});
  d.half_plane({0, -0.499}, {0, 1});
  d.event(0.005, Action::remove_group, {1});
  Simulation s = d.start();
  run(s, 5);
  const auto springs = [&] {
    std::vector<double> out;
    for (const Contact& c : s.world().contacts)
      if (c.b == no_body || s.world().bodies.id[c.b] != 0) out.push_back(c.spring);
    return out;
  };
  const std::vector<double> before = springs();
  ASSERT_GE(before.size(), 3u);
  for (const double spring : before) ASSERT_NE(spring, 0);
  s.step();
  const std::vector<double> after = springs();
  ASSERT_EQ(after.size(), before.size());
  // One more step of growth, not a start from nothing.
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k] / before[k], 1.2, 0.5);
}

TEST(Motions, OneAfterAnotherGoesOnFromWhereTheFormerEnded) {
  for (const bool reversed : {false, true}) {
    Discs d;
    d.half_plane({0, 0}, {0, 1});
    Motion up;
    up.velocity = {0, 1};
    up.duration = 0.2;
    up.walls = {0};
    Motion turn;
    turn.kind = Motion::Kind::rotation;
    turn.omega = 1;
    turn.centre = {1, 0.2};
    turn.start = 0.3;
    turn.duration = 0.5;
    turn.walls = {0};
    Motion aside;
    aside.velocity = {3, 0};
    aside.start = 1;
    aside.walls = {0};
    d.world.motions = reversed ? std::vector{aside, turn, up} : std::vector{up, turn, aside};
    Simulation s = d.start(quick(1.0 / 1024));
    run_until(s, 0.25);
    const Wall& w = s.world().walls[0];
    EXPECT_NEAR(w.pose.x.y, 0.2, 1e-12) << "exactly its duration, though that is no multiple of dt";
    EXPECT_EQ(norm(w.velocity), 0);
    run_until(s, 0.9);
    EXPECT_NEAR(w.pose.theta, 0.5, 1e-12);
    EXPECT_NEAR(w.pose.x.x, 1 - std::cos(0.5), 1e-12);
    EXPECT_NEAR(w.pose.x.y, 0.2 - std::sin(0.5), 1e-12);
    run_until(s, 1.5);
    EXPECT_NEAR(w.pose.x.x, 1 - std::cos(0.5) + 3 * (s.world().time - 1), 1e-12);
    EXPECT_NEAR(w.pose.theta, 0.5, 1e-12);
  }
}

// Keyframes never end by themselves. A later motion takes over, whichever stands first in the list.
TEST(Motions, ALaterMotionTakesOverAndStaysInCharge) {
  for (const bool reversed : {false, true}) {
    Discs d;
    d.half_plane({0, 0}, {0, 1});
    Motion frames;
    frames.kind = Motion::Kind::keyframes;
    frames.keyframes = {{0, 0, {0, 0}}, {0.2, 0.3, {0, 1}}};
    frames.walls = {0};
    Motion slide;
    slide.velocity = {1, 0};
    slide.start = 0.5;
    slide.duration = 0.25;
    slide.walls = {0};
    d.world.motions = reversed ? std::vector{slide, frames} : std::vector{frames, slide};
    Simulation s = d.start(quick(1.0 / 1024));
    run_until(s, 0.5);
    EXPECT_NEAR(s.world().walls[0].pose.x.y, 1, 1e-12);
    run_until(s, 0.625);
    EXPECT_NEAR(s.world().walls[0].pose.x.x, 0.125, 1e-12) << reversed;
    EXPECT_NEAR(s.world().walls[0].pose.x.y, 1, 1e-12);
    run_until(s, 1);
    EXPECT_NEAR(s.world().walls[0].pose.x.x, 0.25, 1e-12) << "and does not jump back when it ends";
    EXPECT_NEAR(s.world().walls[0].pose.theta, 0.3, 1e-12);
  }
}

TEST(Motions, KinematicGroupsMoveAsOneAndFixedBodiesDoNot) {
  Discs d;
  d.world.groups = {"grains", "drum"};
  d.world.add_body(d.disc, 1, BodyKind::kinematic, {2, 0}, 0.1);
  d.world.add_body(d.disc, 1, BodyKind::kinematic, {0, 3}, 0);
  d.world.add_body(d.disc, 1, BodyKind::fixed, {-2, 0}, 0);
  d.world.add_body(d.disc, 0, BodyKind::kinematic, {9, 9}, 0);
  Motion m;
  m.kind = Motion::Kind::rotation;
  m.omega = std::numbers::pi / 2;
  m.groups = {1};
  d.world.motions = {m};
  Simulation s = d.start(quick(1.0 / 1024));
  run(s, 1024);
  const Bodies& b = s.world().bodies;
  EXPECT_NEAR(norm(b.x[0] - Vec2d{0, 2}), 0, 1e-12);
  EXPECT_NEAR(norm(b.x[1] - Vec2d{-3, 0}), 0, 1e-12);
  EXPECT_NEAR(b.theta[0], 0.1 + std::numbers::pi / 2, 1e-12);
  EXPECT_NEAR(norm(b.v[0] - m.omega * Vec2d{-2, 0}), 0, 1e-12);
  EXPECT_EQ(b.omega[1], m.omega);
  EXPECT_EQ(norm(b.x[2] - Vec2d{-2, 0}), 0);
  EXPECT_EQ(norm(b.v[3]), 0);
}

TEST(Motions, AKinematicGrainGoesRoundAPeriodicBoxAndIsFelt) {
  Discs d(soft(0, 1));
  d.world.periodic = {true, false, {{0, 0}, {10, 10}}};
  d.world.groups = {"grains", "pusher"};
  d.world.add_body(d.disc, 1, BodyKind::kinematic, {5, 5}, 0);
  d.body(d.disc, {4, 5});  // one period ahead of it, less a disc
  Motion m;
  m.velocity = {1, 0};
  m.groups = {1};
  d.world.motions = {m};
  Simulation s = d.start();
  run_until(s, 7.5);
  EXPECT_NEAR(s.world().bodies.x[0].x, 2.5, 1e-9);
  EXPECT_NEAR(s.world().unwrapped(0).x, 12.5, 1e-9);
  EXPECT_EQ(s.world().bodies.v[1].x, 0);
  run_until(s, 8.5);
  EXPECT_NEAR(s.world().bodies.v[1].x, 2, 2e-3) << "an elastic push doubles the speed";
}

}  // namespace
}  // namespace scree
