// What a GPU does otherwise than a loop: items of a launch in any order and many at a time, and memory that holds
// anything at first. Stages give the same bits in each of these manners. ThreadSanitizer sees those of several threads.
#include "implicit_worlds.hpp"
#include "many_worlds.hpp"
#include "scree/cuda/serial_backend.hpp"

namespace scree {
namespace {

using gpu::SerialManner;
using testing::large_steps;
using testing::settings_on;

struct Case {
  const char* name;
  World (*world)();
  StepSettings settings;
  std::size_t steps;
};

StepSettings explicit_steps(const std::string& integrator, const std::string& precision, bool ledger) {
  StepSettings s = settings_on("serial", precision);
  s.integrator = integrator;
  s.ledger = ledger;
  return s;
}

World at_walls() {
  World world = testing::cloud({make_named_shape("cross"), make_named_shape("disc")}, false);
  world.gravity.value = {0, -9.81};
  world.walls = testing::walls_around(12);
  world.motions.push_back(testing::swing_of(0));
  return world;
}

World stars_and_clumps(const char* kind) {
  return testing::cloud({make_named_shape("cross"), make_named_shape("disc")}, true, kind, 6);
}

// A heavy grain on light ones: what planes give is given back; restitution; sides that repeat.
World impacts() {
  World world = testing::lonely_pairs(24, 0.7);
  world.step = 0, world.time = 0;
  return world;
}

World nets() {
  const std::vector<Shape> shapes{make_named_shape("cross"), make_named_shape("hash"), make_named_shape("disc")};
  return testing::cloud(shapes, true, testing::quick_net("relu-3x32"), 6);
}

World whip() { return testing::bar_and_disc(1.5); }

const Case cases[] = {
    {"rain", testing::two_rains, explicit_steps("symplectic-euler", "single", true), 240},
    {"pour", testing::pouring, explicit_steps("velocity-verlet", "single", true), 900},
    {"walls", at_walls, explicit_steps("symplectic-euler", "double", true), 300},
    {"stars", [] { return stars_and_clumps("star"); }, explicit_steps("symplectic-euler", "single", false), 300},
    {"clumps", [] { return stars_and_clumps("clump"); }, explicit_steps("velocity-verlet", "single", false), 300},
    {"nets", nets, explicit_steps("symplectic-euler", "single", false), 300},
    {"large_pour", [] { return testing::pile(true, 0.1); }, large_steps("serial"), 60},
    {"large_driven", testing::shaken, large_steps("serial"), 90},
    {"large_impacts", impacts, large_steps("serial"), 12},
    {"large_whip", whip, large_steps("serial"), 40},
    {"large_rain", testing::two_rains,
     [] {
       StepSettings s = large_steps("serial");
       s.dt = 0.005;
       return s;
     }(),
     60}};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

struct Bits {
  std::uint64_t state = 0;
  Ledger ledger;
  std::size_t contacts = 0;
  friend void PrintTo(const Bits& b, std::ostream* out) { *out << b.state << ", " << b.contacts << " contacts"; }
  bool operator==(const Bits& o) const {
    return state == o.state && contacts == o.contacts && ledger.friction == o.ledger.friction &&
           ledger.normal_damping == o.ledger.normal_damping && ledger.wall_work == o.ledger.wall_work &&
           ledger.moved == o.ledger.moved && ledger.inserted == o.ledger.inserted;
  }
};

class DeviceManner : public ::testing::TestWithParam<Case> {
 protected:
  ~DeviceManner() override { gpu::serial_manner() = {}; }
  Bits bits_in(const SerialManner& manner) const {
    gpu::serial_manner() = manner;
    Simulation sim(world_, GetParam().settings);
    sim.advance(GetParam().steps);
    const std::uint64_t state = sim.state_hash();
    return {state, sim.energy(), sim.world().contacts.size()};
  }

 private:
  const World world_ = GetParam().world();
};

TEST_P(DeviceManner, OrderDoesNotMatter) {
  const Bits usual = bits_in({});
  EXPECT_TRUE(usual.contacts > 0 || usual.ledger.normal_damping > 0) << "nothing touches";
  EXPECT_EQ(bits_in({SerialManner::Order::backward, 1, false}), usual) << "backward";
  EXPECT_EQ(bits_in({SerialManner::Order::scattered, 1, false}), usual) << "scattered";
}

TEST_P(DeviceManner, WhatFreshMemoryHoldsDoesNotMatter) {
  EXPECT_EQ(bits_in({SerialManner::Order::forward, 1, true}), bits_in({}));
}

TEST_P(DeviceManner, ThreadsOfALaunchDoNotMatter) {
  EXPECT_EQ(bits_in({SerialManner::Order::scattered, 3, false}), bits_in({}));
}

class ManyWorldsManner : public ::testing::Test {
 protected:
  ~ManyWorldsManner() override { gpu::serial_manner() = {}; }
};

TEST_F(ManyWorldsManner, IsThatOfNoneOfThem) {
  gpu::serial_manner() = {SerialManner::Order::scattered, 1, true};
  testing::expect_worlds_as_alone(testing::worlds_on("serial", "single", "symplectic-euler"), "table", true, 200);
}

TEST_F(ManyWorldsManner, ThreadsOfALaunchDoNotMatter) {
  gpu::serial_manner() = {SerialManner::Order::forward, 3, false};
  testing::expect_reset_worlds_as_alone(testing::worlds_on("serial", "single", "velocity-verlet"));
}

INSTANTIATE_TEST_SUITE_P(Scenes, DeviceManner, ::testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace scree
