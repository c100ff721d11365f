#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "step_world.hpp"

namespace scree {
namespace {

using namespace testing;

TEST(Simulation, AnEmptyWorldSteps) {
  for (const std::string& integrator : integrator_names()) {
    StepSettings settings = quick();
    settings.integrator = integrator;
    Simulation s(World{}, settings);
    run(s, 10);
    EXPECT_EQ(s.world().step, 10u);
    EXPECT_NEAR(s.world().time, 0.01, 1e-15);
    EXPECT_EQ(s.energy().residual(), 0);
  }
}

TEST(Simulation, OneBodyAloneFliesStraight) {
  for (const std::string& integrator : integrator_names()) {
    Discs d;
    d.body(d.disc, {1, 2}, 0.1, {3, -1}, 2);
    StepSettings settings = quick(0.125 / 16);
    settings.integrator = integrator;
    Simulation s = d.start(settings);
    run(s, 128);
    EXPECT_EQ(s.world().bodies.x[0], (Vec2d{4, 1}));
    EXPECT_EQ(s.world().bodies.theta[0], 2.1);
  }
}

TEST(Simulation, UnknownNamesAreRefusedWithTheNearest) {
  for (const bool law : {false, true}) {
    Discs d;
    StepSettings settings = quick();
    (law ? settings.law : settings.integrator) = law ? "algorithm1" : "velocity-verlt";
    const Error e = error_of([&] { d.start(settings); });
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_TRUE(mentions(e.what(), law ? "did you mean 'algorithm-1'" : "did you mean 'velocity-verlet'")) << e.what();
  }
}

TEST(Simulation, BodiesWithoutMapsAreRefused) {
  Discs d;
  d.body(d.disc, {0, 0});
  const Error e = error_of([&] { Simulation(d.world, quick()); });
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_TRUE(mentions(e.what(), "no contact map for disc on disc")) << e.what();
}

TEST(Simulation, APeriodTooShortForTheGrainsIsRefused) {
  Discs d;
  d.body(d.disc, {0, 0});
  d.world.periodic = {false, true, {{0, 0}, {1, 1.9}}};
  const Error e = error_of([&] { d.start(); });
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_TRUE(mentions(e.what(), "periodic.y") && mentions(e.what(), "1.9")) << e.what();
}

TEST(Advice, NumbersOfAKnownPair) {
  Discs d(soft(0.3, 1));  // no damping
  d.half_plane({0, 0}, {0, 1}).name = "floor";
  d.body(d.disc, {0, 1});
  // Two discs: kappa = 2 (1/m + r^2 / I) = 2 (3 / m), omega = sqrt(k kappa).
  const double kappa = 6 / d.mass();
  const double omega = std::sqrt(1000 * kappa);
  const StepAdvice a = advise_step(d.world);
  EXPECT_NEAR(a.kappa_max, kappa, 1e-9 * kappa);
  EXPECT_NEAR(a.omega_max, omega, 1e-9 * omega);
  EXPECT_NEAR(a.dt_limit, 2 / omega, 1e-12);
  EXPECT_NEAR(a.dt_advised, 0.33 / omega, 1e-12);
  EXPECT_EQ(a.stiffest, "disc on disc");
  EXPECT_NEAR(a.stiffness_for_dt(a.dt_advised), 1000, 1e-9);

  StepSettings automatic = quick(0);
  Simulation s = d.start(automatic);
  EXPECT_EQ(s.settings().dt, a.dt_advised);
}

TEST(Advice, AnUnstableStepIsRefusedWithTheNumbers) {
  Discs d(soft(0.3, 1));
  d.body(d.disc, {0, 1});
  const StepAdvice a = advise_step(d.world);
  const Error e = error_of([&] { d.start(quick(1.001 * a.dt_limit)); });
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_TRUE(mentions(e.what(), cat("at most ", a.dt_limit))) << e.what();
  EXPECT_TRUE(mentions(e.what(), cat("dt <= ", a.dt_advised))) << e.what();
  EXPECT_TRUE(mentions(e.what(), "disc on disc")) << e.what();
  Discs fine(soft(0.3, 1));
  fine.body(fine.disc, {0, 1});
  EXPECT_NO_THROW(fine.start(quick(0.999 * a.dt_limit)));
}

TEST(Advice, NothingToGoByIsAnError) {
  const Error e = error_of([] { Simulation(World{}, quick(0)); });
  EXPECT_TRUE(mentions(e.what(), "step.dt")) << e.what();
  EXPECT_EQ(error_of([] { Simulation(World{}, quick(std::numeric_limits<double>::quiet_NaN())); }).kind(),
            ErrorKind::input);
}

// The limit against the recursion itself: v += dt (-omega^2 x - 2 zeta omega v), x += dt v.
TEST(Advice, TheLimitIsWhereTheStepBlowsUp) {
  for (const double restitution : {1.0, 0.5, 0.05, 0.01}) {
    Discs d(soft(0, restitution));
    d.body(d.disc, {0, 1});
    const StepAdvice a = advise_step(d.world);
    const double zeta = d.world.pair_parameters(0, 0).damping_ratio;
    const auto amplitude = [&](double dt) {
      double x = 1;
      double v = 0;
      double largest = 0;
      for (int k = 0; k < 4000 && std::abs(x) < 1e9; ++k) {
        v += dt * (-a.omega_max * a.omega_max * x - 2 * zeta * a.omega_max * v);
        x += dt * v;
        largest = std::max(largest, std::abs(x));
      }
      return largest;
    };
    EXPECT_LT(amplitude(0.99 * a.dt_limit), 20) << restitution;
    EXPECT_GT(amplitude(1.01 * a.dt_limit), 1e6) << restitution;
  }
}

TEST(Advice, MuchDampingNeedsASmallerStep) {
  Discs bouncy(soft(0, 1));
  Discs dead(soft(0, 0.01));
  Material dashpot = soft(0, 1);
  dashpot.normal_damping = 400;
  Discs given(dashpot);
  for (Discs* d : {&bouncy, &dead, &given}) d->body(d->disc, {0, 1});
  const StepAdvice free = advise_step(bouncy.world);
  for (Discs* d : {&dead, &given}) {
    const StepAdvice damped = advise_step(d->world);
    EXPECT_EQ(damped.omega_max, free.omega_max);
    EXPECT_LT(damped.dt_limit, 0.3 * free.dt_limit);
    EXPECT_NEAR(damped.dt_advised, 0.5 * damped.dt_limit, 1e-15);
  }
  // A pair that meets head-on at the advised step must not come out faster than it went in.
  dead.world.bodies.v[0] = {0, -1};
  dead.body(dead.disc, {0, -0.2}, 0, {0, 1});
  Simulation s = dead.start(quick(0));
  run_until(s, 0.5);
  EXPECT_LT(norm(s.world().bodies.v[0]), 0.1);
}

TEST(Simulation, PeriodicFlowWrapsAndConserves) {
  for (const std::string& integrator : integrator_names()) {
    Discs d(soft(0.4, 0.7));
    d.world.periodic = {true, true, {{0, 0}, {6, 6}}};
    Rng rng(8);
    for (int k = 0; k < 16; ++k) {
      const Vec2d v{rng.uniform(-2, 2), rng.uniform(-2, 2)};
      d.body(d.disc, {1.5 * (k % 4) + 0.6, 1.5 * (k / 4) + 0.6}, 0, v, rng.uniform(-3, 3));
    }
    Vec2d before;
    for (const Vec2d v : d.world.bodies.v) before += v;
    StepSettings settings = quick(5e-4);
    settings.integrator = integrator;
    Simulation s = d.start(settings);
    std::vector<Vec2d> last(16);
    for (std::size_t k = 0; k < 16; ++k) last[k] = s.world().unwrapped(k);
    for (int n = 0; n < 6000; ++n) {
      s.step();
      for (std::size_t k = 0; k < 16; ++k) {
        const Vec2d x = s.world().bodies.x[k];
        ASSERT_TRUE(x.x >= 0 && x.x < 6 && x.y >= 0 && x.y < 6);
        ASSERT_LT(norm(s.world().unwrapped(k) - last[k]), 0.01) << "unwrapped paths have no jumps";
        last[k] = s.world().unwrapped(k);
      }
    }
    Vec2d after;
    for (const Vec2d v : s.world().bodies.v) after += v;
    EXPECT_NEAR(norm(after - before), 0, 1e-11) << "momentum, across the boundary too";
    EXPECT_GT(s.energy().normal_damping + s.energy().friction, 1) << "they did collide";
    EXPECT_NEAR(s.energy().relative_residual(), 0, 3e-3);
    bool wrapped = false;
    for (const auto& image : s.world().bodies.image) wrapped = wrapped || image[0] != 0 || image[1] != 0;
    EXPECT_TRUE(wrapped);
  }
}

// A world with rain, events, periodic sides, a moving wall, deletion and three shapes: everything that may depend on
// the order of threads.
World busy_world() {
  static const World cached = [] {
    Material firm = soft(0.5, 0.4);
    firm.stiffness = 2e4;
    Worlds w(firm);
    const int box = w.type(make_named_shape("box"), 0.3);
    const int hash = w.type(make_named_shape("hash"), 0.35);
    const int disc = w.type(make_disc("disc", 0.25));
    w.world.gravity.value = {1, -10};
    w.world.periodic = {true, false, {{0, 0}, {30, 20}}};
    Wall floor;
    floor.kind = WallKind::polyline;
    floor.points = {{0, 0}, {9, 0.5}, {17, 0}, {30, 0}};
    floor.radius = 0.2;
    w.world.walls.push_back(floor);
    Wall block;
    block.kind = WallKind::outline;
    block.outline.loops = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    block.pose.x = {20, -0.9};
    w.world.walls.push_back(block);
    Motion spin;
    spin.kind = Motion::Kind::rotation;
    spin.centre = {20, -0.9};
    spin.omega = 2;
    spin.walls = {1};
    w.world.motions.push_back(spin);
    Insertion start;
    start.method = Insertion::Method::lattice;
    start.mixture = {{box, 1}, {hash, 1}, {disc, 1}};
    start.region = {{0, 1.3}, {30, 16}};
    start.jitter = 0.02;
    start.seed = 3;
    w.world.insertions.push_back(start);
    Insertion rain = start;
    rain.method = Insertion::Method::rain;
    rain.region = {{0, 17}, {30, 19}};
    rain.rate = 400;
    rain.velocity = {0, -4};
    w.world.insertions.push_back(rain);
    w.world.deletion_zones.push_back({"hole", {{5, 0.5}, {8, 1.2}}, false, 0});
    Event tilt;
    tilt.time = 0.1;
    tilt.action = Event::Action::set_gravity;
    tilt.gravity = {-2, -10};
    w.world.events.push_back(tilt);
    Event stop;
    stop.time = 0.2;
    stop.action = Event::Action::stop_motion;
    stop.targets = {0};
    w.world.events.push_back(stop);
    ThreadPool pool(2);
    MapSettings table;
    table.nodes = 32;
    w.maps(table, pool);
    return w.world;
  }();
  return cached;
}

TEST(Determinism, TheSameBitsForAnyNumberOfThreads) {
  for (const std::string& integrator : integrator_names()) {
    std::uint64_t wanted = 0;
    double residual = 0;
    for (const int threads : {1, 2, 3, 8}) {
      StepSettings settings = quick(5e-4);
      settings.integrator = integrator;
      settings.threads = threads;
      Simulation s(busy_world(), settings);
      run(s, 1200);
      if (threads == 1) {
        wanted = s.state_hash();
        residual = s.energy().residual();
        EXPECT_GT(s.world().bodies.size(), 600u) << "more than one chunk";
        EXPECT_GT(s.world().contacts.size(), 80u);
        EXPECT_GT(s.world().insertions[1].inserted, 50u);
      }
      EXPECT_EQ(s.state_hash(), wanted) << integrator << " with " << threads << " threads";
      EXPECT_EQ(s.energy().residual(), residual) << integrator << " with " << threads << " threads";
    }
  }
}

TEST(Determinism, ARestartGoesOnWithTheSameBits) {
  for (const std::string& integrator : integrator_names()) {
    StepSettings settings = quick(5e-4);
    settings.integrator = integrator;
    Simulation whole(busy_world(), settings);
    run(whole, 500);
    Simulation first(busy_world(), settings);
    run(first, 237);
    World state = first.world();
    Simulation second(std::move(state), settings);
    run(second, 263);
    EXPECT_EQ(second.state_hash(), whole.state_hash()) << integrator;
  }
}

TEST(Simulation, GoesOnFromTheSameTimeWithAnotherStep) {
  Discs d;
  d.body(d.disc, {0, 0}, 0, {1, 0});
  Simulation s = d.start(quick(1e-3));
  run(s, 500);
  Simulation t(World(s.world()), quick(2e-3));
  t.step();
  EXPECT_NEAR(t.world().time, 0.502, 1e-12);
  EXPECT_NEAR(t.world().bodies.x[0].x, 0.502, 1e-12);
}

TEST(Simulation, BodiesAddedThroughTheWorldAreFound) {
  Discs d(soft(0, 1));
  d.half_plane({0, 0}, {0, 1});
  d.body(d.disc, {0, 5});
  Simulation s = d.start();
  run(s, 3);
  s.mutable_world().add_body(0, 0, BodyKind::moving, {3, 0.45}, 0);
  run(s, 3);
  EXPECT_EQ(s.world().contacts.size(), 1u);
  EXPECT_GT(s.world().bodies.v[1].y, 0);
}

// The lists must be rebuilt before a fast wall reaches a grain that was not near it when they were built.
TEST(Simulation, AMovingWallDoesNotOutrunItsList) {
  for (const Motion::Kind kind : {Motion::Kind::constant, Motion::Kind::keyframes}) {
    Discs d(soft(0, 1));
    Wall paddle;
    paddle.kind = WallKind::polyline;
    paddle.points = {{0, -2}, {0, 2}};
    paddle.radius = 0.2;
    d.world.walls.push_back(paddle);
    d.body(d.disc, {3, 0.3});
    Motion m;
    m.kind = kind;
    m.velocity = {4, 0};
    m.keyframes = {{0, 0, {0, 0}}, {1, 0, {4, 0}}};
    m.walls = {0};
    d.world.motions = {m};
    Simulation s = d.start();
    run_until(s, 1);
    EXPECT_GT(s.world().bodies.x[0].x, 4.6) << "it was pushed, not passed";
  }
}

TEST(Simulation, RebuildsAreRare) {
  Discs d(soft(0, 0.5));
  d.world.gravity.value = {0, -10};
  d.half_plane({0, 0}, {0, 1});
  for (int k = 0; k < 20; ++k) d.body(d.disc, {1.1 * k, 0.5});
  Simulation s = d.start();
  run(s, 1000);
  EXPECT_LE(s.stats().rebuilds, 2u) << "nothing moves far";
}

}  // namespace
}  // namespace scree
