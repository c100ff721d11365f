#pragma once
// Many worlds in one engine, against each of them alone: the same for the stages run on the CPU and for a GPU.
#include <limits>
#include <numeric>

#include "device_worlds.hpp"
#include "scree/step/worlds.hpp"

namespace scree::testing {

// A small cloud that falls onto walls, one of which may swing. Every number gives another one.
inline World small_world(int number, const std::string& kind = "table", bool swings = false) {
  static const World tables = cloud({make_named_shape("cross"), make_named_shape("disc")}, false, "table", 5);
  static const World stars = cloud({make_named_shape("cross"), make_named_shape("disc")}, false, "star", 5);
  World world = kind == "table" ? tables : stars;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    const double phase = static_cast<double>(k) + 3.0 * number;
    world.bodies.x[k].y -= 0.35;
    world.bodies.v[k] += Vec2d{0.4 * std::sin(phase), 0.4 * std::cos(1.7 * phase) - 2};
    world.bodies.omega[k] += std::sin(0.3 * phase);
  }
  world.walls = walls_around(5);
  world.walls[1].radius = 4.4;
  world.walls[3].pose.x = {3, -1.9};
  world.gravity.value = {0.3 * number, -9.81};
  if (swings) world.motions.push_back(swing_of(0));
  return world;
}

inline StepSettings worlds_on(const std::string& device, const std::string& precision = "single",
                              const std::string& integrator = "symplectic-euler") {
  StepSettings s = steps_of(2e-4, integrator);
  s.device = device;
  s.precision = precision;
  return s;
}

// Some that have contacts with a history, each of another age.
inline std::vector<World> aged_worlds(int count, const StepSettings& settings, const std::string& kind = "table",
                                      bool swings = false) {
  std::vector<World> states;
  for (int k = 0; k < count; ++k) {
    StepSettings on_cpu = settings;
    on_cpu.device = "cpu";
    Simulation sim(small_world(k, kind, swings), on_cpu);
    sim.advance(static_cast<std::size_t>(200 + 37 * k));
    states.push_back(sim.world());
  }
  return states;
}

inline std::uint64_t hash_alone(const World& state, const StepSettings& settings, std::size_t steps) {
  Simulation sim(state, settings);
  sim.advance(steps);
  return sim.state_hash();
}

inline std::vector<std::uint64_t> hashes(scree::Worlds& worlds) {
  std::vector<std::uint64_t> all;
  for (std::size_t w = 0; w < worlds.count(); ++w) all.push_back(worlds.state_hash(w));
  return all;
}

// Of a simulation on the same device, whoever else is there and in whatever order.
inline void expect_worlds_as_alone(const StepSettings& settings, const std::string& kind, bool swings,
                                   std::size_t steps) {
  std::vector<World> states = aged_worlds(5, settings, kind, swings);
  std::vector<std::uint64_t> alone;
  for (const World& state : states) alone.push_back(hash_alone(state, settings, steps));
  scree::Worlds worlds(states, settings, 5);
  worlds.advance(steps);
  EXPECT_EQ(hashes(worlds), alone);
  EXPECT_TRUE(worlds.faults().empty());
  EXPECT_GT(worlds.world(0).pair_contacts, 5u);
  EXPECT_GT(worlds.world(0).contacts.size(), worlds.world(0).pair_contacts);
  std::ranges::reverse(states);
  std::ranges::reverse(alone);
  scree::Worlds reversed(std::vector<World>(states.begin(), states.begin() + 2), settings, 3);
  reversed.advance(steps);
  EXPECT_EQ(hashes(reversed), (std::vector<std::uint64_t>{alone[0], alone[1], alone[0]}));
}

// One takes up another state midway, one that it had kept; the others do not notice.
inline void expect_reset_worlds_as_alone(const StepSettings& settings) {
  const std::vector<World> states = aged_worlds(4, settings);
  scree::Worlds worlds(states, settings, 4);
  worlds.advance(150);
  const std::size_t kept = worlds.keep(2);
  const std::size_t one[] = {1}, three[] = {3}, two[] = {2};
  worlds.reset(one, 3);
  worlds.reset(three, kept);
  worlds.advance(100);
  EXPECT_EQ(worlds.state_hash(0), hash_alone(states[0], settings, 250));
  EXPECT_EQ(worlds.state_hash(1), hash_alone(states[3], settings, 100));
  EXPECT_EQ(worlds.state_hash(2), hash_alone(states[2], settings, 250));
  EXPECT_EQ(worlds.state_hash(3), worlds.state_hash(2));
  EXPECT_DOUBLE_EQ(worlds.time(3), worlds.time(2));
  worlds.reset(two);
  EXPECT_EQ(worlds.state_hash(2), state_hash(states[2]));
  worlds.advance(7);
  EXPECT_EQ(worlds.state_hash(2), hash_alone(states[2], settings, 7));
  EXPECT_EQ(worlds.state_hash(1), hash_alone(states[3], settings, 107));
}

inline Drive push_of(std::size_t world) { return {.velocity = {0.2 * static_cast<double>(world), 0.3}, .omega = 0.1}; }

// Walls that are driven, gravity that is set: `single` has one world, the others many; steps in parts of any size.
inline void expect_driven_worlds_as_alone(const StepSettings& settings, bool swings) {
  const std::vector<World> states = aged_worlds(3, settings, "table", swings);
  const auto act = [&](scree::Worlds& worlds, std::size_t place, std::size_t number, int part) {
    if (part == 0) worlds.drive(place, "bar", push_of(number));
    if (part == 1) worlds.set_gravity(place, {1.0 * static_cast<double>(number), -8});
    if (part == 2)
      worlds.drive(place, "bar", {.position = Vec2d{0, 0.005}, .angle = 0.001 * static_cast<double>(number)});
  };
  scree::Worlds many(states, settings, 3), slow(states, settings, 3);
  for (int part = 0; part < 4; ++part) {
    for (std::size_t w = 0; w < 3; ++w) act(many, w, w, part), act(slow, w, w, part);
    many.advance(60);
    for (int k = 0; k < 60; k += 3) slow.advance(3);
  }
  EXPECT_EQ(hashes(many), hashes(slow));
  EXPECT_TRUE(many.faults().empty());
  for (std::size_t w = 0; w < 3; ++w) {
    scree::Worlds single({states[w]}, settings, 1);
    for (int part = 0; part < 4; ++part) act(single, 0, w, part), single.advance(60);
    EXPECT_EQ(single.state_hash(0), many.state_hash(w)) << w;
    EXPECT_NE(single.state_hash(0), hash_alone(states[w], settings, 240));
    const Wall bar = many.world(w).walls[2];
    EXPECT_EQ(bar.pose.x, (Vec2d{0, 0.005}));
    EXPECT_EQ(bar.velocity, Vec2d{});
  }
}

inline World with_fault(const std::string& fault) {
  World world = small_world(1);
  if (fault == "not finite") world.bodies.omega[7] = std::numeric_limits<double>::quiet_NaN();
  if (fault == "too fast") world.bodies.v[7] = {1e6, 0};
  if (fault == "lost") world.bounds = {{-50, -50}, {50, 50}}, world.bodies.x[7] = {49.9999, 0}, world.bodies.v[7].x = 5;
  if (fault == "overlap") world.bodies.x[7] = world.bodies.x[8] + Vec2d{0.1, 0};
  return world;
}

// The others go on as they would alone, and the one can be reset.
inline void expect_fault_stays_in_its_world(const StepSettings& settings) {
  for (const std::string fault : {"not finite", "too fast", "lost", "overlap"}) {
    SCOPED_TRACE(fault);
    World well = small_world(0), bad = with_fault(fault);
    well.bounds = bad.bounds;
    scree::Worlds worlds({well, bad, well}, settings, 3);
    worlds.advance(300);
    const std::vector<WorldFault> faults = worlds.faults();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].world, 1u);
    EXPECT_EQ(faults[0].error.kind(), ErrorKind::physics);
    const std::string text = faults[0].error.what();
    EXPECT_EQ(text.find("world 1, t = "), 0u) << text;
    EXPECT_NE(text.find(fault == "overlap" ? " overlaps " : "grain 7 "), std::string::npos) << text;
    EXPECT_LT(faults[0].step, 3u);
    EXPECT_EQ(worlds.step(1), faults[0].step);
    EXPECT_EQ(worlds.step(0), 300u);
    EXPECT_EQ(worlds.state_hash(0), worlds.state_hash(2));
    scree::Worlds without({well}, settings, 1);
    without.advance(300);
    EXPECT_EQ(worlds.state_hash(0), without.state_hash(0));
    EXPECT_THROW(worlds.keep(std::size_t{1}), Error);
    const std::size_t one[] = {1};
    worlds.reset(one, 0);
    EXPECT_TRUE(worlds.faults().empty());
    worlds.advance(300);
    EXPECT_EQ(worlds.state_hash(1), without.state_hash(0));
  }
}

// Scripts of all kinds, from the first step on, as on the CPU.
inline World scripted_world(int number) {
  World world = small_world(number, "table", true);
  world.groups.push_back("stirrers");
  for (const double x : {-0.95, 5.05}) world.add_body(1, 1, BodyKind::kinematic, {x, 1.6}, 0, {});
  Motion turn;
  turn.name = "turn";
  turn.kind = Motion::Kind::rotation;
  turn.centre = {2.05, 1.6};
  turn.omega = 0.5;
  turn.groups = {1};
  turn.start = 0.02;
  world.motions.push_back(turn);
  world.gravity.turn_rate = 0.5;
  return world;
}

inline void expect_worlds_follow_the_cpu(StepSettings settings, std::size_t steps, double tolerance) {
  std::vector<World> states;
  for (int k = 0; k < 3; ++k) states.push_back(scripted_world(k));
  scree::Worlds device(states, settings, 3);
  settings.device = "cpu";
  scree::Worlds cpu(states, settings, 3);
  for (const std::size_t part : {0, 1, 2}) {
    for (scree::Worlds* w : {&cpu, &device}) {
      if (part == 1) w->drive(1, "bar", {.velocity = {0.3, 0.2}, .omega = 0.2});
      if (part == 2) w->drive(2, "stirrers", {.velocity = {-0.5, 0.5}, .omega = 1});
      w->advance(steps);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const World a = cpu.world(k), b = device.world(k);
      EXPECT_LT(farthest_apart(a, b), tolerance) << k << " in part " << part;
      EXPECT_DOUBLE_EQ(a.time, b.time);
      EXPECT_LT(norm(a.walls[2].pose.x - b.walls[2].pose.x), 1e-14);
      EXPECT_EQ(a.contacts.size(), b.contacts.size());
    }
  }
  EXPECT_NE(device.world(1).walls[2].pose.x, Vec2d{});
  EXPECT_NE(device.world(2).bodies.x[25], device.world(1).bodies.x[25]);
}

// A grain at rest feels at once that one which touches it is driven past.
inline void expect_drives_are_felt_at_once(StepSettings settings) {
  ThreadPool pool(1);
  testing::Worlds w(sticky());
  const int disc = w.type(make_named_shape("disc"), 0.5);
  w.world.groups.push_back("hand");
  w.body(disc, {0, 0});
  w.world.add_body(disc, 1, BodyKind::kinematic, {0.99, 0}, 0, {});
  w.maps(map_kind("table"), pool);
  std::array<scree::Worlds::Row, 4> places, velocities[2];
  for (const std::size_t on_cpu : {0u, 1u}) {
    if (on_cpu) settings.device = "cpu";
    scree::Worlds worlds(w.world, settings, 2);
    worlds.advance(3);
    worlds.drive(1, "hand", {.velocity = {0, 0.5}});
    worlds.advance(1);
    worlds.read(places, velocities[on_cpu]);
  }
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(velocities[0][k][axis], velocities[1][k][axis], 1e-12);
  EXPECT_EQ(velocities[0][0][1], 0);
  EXPECT_GT(velocities[0][2][1], 1e-6);
}

inline void expect_rows_of_bodies(const StepSettings& settings) {
  scree::Worlds worlds({small_world(0), small_world(1)}, settings, 4);
  worlds.advance(50);
  const std::size_t n = worlds.bodies();
  std::vector<scree::Worlds::Row> places(4 * n), velocities(4 * n);
  worlds.read(places, velocities);
  for (std::size_t w = 0; w < 4; ++w) {
    const World world = worlds.world(w);
    for (std::size_t k = 0; k < n; ++k) {
      const auto& b = world.bodies;
      EXPECT_EQ(places[w * n + k], (scree::Worlds::Row{b.x[k].x, b.x[k].y, b.theta[k]}));
      EXPECT_EQ(velocities[w * n + k], (scree::Worlds::Row{b.v[k].x, b.v[k].y, b.omega[k]}));
    }
  }
}

}  // namespace scree::testing
