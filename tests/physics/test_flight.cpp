// Motion between contacts, and the order of both integrators.
#include "physics.hpp"

namespace scree::testing {
namespace {

Worlds one_disc(double stiffness = 1) {
  Worlds w(elastic_material(stiffness));
  w.type(make_disc("disc", 0.7));
  return w;
}

struct Flight {
  Vec2d x, v;
  double theta, omega;
};

constexpr Vec2d start_x{0.3, -0.8};
constexpr Vec2d start_v{1.7, 4.1};
constexpr double start_spin = -2.3;

Flight fly(const std::string& integrator, double dt, int steps) {
  Worlds w = one_disc();
  w.body(0, start_x, 0.4, start_v, start_spin);
  w.world.gravity.value = {0.9, -9.81};
  w.maps(map_kind("exact"), test_pool());
  Simulation sim = w.start(steps_of(dt, integrator));
  for (int k = 0; k < steps; ++k) sim.step();
  const Bodies& b = sim.world().bodies;
  return {b.x[0], b.v[0], b.theta[0], b.omega[0]};
}

// Rounding: a thousand additions of numbers of order 10.
constexpr double rounding = 1e-12;

// Symplectic Euler in a constant field: v_n = v_0 + n dt g, x_n = x_0 + n dt v_0 + n (n + 1)/2 dt^2 g.
// Velocity Verlet: the same v_n, and the exact parabola x_n = x_0 + n dt v_0 + n^2/2 dt^2 g.
TEST(Flight, MatchesTheDiscreteSolution) {
  const double dt = 1e-3;
  const int n = 1000;
  const Vec2d g{0.9, -9.81};
  for (const std::string& name : integrator_names()) {
    SCOPED_TRACE(name);
    const double squares = name == "velocity-verlet" ? 0.5 * n * n : 0.5 * n * (n + 1.0);
    const Flight f = fly(name, dt, n);
    const Vec2d x = start_x + (n * dt) * start_v + (squares * dt * dt) * g;
    EXPECT_LT(norm(f.x - x), 10 * rounding);
    EXPECT_LT(norm(f.v - start_v - (n * dt) * g), 10 * rounding);
    EXPECT_NEAR(f.theta, 0.4 + n * dt * start_spin, 10 * rounding);
    EXPECT_EQ(f.omega, start_spin);
  }
}

// Without gravity nothing may change the velocity, not even a bit, and a periodic cell only relabels the position.
TEST(Flight, PeriodicCellOnlyWraps) {
  Worlds w = one_disc();
  w.body(0, {0.5, 0.5}, 0, {3.25, -1.5}, 0);
  w.world.periodic = {true, true, {{0, 0}, {4, 3}}};
  w.maps(map_kind("exact"), test_pool());
  Simulation sim = w.start(steps_of(0x1.0p-7));
  for (int k = 0; k < 1280; ++k) sim.step();
  const World& end = sim.world();
  EXPECT_EQ(end.bodies.v[0], (Vec2d{3.25, -1.5}));
  EXPECT_EQ(end.unwrapped(0), (Vec2d{0.5 + 32.5, 0.5 - 15.0}));  // all numbers are dyadic: no rounding
  EXPECT_TRUE(end.periodic.box.contains(end.bodies.x[0]));
}

// A disc that rests on a plane and was pushed: y - y_rest = A cos(w t) as long as it touches, w^2 = k/m.
struct Oscillation {
  double omega = 0;
  double offset = 0;  // y - y_rest at the end
};

Oscillation oscillate(const std::string& integrator, double dt, int steps, double amplitude) {
  const double k = 500;
  Worlds w = one_disc(k);
  const double m = w.world.types[0].mass;
  const double rest = 0.7 - m * 10 / k;
  w.half_plane({0, 0}, {0, 1});
  w.body(0, {0, rest + amplitude});
  w.world.gravity.value = {0, -10};
  w.maps(map_kind("exact"), test_pool());
  Simulation sim = w.start(steps_of(dt, integrator));
  for (int n = 0; n < steps; ++n) sim.step();
  return {std::sqrt(k / m), sim.world().bodies.x[0].y - rest};
}

// Both integrators obey x_{n+1} - 2 x_n + x_{n-1} = -(w dt)^2 x_n, so x_n = A cos(n p) + B sin(n p) with
// 2 cos p = 2 - (w dt)^2. From rest, Verlet starts with x_1 = (1 - (w dt)^2/2) A, Euler with (1 - (w dt)^2) A.
TEST(Flight, OscillatesAsTheDiscreteSpring) {
  const double dt = 4e-3, amplitude = 0.01;
  const int n = 700;
  for (const std::string& name : integrator_names()) {
    SCOPED_TRACE(name);
    const Oscillation o = oscillate(name, dt, n, amplitude);
    const double h2 = o.omega * o.omega * dt * dt;
    const double p = std::acos(1 - 0.5 * h2);
    const double first = name == "velocity-verlet" ? 1 - 0.5 * h2 : 1 - h2;
    const double b = (first - std::cos(p)) / std::sin(p);
    const double expected = amplitude * (std::cos(n * p) + b * std::sin(n * p));
    EXPECT_NEAR(o.offset, expected, 1e-11 * amplitude * n);  // rounding of y ~ 0.7 in each of n steps
  }
}

TEST(Flight, EulerIsOfOrderOneVerletOfOrderTwo) {
  const double time = 0.5, amplitude = 0.01;
  for (const std::string& name : integrator_names()) {
    SCOPED_TRACE(name);
    std::vector<double> errors;
    for (const int steps : {200, 400, 800, 1600}) {
      const Oscillation o = oscillate(name, time / steps, steps, amplitude);
      errors.push_back(std::abs(o.offset - amplitude * std::cos(o.omega * time)));
    }
    const double order = name == "velocity-verlet" ? 2 : 1;
    for (std::size_t i = 1; i < errors.size(); ++i)
      EXPECT_NEAR(order_of(errors[i - 1], errors[i]), order, 0.05) << "halving number " << i;
  }
}

// Two # that start overlapped, all three freedoms coupled through the gradient of a C2 table: a smooth problem as long
// as they touch, so the orders must show in the full state. Reference: Verlet at a much smaller step.
TEST(Flight, OrdersHoldForTwoHashesThroughATable) {
  const double time = 0.06;
  const auto run = [&](const std::string& integrator, int steps) {
    Worlds w(elastic_material(400));
    const int hash = w.type(make_named_shape("hash"), 1);
    w.body(hash, {0, 0}, 0.2);
    w.body(hash, {1.62, 0.35}, -0.3);
    static const MapNeed need = needed_maps(w.world).front();
    static const std::shared_ptr<const ContactMap> map =
        build_map({w.world.shapes[0].get(), w.world.shapes[0].get(), 1}, cheap_map("table"), test_pool());
    assign_map(w.world, need, map);
    Simulation sim = w.start(steps_of(time / steps, integrator));
    for (int k = 0; k < steps; ++k) {
      sim.step();
      EXPECT_EQ(sim.stats().contacts, 1u);
    }
    const Bodies& b = sim.world().bodies;
    return std::vector<double>{b.x[0].x, b.x[0].y, b.theta[0], b.x[1].x, b.x[1].y, b.theta[1]};
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
  };
  const std::vector<double> reference = run("velocity-verlet", 6400);
  for (const std::string& name : integrator_names()) {
    SCOPED_TRACE(name);
    const double coarse = distance(run(name, 50), reference);
    const double fine = distance(run(name, 100), reference);
    record("order_" + name, order_of(coarse, fine));
    EXPECT_NEAR(order_of(coarse, fine), name == "velocity-verlet" ? 2 : 1, 0.1);
  }
}

}  // namespace
}  // namespace scree::testing
