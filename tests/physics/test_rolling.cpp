// A disc and Coulomb friction on a plane: closed forms of sliding, rolling and oblique impact.
#include "physics.hpp"

namespace scree::testing {
namespace {

constexpr double radius = 0.5;
constexpr double gravity = 9.81;

Material rough(double mu, double restitution, double stiffness) {
  Material m = elastic_material(stiffness);
  m.friction = mu;
  m.restitution = restitution;
  return m;
}

// A disc at rest on the plane, at its equilibrium overlap, so that F = m g from the first step.
Worlds disc_on_plane(double mu, Vec2d v) {
  Worlds w(rough(mu, 0.3, 1e6));
  w.type(make_disc("disc", radius));
  w.half_plane({0, 0}, {0, 1});
  const double sink = w.world.types[0].mass * gravity / 1e6;
  w.body(0, {0, radius - sink}, 0, v);
  w.world.gravity.value = {0, -gravity};
  w.maps(map_kind("exact"), test_pool());
  return w;
}

// While it slips, v = u0 - mu g t and omega r = -2 mu g t; from t* = u0 / (3 mu g) on it rolls at 2 u0 / 3.
TEST(Rolling, SlipTurnsIntoRollAtTwoThirds) {
  const double u0 = 2, mu = 0.25, dt = 2e-5;
  const double rolling_at = u0 / (3 * mu * gravity);
  for (const std::string& integrator : integrator_names()) {
    SCOPED_TRACE(integrator);
    Simulation sim = disc_on_plane(mu, {u0, 0}).start(steps_of(dt, integrator));
    double slip_ended = 0;
    double worst = 0;
    while (sim.world().time < 2 * rolling_at) {
      sim.step();
      const World& w = sim.world();
      const double slip = w.bodies.v[0].x + radius * w.bodies.omega[0];
      const double t = w.time;
      if (slip_ended == 0 && slip <= 1e-9 * u0) slip_ended = t;
      if (t < 0.99 * rolling_at) worst = std::max(worst, std::abs(w.bodies.v[0].x - (u0 - mu * gravity * t)));
    }
    // The contact is a spring and a dashpot: it takes t ~ 1/omega_t ~ 1e-3 s to change from slip to stick.
    record("time_error_" + integrator, slip_ended / rolling_at - 1);
    record("speed_error_" + integrator, sim.world().bodies.v[0].x / (2 * u0 / 3) - 1);
    EXPECT_NEAR(slip_ended, rolling_at, 2e-3 * rolling_at);
    // The lever is half the overlap (4e-6 of the radius) short of the radius.
    EXPECT_NEAR(sim.world().bodies.v[0].x, 2 * u0 / 3, 1e-5 * u0);
    EXPECT_NEAR(sim.world().bodies.omega[0] * radius, -2 * u0 / 3, 1e-5 * u0);
    EXPECT_LT(worst, 1e-5 * u0);
  }
}

// On a slope tan(a) < 3 mu a disc rolls without slipping: acceleration 2/3 g sin(a).
TEST(Rolling, RollsDownASlopeAtTwoThirdsOfG) {
  const double slope = 0.4;
  Worlds w = disc_on_plane(0.5, {});
  w.world.gravity.value = Rotation2d(slope) * Vec2d{0, -gravity};
  Simulation sim = w.start(steps_of(2e-5));
  run_until(sim, 1);
  // The overlap starts at m g instead of m g cos(a) and the spring must wind up: a start-up of 1e-3 s.
  EXPECT_NEAR(sim.world().bodies.v[0].x, 2 * gravity * std::sin(slope) / 3, 2e-3);
}

StepSettings steps_by(const std::string& solver) {
  StepSettings s = steps_of(solver == "implicit" ? 1.0 / 240 : 2e-5);
  s.solver = solver;
  return s;
}

// About the point that touches, 3/2 m r^2 turns against mu_r r m g: the disc slows down by 2/3 mu_r g, and stops for
// good.
TEST(Rolling, ResistanceStopsARollingDisc) {
  const double u0 = 1, mu_r = 0.1, brake = 2 * mu_r * gravity / 3, stops_at = u0 / brake;
  for (const std::string& solver : solver_names()) {
    SCOPED_TRACE(solver);
    Worlds w = disc_on_plane(0.5, {u0, 0});
    w.world.materials[0].rolling_friction = mu_r;
    w.world.bodies.omega[0] = -u0 / radius;
    Simulation sim = w.start(steps_by(solver));
    run_until(sim, 0.5 * stops_at);
    record("speed_error_" + solver, sim.world().bodies.v[0].x / (0.5 * u0) - 1);
    EXPECT_NEAR(sim.world().bodies.v[0].x, 0.5 * u0, 2e-3 * u0);
    run_until(sim, 1.5 * stops_at);
    EXPECT_NEAR(sim.world().bodies.x[0].x, 0.5 * u0 * stops_at, 4e-3 * u0 * stops_at);
    EXPECT_NEAR(sim.world().bodies.v[0].x, 0, 1e-6 * u0);
    const Ledger l = sim.energy();
    // Large steps book the last substep for all: u0^2 by the speed at its end, 2 brake h / u0 = 1 % short.
    EXPECT_NEAR(l.rotational_damping, 0.75 * mass_of(sim.world(), 0) * u0 * u0, 0.015 * l.rotational_damping);
    EXPECT_LT(std::abs(l.relative_residual()), 1e-3);
  }
}

// Gravity pulls with m g sin(a) r about the point that touches, resistance holds up to mu_r m g cos(a) r. By small
// steps the torque is viscous up to there: a disc that is held creeps, by 8 dt g sin(a) a second.
TEST(Rolling, ResistanceHoldsADiscOnASlope) {
  const double slope = std::atan(0.1);
  for (const std::string& solver : solver_names()) {
    for (const double mu_r : {0.08, 0.095, 0.105, 0.12}) {
      SCOPED_TRACE(solver + " mu_r = " + std::to_string(mu_r));
      Worlds w = disc_on_plane(0.5, {});
      w.world.materials[0].rolling_friction = mu_r;
      w.world.gravity.value = Rotation2d(slope) * Vec2d{0, -gravity};
      Simulation sim = w.start(steps_by(solver));
      run_until(sim, 1);
      const double pull = 2 * gravity * (std::sin(slope) - mu_r * std::cos(slope)) / 3;
      const double x = sim.world().bodies.x[0].x;
      record("moved_" + solver, x);
      if (pull > 0) {
        EXPECT_NEAR(x, 0.5 * pull, 0.02 * pull);
      } else {
        EXPECT_LT(std::abs(x), solver == "implicit" ? 1e-5 : 1.1 * 8 * sim.settings().dt * gravity * std::sin(slope));
      }
    }
  }
}

// Sliding throughout: Coulomb's limit holds in every step, so the tangential impulse is mu times the normal one, to
// rounding, and with the restitution e the closed form is dv_t = -mu (1 + e) v_n.
TEST(Rolling, GrossSlidingImpact) {
  const double v_n = 1.2, v_t = 5, mu = 0.2;
  for (const std::string& law : law_names()) {
    for (const double e : {0.3, 0.7, 1.0}) {
      SCOPED_TRACE(law + " e = " + std::to_string(e));
      Worlds w(rough(mu, e, 1e6));
      w.type(make_disc("disc", radius));
      w.half_plane({0, 0}, {0, 1});
      w.body(0, {0, radius + 1e-4}, 0, {v_t, -v_n}, 0.5);
      const double m = w.world.types[0].mass, inertia = w.world.types[0].inertia;
      w.maps(map_kind("exact"), test_pool());
      StepSettings s = steps_of(1e-6);
      s.law = law;
      Simulation sim = w.start(s);
      run_until(sim, 0.01);
      ASSERT_EQ(sim.stats().contacts, 0u);
      const Bodies& b = sim.world().bodies;
      const double normal_impulse = m * (b.v[0].y + v_n);
      EXPECT_NEAR(normal_impulse, m * (1 + e) * v_n, 2e-3 * m);  // omega dt = 1e-3
      record(law + "_error", (b.v[0].x - v_t) * m / (-mu * normal_impulse) - 1);
      EXPECT_NEAR(m * (b.v[0].x - v_t), -mu * normal_impulse, 1e-12 * m);
      // Lever: radius less half the overlap, at most v_n / omega = 1e-3.
      EXPECT_NEAR(inertia * (b.omega[0] - 0.5), -mu * normal_impulse * radius, 2e-3 * mu * normal_impulse * radius);
    }
  }
}

// The same between two unlike discs that meet obliquely: the impulse acts on both, along the common tangent.
TEST(Rolling, GrossSlidingImpactOfTwoDiscs) {
  const double mu = 0.15;
  Worlds w(rough(mu, 0.8, 1e8));
  const int a = w.type(make_disc("a", 1));
  const int b = w.type(make_disc("b", 0.6));
  w.body(a, {0, 0}, 0, {0, -3});
  w.body(b, {1.60001, 0}, 0, {-1, 3});
  w.maps(map_kind("exact"), test_pool());
  Simulation sim = w.start(steps_of(2e-7));
  run_until(sim, 0.001);
  ASSERT_EQ(sim.stats().contacts, 0u);
  const World& end = sim.world();
  const double m = 1 / (1 / mass_of(end, 0) + 1 / mass_of(end, 1));
  const double impulse = m * 1.8;
  // Over the 3e-4 s of contact the line of centres turns by 6 t / 1.6 = 1e-3, which adds 3e-3 v_t to v_n.
  EXPECT_NEAR(end.bodies.v[1].y - 3, -mu * impulse / mass_of(end, 1), 0.01 * mu * impulse);
  EXPECT_NEAR(end.bodies.omega[0] * inertia_of(end, 0), mu * impulse * 1.0, 0.01 * mu * impulse);
  EXPECT_NEAR(end.bodies.omega[1] * inertia_of(end, 1), mu * impulse * 0.6, 0.01 * mu * impulse * 0.6);
}

}  // namespace
}  // namespace scree::testing
