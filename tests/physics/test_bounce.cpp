// Normal impacts: the restitution a material states is the one a collision shows.
#include "physics.hpp"

namespace scree::testing {
namespace {

constexpr double restitutions[] = {0.2, 0.5, 0.8, 1.0};

Material bouncy(double restitution, double stiffness = 1e4) {
  Material m = elastic_material(stiffness);
  m.restitution = restitution;
  return m;
}

TEST(Restitution, DampingRatioInvertsTheClosedForm) {
  EXPECT_EQ(restitution_of(0), 1);
  EXPECT_EQ(damping_ratio_for(1), 0);
  for (double e = 0.01; e < 1; e += 0.01) {
    // de/dzeta is between -2 and -0.03 here, so bisection to 1e-15 in zeta leaves 1e-14 in e.
    EXPECT_NEAR(restitution_of(damping_ratio_for(e)), e, 1e-13);
  }
  // Overdamped contacts still bounce a little; the closed form is continuous through critical damping.
  EXPECT_NEAR(restitution_of(1 - 1e-6), restitution_of(1 + 1e-6), 1e-5);
  EXPECT_NEAR(restitution_of(1), std::exp(-2.0), 1e-12);
}

// The closed form against the equation of motion itself, integrated by fourth-order Runge-Kutta until the force ends.
TEST(Restitution, ClosedFormSolvesTheClampedSpringDashpot) {
  for (const double zeta : {0.05, 0.3, 0.8, 1.5}) {
    double x = 0, v = 1;  // overlap and its rate, omega_0 = 1
    const double h = 1e-4;
    const auto force = [&](double overlap, double rate) { return -overlap - 2 * zeta * rate; };
    while (force(x, v) < 0) {
      const double k1 = force(x, v), k2 = force(x + 0.5 * h * v, v + 0.5 * h * k1);
      const double k3 = force(x + 0.5 * h * (v + 0.5 * h * k1), v + 0.5 * h * k2);
      const double k4 = force(x + h * (v + 0.5 * h * k2), v + h * k3);
      x += h * (v + h * (k1 + k2 + k3) / 6);
      v += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    }
    EXPECT_NEAR(-v, restitution_of(zeta), 1e-7) << zeta;  // the force vanishes at the end: second order in h
  }
}

// What symplectic Euler does to one freedom: gap d, rate u, inverse mass kappa.
double discrete_bounce(double d, double u, double kappa, double k, double c, double dt) {
  const double approach = u;
  while (u < 0 || d < 0) {
    const double f = d < 0 ? std::max(0.0, -k * d - c * u) : 0;
    u += dt * kappa * f;
    d += dt * u;
  }
  return -u / approach;
}

Worlds disc_above_plane(double e) {
  Worlds w(bouncy(e));
  w.type(make_disc("disc", 0.7));
  w.half_plane({0, 0}, {0, 1});
  w.body(0, {0, 0.7 + 0.01}, 0, {0, -2});
  w.maps(map_kind("exact"), test_pool());
  return w;
}

double disc_on_plane(double e, double dt) {
  Worlds w = disc_above_plane(e);
  Simulation sim = w.start(steps_of(dt));
  run_until(sim, 0.1);
  EXPECT_EQ(sim.stats().contacts, 0u);
  return sim.world().bodies.v[0].y / 2;
}

TEST(Bounce, DiscOnPlaneMatchesTheDiscreteSolution) {
  const double k = 1e4, dt = 1e-3;
  for (const double e : restitutions) {
    const double kappa = 1 / disc_above_plane(e).world.types[0].mass;
    const double c = 2 * damping_ratio_for(e) * std::sqrt(k / kappa);
    EXPECT_NEAR(disc_on_plane(e, dt), discrete_bounce(0.01, -2, kappa, k, c, dt), 1e-12);
  }
}

// The moment of touching falls between two steps: an error of order dt.
TEST(Bounce, DiscOnPlaneTendsToTheClosedForm) {
  for (const double e : restitutions) {
    EXPECT_NEAR(disc_on_plane(e, 1e-4), e, 1e-2);
    const double fine = disc_on_plane(e, 1e-6);
    record("error_at_e_" + std::to_string(e).substr(0, 3), fine - e);
    EXPECT_NEAR(fine, e, 1e-4);
  }
}

// Two discs of unlike size head on: relative speed times -e, momentum kept.
TEST(Bounce, DiscOnDisc) {
  const double dt = 5e-6;
  for (const double e : restitutions) {
    Worlds w(bouncy(e));
    const int large = w.type(make_disc("large", 1));
    const int small = w.type(make_disc("small", 0.6));
    const Vec2d n = Rotation2d(0.7) * Vec2d{1, 0};
    w.body(small, {0, 0}, 0, 1.5 * n);
    w.body(large, 1.605 * n, 0, -1.0 * n);
    const double m_small = w.world.types[1].mass, m_large = w.world.types[0].mass;
    w.maps(map_kind("exact"), test_pool());
    Simulation sim = w.start(steps_of(dt));
    run_until(sim, 0.1);
    EXPECT_EQ(sim.stats().contacts, 0u);
    const double mean = (1.5 * m_small - 1.0 * m_large) / (m_small + m_large);
    const double share = 2.5 * e / (m_small + m_large);
    EXPECT_NEAR(dot(sim.world().bodies.v[0], n), mean - share * m_large, 1e-3);
    EXPECT_NEAR(dot(sim.world().bodies.v[1], n), mean + share * m_small, 1e-3);
    EXPECT_NEAR(cross(sim.world().bodies.v[0], n), 0, 1e-12);
  }
}

// A box dropped on its corner: the impulse J = (1 + e) v_n / kappa acts at the corner, kappa = 1/m + (r x n)^2 / I.
TEST(Bounce, TiltedBoxOnPlaneTakesTheRigidImpulse) {
  for (const double e : restitutions) {
    Worlds w(bouncy(e, 1e6));
    const int box = w.type(make_named_shape("box", {{"width", 1.6}, {"height", 0.8}}));
    const double tilt = 0.5;
    const Vec2d corner = Rotation2d(tilt) * Vec2d{-0.8, -0.4};  // the lowest at first
    const Vec2d lower = Rotation2d(tilt) * Vec2d{0.8, -0.4};
    ASSERT_LT(corner.y, lower.y);
    w.half_plane({0, 0}, {0, 1});
    w.body(box, {0, 1e-4 - corner.y}, tilt, {0, -1}, 0);
    const double m = w.world.types[0].mass, inertia = w.world.types[0].inertia;
    w.maps(map_kind("exact"), test_pool());
    Simulation sim = w.start(steps_of(1e-6));
    while (sim.world().time < 1e-4 || sim.stats().contacts > 0) sim.step();
    const double arm = cross(corner, {0, 1});
    const double impulse = (1 + e) / (1 / m + arm * arm / inertia);
    // The box turns while it is in contact: overlap / size = 1/sqrt(1e6 kappa) ~ 1e-3.
    EXPECT_NEAR(sim.world().bodies.v[0].y, -1 + impulse / m, 5e-3);
    EXPECT_NEAR(sim.world().bodies.omega[0], impulse * arm / inertia, 5e-3);
    EXPECT_EQ(sim.world().bodies.v[0].x, 0);
  }
}

// Grains of any shape through any map: the gap's rate is reversed to -e of itself, because F acts along the gap's own
// gradient and c_n follows kappa. The rigid impulse along that gradient gives the velocities.
// "grid-minimum" is left out: its gap and its gradient are not those of one function, so it has no such law.
class BounceByMap : public ::testing::TestWithParam<std::string> {};

TEST_P(BounceByMap, GrainOnGrainReturnsEOfTheGapRate) {
  Worlds shapes(bouncy(1));
  const int hash = shapes.type(shape_for(GetParam(), "hash"), 1.0);
  const int star = shapes.type(make_named_shape("star"), 0.8);
  shapes.body(hash, {0, 0});
  shapes.body(star, {4, 0});
  shapes.maps(cheap_map(GetParam()), test_pool());
  for (const double e : restitutions) {
    SCOPED_TRACE(e);
    Worlds w = shapes;
    w.world.materials[0] = bouncy(e, 1e8);
    Bodies& b = w.world.bodies;
    b.theta = {0.3, -0.9};
    b.v = {{0.8, 0.1}, {-0.9, -0.15}};
    b.omega = {0.2, -0.4};
    b.x[1] = {1.9, 0.1};
    Simulation sim = w.start(steps_of(1e-6));
    while (sim.stats().contacts == 0 && sim.world().time < 2) {
      // Coast to the contact by larger jumps than the step: there is no force in between.
      const MapRef map = sim.world().map_of(0, 1);
      Bodies& now = sim.mutable_world().bodies;
      const double gap = map.map->query(relative_pose<double>({now.theta[0], now.x[0]}, {now.theta[1], now.x[1]})).gap;
      const double jump = gap > 1e-4 ? 0.3 * gap : 0;
      for (std::size_t k = 0; k < 2; ++k) drift(now.x[k], now.theta[k], now.v[k], now.omega[k], jump);
      sim.step();
    }
    ASSERT_EQ(sim.stats().contacts, 1u);
    const Contact first = sim.world().contacts[0];
    const auto rate = [&](const Contact& c) {
      const Bodies& now = sim.world().bodies;
      return contact_velocity(c, {now.v[c.a], now.omega[c.a]}, {now.v[c.b], now.omega[c.b]}).normal;
    };
    // Velocities before the contact, which has acted for one kick by now.
    const Vec2d v_before{0.8, 0.1};
    const ForceTables tables(sim.world());
    const double kappa = contact_kappa(first, tables.mobility(sim.world(), 0), tables.mobility(sim.world(), 1));
    const double approach = contact_velocity(first, {v_before, 0.2}, {{-0.9, -0.15}, -0.4}).normal;
    ASSERT_LT(approach, -0.2);
    while (sim.stats().contacts > 0) sim.step();
    // Largest overlap 1.7 / sqrt(k kappa) = 2e-4: the gradient turns by less than 1 % over it. The time step adds
    // omega dt = 1e-2 times the error of the first instant.
    const double tolerance = 0.01;
    record("error_at_e_" + std::to_string(e).substr(0, 3), -rate(first) / approach - e);
    EXPECT_NEAR(-rate(first) / approach, e, tolerance);
    const double impulse = -(1 + e) * approach / kappa;
    const Vec2d dv = sim.world().bodies.v[0] - v_before;
    EXPECT_LT(norm(dv + (impulse / mass_of(sim.world(), 0)) * first.gap_x), tolerance);
    EXPECT_NEAR(sim.world().bodies.omega[0] - 0.2, impulse * first.gap_theta_a / inertia_of(sim.world(), 0), tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, BounceByMap, ::testing::Values("exact", "table", "neural", "star", "clump"), kind_name);

}  // namespace
}  // namespace scree::testing
