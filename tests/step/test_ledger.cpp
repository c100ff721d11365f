// Each entry of the ledger on a case where little else happens, and the balance of all.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "step_world.hpp"

namespace scree {
namespace {

using namespace testing;
using Action = Event::Action;

const char* const integrators[] = {"symplectic-euler", "velocity-verlet"};

StepSettings with(const char* integrator, double dt = 1e-3) {
  StepSettings s = quick(dt);
  s.integrator = integrator;
  return s;
}

void expect_closed(Simulation& s, double tolerance, const std::string& what = "") {
  const Ledger l = s.energy();
  EXPECT_GT(l.moved, 0) << what;
  EXPECT_NEAR(l.relative_residual(), 0, tolerance) << what << " residual " << l.residual() << " of " << l.moved;
}

TEST(Ledger, FreeFallTurnsGravityIntoMotion) {
  for (const char* integrator : integrators) {
    Discs d;
    d.world.gravity.value = {0, -10};
    d.body(d.disc, {0, 0});
    Simulation s = d.start(with(integrator));
    run(s, 1000);
    const Ledger l = s.energy();
    EXPECT_NEAR(l.kinetic, 0.5 * s.world().types[0].mass * 100, 1e-9);
    EXPECT_EQ(l.normal_damping, 0);
    EXPECT_EQ(l.friction, 0);
    EXPECT_EQ(l.wall_work, 0);
    EXPECT_EQ(l.elastic, 0);
    expect_closed(s, 1.1e-3, integrator);  // symplectic Euler: dt / t
  }
}

TEST(Ledger, AnImpactGoesIntoNormalDampingAlone) {
  for (const char* integrator : integrators) {
    Discs d(soft(0, 0.5));
    d.half_plane({0, 0}, {0, 1});
    d.body(d.disc, {0, 0.6}, 0, {0, -1});
    Simulation s = d.start(with(integrator, 1e-4));
    run(s, 4000);
    const Ledger l = s.energy();
    const double before = 0.5 * s.world().types[0].mass;
    EXPECT_NEAR(l.normal_damping / before, 0.75, 0.01);
    EXPECT_NEAR(l.kinetic / before, 0.25, 0.01);
    EXPECT_EQ(l.friction, 0);
    EXPECT_EQ(l.rotational_damping, 0);
    EXPECT_EQ(l.wall_work, 0);
    expect_closed(s, 2e-3, integrator);
  }
}

TEST(Ledger, SlidingGoesIntoFriction) {
  for (const char* integrator : integrators) {
    Discs d(soft(0.2, 0.5));
    d.world.gravity.value = {0, -10};
    d.half_plane({0, 0}, {0, 1});
    const double rest = 0.5 - d.mass() * 10 / 1000;  // weight balances the spring
    d.body(d.disc, {0, rest}, 0, {3, 0});
    Simulation s = d.start(with(integrator, 2e-4));
    run_until(s, 1.5);
    // A sliding disc ends rolling at 2/3 of its speed: a third of the energy is gone.
    const Ledger l = s.energy();
    const double before = 0.5 * s.world().types[0].mass * 9;
    EXPECT_NEAR(s.world().bodies.v[0].x, 2, 0.02) << "give or take the overlap, 0.008";
    EXPECT_NEAR(l.friction / before, 1.0 / 3, 0.01);
    EXPECT_NEAR(l.normal_damping / before, 0, 1e-3);
    expect_closed(s, 2e-3, integrator);
  }
}

TEST(Ledger, SpinAgainstAWallGoesIntoRotationalDamping) {
  for (const char* integrator : integrators) {
    Material m = soft(0, 0.5);
    m.rotational_damping = 2;
    Discs d(m);
    d.world.gravity.value = {0, -10};
    d.half_plane({0, 0}, {0, 1});
    d.body(d.disc, {0, 0.5 - d.mass() * 10 / 1000}, 0, {}, 4);
    Simulation s = d.start(with(integrator));
    run_until(s, 1);
    const double before = 0.5 * s.world().types[0].inertia * 16;
    EXPECT_NEAR(s.world().bodies.omega[0], 4 * std::exp(-2), 2e-3);
    const Ledger l = s.energy();
    EXPECT_NEAR(l.rotational_damping / before, 1 - std::exp(-4), 2e-3);
    EXPECT_EQ(l.friction, 0);
    EXPECT_NEAR(l.normal_damping / before, 0, 1e-6);
    expect_closed(s, 2e-3, integrator);
  }
}

TEST(Ledger, APistonDoesWork) {
  for (const char* integrator : integrators) {
    Discs d(soft(0, 1));
    d.half_plane({0, 0}, {0, 1});
    d.body(d.disc, {0, 0.55});
    Motion m;
    m.velocity = {0, 1};
    m.walls = {0};
    d.world.motions = {m};
    Simulation s = d.start(with(integrator, 1e-4));
    run_until(s, 1);
    // An elastic piston throws the disc off at twice its speed.
    EXPECT_NEAR(s.world().bodies.v[0].y, 2, 0.01);
    const Ledger l = s.energy();
    EXPECT_NEAR(l.wall_work, 0.5 * s.world().types[0].mass * 4, 0.02);
    EXPECT_NEAR(l.normal_damping, 0, 1e-9);
    expect_closed(s, 5e-3, integrator);
  }
}

TEST(Ledger, AKinematicGrainDoesWorkToo) {
  Discs d(soft(0.4, 0.6));
  d.world.groups = {"grains", "paddle"};
  d.world.add_body(d.disc, 1, BodyKind::kinematic, {0, 0}, 0);
  d.body(d.disc, {1.1, 0.3});
  Motion m;
  m.kind = Motion::Kind::oscillation;
  m.amplitude = {0.4, 0};
  m.angular_amplitude = 2;
  m.frequency = 1;
  m.groups = {1};
  d.world.motions = {m};
  Simulation s = d.start(quick(1e-4));
  run_until(s, 2);
  EXPECT_GT(s.energy().wall_work, 0.1);
  expect_closed(s, 5e-3);
}

TEST(Ledger, TurningGravityDoesWork) {
  for (const char* integrator : integrators) {
    Discs d(soft(0.3, 0.4));
    d.world.gravity.value = {0, -10};
    d.world.gravity.turn_rate = std::numbers::pi;
    Wall drum;
    drum.kind = WallKind::circle_inside;
    drum.radius = 3;
    d.world.walls.push_back(drum);
    for (int k = 0; k < 4; ++k) d.body(d.disc, {1.1 * k - 1.6, -1});
    Simulation s = d.start(with(integrator, 2e-4));
    run_until(s, 2);
    const Ledger l = s.energy();
    EXPECT_GT(std::abs(l.gravity_work), 1);
    EXPECT_EQ(l.wall_work, 0);
    expect_closed(s, 2e-3, integrator);
  }
}

TEST(Ledger, ASuddenChangeOfGravityDoesWork) {
  for (const double when : {0.0, 0.1}) {
    for (const char* integrator : integrators) {
      Discs d;
      d.world.gravity.value = {0, -10};
      d.body(d.disc, {3, 7});
      d.event(when, Action::set_gravity).gravity = {20, 0};
      Simulation s = d.start(with(integrator));
      run_until(s, 2);
      EXPECT_NEAR(s.world().bodies.v[0].x, 20 * (2 - when), 0.03);
      expect_closed(s, 2e-3, integrator);
    }
  }
}

TEST(Ledger, InsertedAndDeletedGrainsAreEntered) {
  for (const char* integrator : integrators) {
    Discs d;
    d.world.gravity.value = {0, -10};
    d.body(d.disc, {0, 100});
    Insertion in;
    in.method = Insertion::Method::rain;
    in.mixture = {{d.disc, 1}};
    in.region = {{0, 0}, {10, 1.1}};
    in.rate = 20;
    in.velocity = {0, -3};
    d.world.insertions = {in};
    d.world.deletion_zones.push_back({"out", {{-1e3, -1e3}, {1e3, -2}}, false, 0});
    Simulation s = d.start(with(integrator));
    run_until(s, 2);
    EXPECT_GT(s.world().deletion_zones[0].deleted, 5u);
    EXPECT_NE(s.energy().inserted, 0);
    expect_closed(s, 3e-3, integrator);
  }
}

// Things that appear in each other bring elastic energy with them; the balance must know where it came from.
TEST(Ledger, OverlapsBroughtFromOutsideAreEntered) {
  for (const char* integrator : integrators) {
    for (const int what : {0, 1, 2}) {
      Discs d(soft(0.2, 0.6));
      d.world.groups = {"grains", "held"};
      d.half_plane({0, 0}, {0, 1}).active = what != 0;
      d.body(d.disc, {0, what == 0 ? 0.4 : 2.0});
      if (what == 0) d.event(0.05, Action::add_wall, {0});
      if (what == 1) {
        d.world.add_body(d.disc, 1, BodyKind::fixed, {5, 5}, 0);
        d.world.add_body(d.disc, 1, BodyKind::fixed, {5.9, 5}, 0);
        d.event(0.05, Action::release_group, {1});
      }
      if (what == 2) {
        Insertion in;
        in.start = 0.05;
        in.list = {{d.disc, {0.1, 2.95}, 0, {}, 0}};
        d.world.insertions = {in};
      }
      Simulation s = d.start(with(integrator, 5e-4));
      run_until(s, 0.5);
      EXPECT_GT(s.energy().kinetic, 0.1) << "they fly apart";
      EXPECT_GT(s.energy().inserted, 0.5) << what;
      expect_closed(s, 1e-2, std::string(integrator) + " case " + std::to_string(what));
    }
  }
}

TEST(Ledger, RemovedWallsTakeTheirSpringsAlong) {
  for (const char* integrator : integrators) {
    Discs d(soft(0.5, 0.5));
    d.world.gravity.value = {3, -10};
    d.half_plane({0, 0}, {0, 1});
    d.body(d.disc, {0, 0.49}, 0, {}, 0);
    d.body(d.disc, {2, 0.49}, 0, {}, 0);
    d.event(0.3, Action::remove_wall, {0});
    Simulation s = d.start(with(integrator, 5e-4));
    run_until(s, 0.6);
    EXPECT_LT(s.energy().inserted, 0);
    expect_closed(s, 4e-3, integrator);
  }
}

TEST(Ledger, CanBeSwitchedOffWithoutChangingTheMotion) {
  const auto hash = [](bool ledger) {
    Discs d;
    d.world.gravity.value = {0, -10};
    d.half_plane({0, 0}, {0, 1});
    for (int k = 0; k < 3; ++k) d.body(d.disc, {0.9 * k, 0.6 + 0.3 * k});
    StepSettings settings = quick();
    settings.ledger = ledger;
    Simulation s = d.start(settings);
    run(s, 500);
    EXPECT_EQ(s.energy().moved > 0, ledger);
    return s.state_hash();
  };
  EXPECT_EQ(hash(true), hash(false));
}

}  // namespace
}  // namespace scree
