#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "step_world.hpp"

namespace scree {
namespace {

using namespace testing;

void expect_readable(const Error& e, const Simulation& s, const std::string& grain, const std::string& cause) {
  EXPECT_EQ(e.kind(), ErrorKind::physics);
  EXPECT_TRUE(mentions(e.what(), grain)) << e.what();
  EXPECT_TRUE(mentions(e.what(), cause)) << e.what();
  EXPECT_TRUE(mentions(e.where(), "t = ") && mentions(e.where(), "step ")) << e.where();
  EXPECT_FALSE(e.remedy().empty());
  // The state can still be looked at and written.
  EXPECT_EQ(s.world().bodies.x.size(), s.world().bodies.size());
  EXPECT_NE(s.state_hash(), 0u);
  EXPECT_GT(s.world().step, 0u);
}

TEST(Watchdog, NamesAGrainThatIsNotANumber) {
  for (const char* integrator : {"symplectic-euler", "velocity-verlet"}) {
    for (const bool periodic : {false, true}) {
      Discs d;
      d.world.periodic = {periodic, periodic, {{-10, -10}, {10, 10}}};
      for (int k = 0; k < 6; ++k) d.body(d.disc, {1.5 * k - 4, 0});
      d.half_plane({0, -5}, {0, 1});
      StepSettings settings = quick();
      settings.integrator = integrator;
      Simulation s = d.start(settings);
      run(s, 3);
      s.mutable_world().bodies.v[4].x = std::numeric_limits<double>::quiet_NaN();
      const Error e = error_of([&] { s.step(); });
      expect_readable(e, s, "grain 4 (disc)", "not a number");
      EXPECT_TRUE(mentions(e.remedy(), "dt")) << e.remedy();
    }
  }
}

TEST(Watchdog, NamesAGrainThatIsTooFast) {
  Discs d;
  for (int k = 0; k < 3; ++k) d.body(d.disc, {3.0 * k, 0});
  StepSettings settings = quick();
  Simulation s = d.start(settings);
  // Half the thinnest feature a step: 1 / (2 dt) = 500.
  s.mutable_world().bodies.v[1] = {300, 390};
  EXPECT_NO_THROW(s.step());
  s.mutable_world().bodies.omega[1] = 20;
  expect_readable(error_of([&] { s.step(); }), s, "grain 1", "faster than the limit 500");

  Discs limited;
  limited.body(limited.disc, {0, 0}, 0, {3, 4});
  settings.watchdog.max_speed = 4.9;
  Simulation t = limited.start(settings);
  expect_readable(error_of([&] { t.step(); }), t, "moves at 5", "limit 4.9");
}

TEST(Watchdog, NamesAGrainThatIsLost) {
  Discs d;
  d.world.bounds = {{-5, -5}, {5, 5}};
  d.body(d.disc, {0, 0});
  d.body(d.disc, {4.99, 2}, 0, {2, 0});
  Simulation s = d.start();
  const Error e = error_of([&] { run(s, 20); });
  expect_readable(e, s, "grain 1", "left the bounds");
  EXPECT_NEAR(s.world().time, 0.006, 1e-9) << "as soon as it happens";
}

TEST(Watchdog, NamesBothPartnersOfAnOverlap) {
  Discs d;
  d.body(d.disc, {0, 0});
  d.body(d.disc, {0.45, 0});  // by 0.55 of the diameter
  Simulation s = d.start();
  const Error e = error_of([&] { s.step(); });
  expect_readable(e, s, "grain 0", "overlaps");
  EXPECT_TRUE(mentions(e.what(), "grain 1")) << e.what();
  EXPECT_TRUE(mentions(e.remedy(), "stiffness")) << e.remedy();

  Discs w;
  w.half_plane({0, 0}, {0, 1}).name = "floor";
  w.body(w.disc, {0, -0.01});
  Simulation t = w.start();
  expect_readable(error_of([&] { t.step(); }), t, "grain 0", "wall 'floor'");
}

// A corner that crosses the middle of a thin wall is lost to it, so the watchdog must bark before that.
TEST(Watchdog, BarksBeforeAGrainGoesThroughAThinWall) {
  Worlds w(soft(0, 0.5));
  const int box = w.type(make_named_shape("box"), 0.7);
  Wall wall;
  wall.name = "membrane";
  wall.kind = WallKind::polyline;
  wall.points = {{-5, 0}, {5, 0}};
  wall.radius = 0.02;
  w.world.walls.push_back(wall);
  w.body(box, {0, 1}, 0.3, {0, -10});
  ThreadPool pool(1);
  w.maps(map_kind("exact"), pool);
  Simulation s = w.start(quick(2e-4));
  const Error e = error_of([&] { run(s, 2000); });
  expect_readable(e, s, "grain 0", "wall 'membrane'");
}

TEST(Watchdog, CanBeSwitchedOff) {
  Discs d;
  d.world.bounds = {{-1, -1}, {1, 1}};
  d.world.periodic = {true, false, {{-50, 0}, {50, 1}}};
  d.body(d.disc, {0, 0});
  d.body(d.disc, {0.3, 0});
  d.body(d.disc, {8, 0}, 0, {1e6, 0});
  d.body(d.disc, {20, 0}, 0, {std::numeric_limits<double>::infinity(), 0});
  d.half_plane({0, -1}, {0, 1});
  StepSettings settings = quick();
  settings.watchdog.enabled = false;
  Simulation s = d.start(settings);
  EXPECT_NO_THROW(run(s, 50));
  EXPECT_GE(s.stats().max_speed, 1e6);
}

TEST(Watchdog, StatsTellHowDeepAndHowFast) {
  Discs d(soft(0, 1));
  d.half_plane({0, 0}, {0, 1});
  d.body(d.disc, {0, 0.45});
  d.body(d.disc, {5, 5}, 0, {3, 4}, 2);
  Simulation s = d.start();
  s.step();
  EXPECT_NEAR(s.stats().deepest_overlap, 0.05, 1e-12) << "in units of the thinnest feature, 1";
  EXPECT_NEAR(s.stats().max_speed, 5 + 0.5 * 2, 1e-12) << "of the fastest point";
  EXPECT_EQ(s.stats().contacts, 1u);
  EXPECT_NEAR(s.stats().advised_speed, 1 / (9 * 1e-3), 1e-9);
}

}  // namespace
}  // namespace scree
