#pragma once
// What must hold of large steps on a device: the same for the stages run on the CPU and for a GPU.
#include <algorithm>
#include <cstdio>
#include <numbers>

#include "device_expectations.hpp"
#include "implicit_worlds.hpp"
#include "scree/base/stopwatch.hpp"

namespace scree::testing {

// One step of `substeps` from the same state: places, velocities, and every contact with its planes and forces. The
// device asks its maps in single precision: planes are off by some 1e-6, and where a row is nearly without effect,
// velocities by what 1e-6 of a gap is in a substep.
inline void expect_one_step_as_the_cpu(const std::string& device, int substeps, double restitution,
                                       bool one_plane = false) {
  const World world = lonely_pairs(400, restitution);
  StepSettings s = large_steps("cpu");
  s.implicit.substeps = substeps;
  s.implicit.one_plane = one_plane;
  s.watchdog.enabled = false;
  Simulation cpu(world, s);
  s.device = device;
  Simulation other(world, s);
  cpu.step();
  other.step();
  EXPECT_EQ(other.stats().substeps, substeps);
  const World &a = cpu.world(), &b = other.world();
  const std::size_t most = substeps == 1 ? 4 : 20;  // of 800
  std::size_t off = 0;
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    const double way = norm(a.bodies.x[k] - b.bodies.x[k]) + std::abs(a.bodies.theta[k] - b.bodies.theta[k]);
    const double speed = norm(a.bodies.v[k] - b.bodies.v[k]) + std::abs(a.bodies.omega[k] - b.bodies.omega[k]);
    EXPECT_LT(way, 5e-3) << k;
    off += way > 2e-5 || speed > 2e-3 ? 1 : 0;
  }
  EXPECT_LE(off, most);  // where a plane passes into another, or whether they meet yet, rounding decides
  EXPECT_GT(a.contacts.size(), 40u);
  for (const Contact& c : a.contacts) {
    const auto same = [&](const Contact& d) { return c.a == d.a && c.b == d.b && c.feature == d.feature; };
    const auto d = std::ranges::find_if(b.contacts, same);
    if (c.normal_force < 1e-3) continue;  // of weights of 10: the second of two planes that are one
    if (d == b.contacts.end()) {
      ++off;
      continue;
    }
    const double planes = norm(c.gap_x - d->gap_x) + std::abs(c.gap_theta_a - d->gap_theta_a) +
                          std::abs(c.gap_theta_b - d->gap_theta_b) + norm(c.normal - d->normal) +
                          std::abs(c.arm_a - d->arm_a) + std::abs(c.arm_b - d->arm_b);
    off += planes > 1e-3 || std::abs(c.gap - d->gap) > 1e-5 ? 1 : 0;
  }
  EXPECT_LE(off, 2 * most);
}

struct Settled {
  double rest = 0, ever = 0, speed = 0, height = 0;
};

inline double rms_speed(const Bodies& b) {
  double sum = 0;
  for (const Vec2d& v : b.v) sum += norm2(v) / static_cast<double>(b.size());
  return std::sqrt(sum);
}

// Until `until`, and on to `latest` while something still slips: a bed may give way late.
inline Settled settle(World world, const std::string& device, double until, double latest, double still) {
  Simulation sim(std::move(world), large_steps(device));
  Settled s;
  const auto goes_on = [&](double t) {
    return t < until - 1e-9 || (t < latest && rms_speed(sim.world().bodies) > still);
  };
  for (double t = 0; goes_on(t); t += 0.1) {
    advance_to(sim, t + 0.1);
    for (const Contact& c : sim.world().contacts) s.ever = std::max(s.ever, -c.gap);
  }
  const Bodies& b = sim.world().bodies;
  for (const Contact& c : sim.world().contacts) s.rest = std::max(s.rest, -c.gap);
  for (std::size_t k = 0; k < b.size(); ++k) s.height += b.x[k].y / static_cast<double>(b.size());
  s.speed = rms_speed(b);
  return s;
}

// A bed of 150 is higher or lower by 2 % with another seed.
inline void expect_a_pile_at_rest(const std::string& device) {
  const World world = pile(false);
  constexpr double still = 0.03;
  const Settled cpu = settle(world, "cpu", 8, 20, still), other = settle(world, device, 8, 20, still);
  EXPECT_LE(other.rest, 0.01);
  EXPECT_LE(other.ever, 0.04);
  EXPECT_LE(other.speed, still);
  // Two piles: from pour to pour heights have a standard deviation of 1.5 %, and the largest difference seen was 5.8 %.
  EXPECT_NEAR(other.height, cpu.height, 0.08 * cpu.height);
}

inline void expect_forces_balance_the_weight(const std::string& device) {
  Simulation sim(pile(true), large_steps(device));
  advance_to(sim, 8);
  double weight = 0, floor = 0;
  for (const std::uint16_t type : sim.world().bodies.type) weight += 9.81 * sim.world().types[type].mass;
  for (int k = 0; k < 60; ++k) {
    sim.step();
    for (const Contact& c : sim.world().contacts) {
      if (c.a == no_body) floor += (c.normal_force * c.gap_x + c.tangential_force * perp(c.normal)).y / 60;
    }
  }
  EXPECT_NEAR(floor, weight, 0.01 * weight);
}

inline void expect_no_energy_is_made(const std::string& device) {
  Simulation sim(pile(true), large_steps(device));
  EXPECT_LE(watch_energy(sim, 6).fallen, 1e-9);
  EXPECT_GT(sim.energy().normal_damping, 0);
  EXPECT_GT(sim.energy().friction, 0);
}

// Without it the first falls by 0.007.
inline void expect_motion_to_pay_for_what_planes_give(const std::string& device) {
  for (const TwoGrains& c :
       {TwoGrains{"hash", 1000, 0.4, 0.01, 1.0 / 60, 4.3}, TwoGrains{"hash", 800, 0.4, 0.01, 1e-3, 4.3},
        TwoGrains{"hash", 1, 0.4, 0.01, 1e-3, 3.2}, TwoGrains{"box", 1, 2, 0.2, 1.0 / 60, 4}})
    EXPECT_LE(watch_two_grains(c, device).fallen, 1e-9) << c.shape << " " << c.density << " " << c.dt;
}

inline void expect_the_ledger_to_change_nothing(const std::string& device) {
  StepSettings without = large_steps(device);
  without.ledger = false;
  Simulation sim(pile(true), large_steps(device)), unseen(pile(true), without);
  advance_to(sim, 3), advance_to(unseen, 3);
  EXPECT_EQ(sim.state_hash(), unseen.state_hash());
}

// Grains that bounce about: each impact may keep all of the energy, and many happen at once.
inline void expect_impacts_make_no_energy(const std::string& device) {
  Worlds w(rough(0, 1));
  const int hash = w.type(make_named_shape("hash"), 1);
  for (const Vec2d n : {Vec2d{1, 0}, Vec2d{0, 1}}) w.half_plane({0, 0}, n), w.half_plane({12, 12}, -n);
  Rng rng(6);
  for (int k = 0; k < 20; ++k) {
    const double angle = rng.uniform(-3, 3), vx = rng.uniform(-5, 5), vy = rng.uniform(-5, 5);
    w.body(hash, {1.2 + 2.3 * (k % 5), 1.2 + 2.3 * (k / 5)}, angle, {vx, vy});
  }
  w.maps(map_kind("table"), one_thread());
  Simulation sim = w.start(large_steps(device));
  const double first = sim.energy().kinetic;
  double before = first;
  while (sim.glance().time < 3) {
    sim.step();
    const double now = sim.energy().kinetic;
    EXPECT_LE(now, before * (1 + 1e-3)) << sim.glance().time;
    before = now;
  }
  EXPECT_GT(before, 0.03 * first);
}

inline void expect_an_impact_keeps_its_share(const std::string& device) {
  for (const double e : {1.0, 0.8, 0.3}) {
    Worlds w(rough(0, e));
    const int small = w.type(make_disc("small", 0.6)), large = w.type(make_disc("large", 1));
    w.body(small, {-2, 0}, 0, {5, 0});
    w.body(large, {2, 0}, 0, {-3, 0});
    w.maps(map_kind("table"), one_thread());
    Simulation sim = w.start(large_steps(device));
    advance_to(sim, 1);
    const Bodies& b = sim.world().bodies;
    EXPECT_NEAR(b.v[1].x - b.v[0].x, 8 * e, 0.01 * 8) << e;
  }
}

// tan 16 deg = 0.2867. On a wall, for what drives the box is less than what the normals of a table are off by.
inline void expect_a_slope_holds_as_coulomb_says(const std::string& device) {
  for (const double mu : {0.28, 0.30, 0.32}) {
    Worlds w(rough(mu));
    const int block = w.type(make_named_shape("box", {{"width", 1}, {"height", 0.5}}));
    const double slope = 16 * std::numbers::pi / 180;
    w.half_plane({0, 0}, {0, 1});
    w.body(block, {-2, 0.25});
    w.world.gravity.value = {0, -9.81 * std::cos(slope)};
    Event tilt;
    tilt.time = 0.5;
    tilt.action = Event::Action::set_gravity;
    tilt.gravity = {9.81 * std::sin(slope), -9.81 * std::cos(slope)};
    w.world.events = {tilt};
    w.maps(map_kind("table"), one_thread());
    Simulation sim = w.start(large_steps(device));
    advance_to(sim, 2.5);
    const double slid = sim.world().bodies.x[0].x + 2;
    const double coulomb = std::max(0.0, 0.5 * 9.81 * (std::sin(slope) - mu * std::cos(slope)) * 4);
    EXPECT_NEAR(slid, coulomb, coulomb > 0 ? 0.05 * coulomb : 1e-3) << mu;
  }
}

inline void expect_a_stack_stands(const std::string& device) {
  Worlds w(rough(0.4));
  const int box = w.type(make_named_shape("box", {{"width", 1}, {"height", 1}}));
  w.half_plane({0, 0}, {0, 1});
  w.world.gravity.value = {0, -9.81};
  for (int k = 0; k < 10; ++k) w.body(box, {0, k + 0.5});
  w.maps(map_kind("table"), one_thread());
  Simulation sim = w.start(large_steps(device));
  advance_to(sim, 2);  // it leans a little, and comes back
  const std::vector<Vec2d> settled = sim.world().bodies.x;
  advance_to(sim, 10);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_LE(norm(sim.world().bodies.x[k] - settled[k]), 1e-3) << k;
}

// A disc on a slope of tan < mu_r stays, one on a steeper slope rolls.
inline void expect_rolling_friction_holds(const std::string& device) {
  for (const double slope : {0.08, 0.15}) {
    Material m = rough(0.5);
    m.rolling_friction = 0.1;
    Worlds w(m);
    const int disc = w.type(make_disc("disc", 0.6));
    w.half_plane({0, 0}, {0, 1});
    w.body(disc, {0, 0.6});
    w.world.gravity.value = {9.81 * std::sin(slope), -9.81 * std::cos(slope)};
    w.maps(map_kind("table"), one_thread());
    Simulation sim = w.start(large_steps(device));
    advance_to(sim, 2);
    const double rolled = sim.world().bodies.x[0].x;
    EXPECT_TRUE(slope < 0.1 ? std::abs(rolled) < 1e-2 : rolled > 0.3) << rolled;
  }
}

// Two clouds at 100 radii a second: each grain stays on its side of those it meets.
inline void expect_nothing_passes_through(const std::string& device) {
  Worlds w(rough(0.2));
  const int hash = w.type(make_named_shape("hash"), 1);
  Rng rng(2);
  for (int k = 0; k < 40; ++k)
    w.body(hash, {2.02 * (k % 20), 1.9 * (k / 20)}, 0.25 * std::numbers::pi, {}, 0, BodyKind::fixed);
  for (int k = 0; k < 60; ++k) {
    const double angle = rng.uniform(-3, 3), spin = rng.uniform(-5, 5);
    w.body(hash, {1 + 1.85 * (k % 20), 6 + 3.0 * (k / 20)}, angle, {0, -100}, spin);
  }
  w.maps(map_kind("table"), one_thread());
  w.half_plane({-2, 0}, {1, 0});
  w.half_plane({41, 0}, {-1, 0});
  StepSettings s = large_steps(device);
  s.implicit.most_substeps = 128;
  Simulation sim = w.start(s);
  double ever = 0;
  while (sim.glance().time < 0.5) {
    sim.step();
    ever = std::max(ever, sim.stats().deepest_overlap);
  }
  for (std::size_t k = 40; k < 100; ++k) EXPECT_GT(sim.world().bodies.x[k].y, 0.5) << k;
  EXPECT_LT(ever, 0.3);  // of the bars
}

// As on the CPU, which does the first step.
inline void expect_shorter_substeps_where_speeds_grow(const std::string& device) {
  const World world = bar_and_disc(1.5);
  Simulation cpu(world, large_steps("cpu")), other(world, large_steps(device));
  for (int k = 0; k < 4; ++k) {
    cpu.step(), other.step();
    EXPECT_EQ(other.stats().substeps, cpu.stats().substeps) << k;
    EXPECT_EQ(other.stats().substeps > 23, k > 0) << k;  // that the disc asks for
    const Bodies &a = cpu.world().bodies, &b = other.world().bodies;
    for (std::size_t q = 0; q < 2; ++q) {
      EXPECT_LT(norm(a.x[q] - b.x[q]) + std::abs(a.theta[q] - b.theta[q]), 1e-4) << k;
      EXPECT_LT(norm(a.v[q] - b.v[q]) + std::abs(a.omega[q] - b.omega[q]), 0.05) << k;
    }
  }
}

// The joints of a chain that comes down upon its foot, and whips, hold.
inline void expect_a_chain_to_hold(const std::string& device) {
  StepSettings s = large_steps(device);
  s.implicit.most_substeps = 512;
  Simulation sim(chain(Drop::standing, 60), s);
  Joints joints(sim.world());
  while (sim.glance().time < 7) {
    sim.step();
    joints.look(sim.world());
  }
  expect_whole(joints, sim.world());
}

// Until impacts have driven the runs apart, that is at first; then the books.
inline void expect_driven_as_on_the_cpu(const std::string& device) {
  const World world = shaken();
  Simulation cpu(world, large_steps("cpu")), other(world, large_steps(device));
  cpu.advance(25), other.advance(25);
  for (std::size_t k = 0; k < world.bodies.size(); ++k)
    EXPECT_LT(norm(cpu.world().separation(cpu.world().bodies.x[k], other.world().bodies.x[k])), 0.02) << k;
  for (std::size_t q = 0; q < 2; ++q)
    EXPECT_LT(norm(cpu.world().walls[q].pose.x - other.world().walls[q].pose.x), 1e-12);
  advance_to(cpu, 2.5), advance_to(other, 2.5);
  const Ledger a = cpu.energy(), b = other.energy();
  EXPECT_LE(std::abs(b.relative_residual()), 1e-9);
  EXPECT_GT(b.wall_work, 0.5 * a.wall_work);
  EXPECT_LT(b.wall_work, 2 * a.wall_work);
}

inline void expect_gravity_turns(const std::string& device) {
  World world = pile(true);
  world.gravity.turn_rate = 0.5;
  const double turned = 2;
  Simulation cpu(world, large_steps("cpu")), other(world, large_steps(device));
  advance_to(cpu, turned), advance_to(other, turned);
  const Ledger a = cpu.energy(), b = other.energy();
  EXPECT_LE(std::abs(b.relative_residual()), 1e-9);
  EXPECT_NEAR(b.gravity_work, a.gravity_work, 0.05 * std::abs(a.gravity_work));
}

inline void expect_deletions_close_the_books(const std::string& device) {
  for (const double turning : {0.0, 0.3}) {
    World world = pile(true);
    world.gravity.turn_rate = turning;
    world.deletion_zones.push_back({"drain", {{0, 0}, {4, 3}}, false, 0});
    Simulation sim(std::move(world), large_steps(device));
    advance_to(sim, 4);
    EXPECT_GT(sim.world().deletion_zones[0].deleted, 3u);
    EXPECT_LE(std::abs(sim.energy().relative_residual()), 1e-9) << turning;
  }
}

// Events are the CPU's; between them it is the device's turn.
inline void expect_rain_and_events(const std::string& device) {
  World world = pouring();
  world.insertions[0].count = 25, world.insertions[0].rate = 40;
  StepSettings s = large_steps(device);
  s.dt = 0.005;
  Simulation whole(world, s), steps(world, s);
  whole.advance(300);
  for (int k = 0; k < 300; ++k) steps.step();
  EXPECT_EQ(steps.state_hash(), whole.state_hash());
  EXPECT_GT(whole.world().deletion_zones[0].deleted, 3u);
  EXPECT_GT(whole.world().bodies.size(), 20u);
  EXPECT_LE(std::abs(whole.energy().relative_residual()), 1e-11);  // only sums are rounded
}

inline void expect_rain_to_go_on(const std::string& device) {
  StepSettings s = large_steps(device);
  s.dt = 0.005;
  expect_rain_to_go_on_with_the_same_bits(device, s, 40);
}

inline void expect_the_same_bits(const std::string& device) {
  for (const World& world : {pile(true, 0.1), shaken()}) {
    Simulation whole(world, large_steps(device)), piecewise(world, large_steps(device));
    whole.advance(150);
    for (int k = 0; k < 90; ++k) piecewise.step();
    Simulation restarted(piecewise.world(), large_steps(device));
    restarted.advance(60);
    for (int k = 0; k < 20; ++k) piecewise.advance(3);
    EXPECT_EQ(piecewise.state_hash(), whole.state_hash());
    EXPECT_EQ(restarted.state_hash(), whole.state_hash());
    EXPECT_EQ(restarted.energy().normal_damping, whole.energy().normal_damping);
    EXPECT_EQ(restarted.energy().relative_residual(), whole.energy().relative_residual());
    EXPECT_EQ(piecewise.energy().friction, whole.energy().friction);
    EXPECT_GT(whole.world().contacts.size(), 10u);
  }
}

inline void expect_the_watchdog_barks(const std::string& device) {
  const auto message = [&](double speed, double floor) {
    Worlds w(rough(0.4));
    const int hash = w.type(make_named_shape("hash"), 1);
    w.half_plane({0, floor}, {0, 1});
    w.body(hash, {0, 3}, 0, {0, -speed});
    w.world.gravity.value = {0, -9.81};
    w.world.bounds = {{-50, -200}, {50, 200}};
    w.maps(map_kind("table"), one_thread());
    StepSettings s = large_steps(device);
    s.implicit.most_substeps = 16;
    Simulation sim = w.start(s);
    try {
      sim.advance(1200);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::physics);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(1, 0), "");
  EXPECT_NE(message(1, -150).find("most_substeps"), std::string::npos);  // it falls for long
  EXPECT_NE(message(1, -150).find("grain 0"), std::string::npos);
  EXPECT_NE(message(1, -1e6).find("grain 0"), std::string::npos);
}

// '#' of circumradius 1 fall into a box, `columns` of them side by side, and lie there: one line of figures.
inline void time_a_pile(const std::string& device, int grains, int columns, double until) {
  Worlds w(rough(0.4));
  const int hash = w.type(make_named_shape("hash"), 1);
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({2.1 * columns + 0.7, 0}, {-1, 0});
  w.world.gravity.value = {0, -9.81};
  Rng rng(5);
  for (int k = 0; k < grains; ++k) {
    const double angle = rng.uniform(-3, 3);
    w.body(hash, {1.2 + 2.1 * (k % columns), 1.2 + 2.1 * (k / columns)}, angle);
  }
  ThreadPool pool;
  MapSettings maps = map_kind("table");
  maps.nodes = 160, maps.theta_nodes = 80;
  w.maps(maps, pool);
  Simulation sim = w.start(large_steps(device));
  sim.advance(2);
  Stopwatch watch;
  advance_to(sim, until);
  const double pour = watch.lap() / until;
  sim.world();
  watch.lap();
  sim.advance(120);
  const double rest = watch.lap() / 2;
  double deepest = 0, squares = 0;
  for (const Contact& c : sim.world().contacts) deepest = std::max(deepest, -c.gap);
  for (const Vec2d v : sim.world().bodies.v) squares += norm2(v);
  std::printf(
      "%d grains: %.4g s a simulated second in the pour, %.4g at rest (%.3g times real time), %d substeps, "
      "overlap %.4f, rms speed %.5f, %zu contacts, %zu pairs\n",
      grains, pour, rest, 1 / rest, sim.stats().substeps, deepest, std::sqrt(squares / grains),
      sim.world().contacts.size(), sim.stats().pairs);
  std::fflush(stdout);
}

inline void expect_refusals(const std::string& device) {
  StepSettings s = large_steps(device);
  s.implicit.sleep = 0.5;
  EXPECT_THROW(Simulation(pile(true), s), Error);
  s = large_steps(device);
  s.precision = "double";
  EXPECT_THROW(Simulation(pile(true), s), Error);
  Worlds w(rough(0.4));
  w.body(w.type(make_named_shape("cross"), 1), {0, 0});
  w.maps(map_kind("star"), one_thread());
  EXPECT_THROW(Simulation(w.world, large_steps(device)), Error);
}

}  // namespace scree::testing
