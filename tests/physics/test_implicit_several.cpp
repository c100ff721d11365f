// Large steps of grains that touch in several places at once: stars and clumps.
#include "large_steps.hpp"

namespace scree::testing {
namespace {

struct Several {
  const char* shape;
  const char* map;
  double kept;  // of the energy of single impacts that lose none, in the mean; '#' hook, and meet in two places at once
};

class ImplicitSeveral : public ::testing::TestWithParam<Several> {
 protected:
  World poured(std::uint64_t seed, int grains) const {
    return pour(GetParam().shape, GetParam().map, 0.4, seed, grains);
  }
};

// With the two planes that tables have a pair, two of three such pours went on moving, at up to 2 radii a second.
TEST_P(ImplicitSeveral, APileComesToRestWithLittleOverlap) {
  Simulation sim(poured(11, 150), own_steps());
  double ever = 0;
  const auto deepest = [&] {
    double depth = 0;
    for (const Contact& c : sim.world().contacts) depth = std::max(depth, -c.gap / poured_radius);
    return depth;
  };
  while (sim.glance().time < 7) {
    sim.step();
    ever = std::max(ever, deepest());
  }
  EXPECT_LE(fastest_until(sim, 8), 1e-3 * poured_radius);
  EXPECT_LE(deepest(), 0.01);
  EXPECT_LE(ever, 0.04);
  ::testing::Test::RecordProperty("overlap_at_rest", std::to_string(deepest()));
  ::testing::Test::RecordProperty("overlap_ever", std::to_string(ever));
}

TEST_P(ImplicitSeveral, EnergyIsLostAndNeverMade) {
  Simulation sim(poured(12, 60), own_steps());
  EXPECT_LE(watch_energy(sim, 3).fallen, 1e-9);
}

TEST_P(ImplicitSeveral, NeitherThreadsNorAHandOverChangeABit) {
  const World world = poured(13, 60);
  Simulation whole(world, own_steps());
  for (int k = 0; k < 200; ++k) whole.step();
  EXPECT_GT(whole.stats().contacts, 60u);
  Simulation other(whole.world(), own_steps("cpu", 3));
  for (int k = 0; k < 60; ++k) whole.step(), other.step();
  EXPECT_EQ(other.state_hash(), whole.state_hash());
  for (const int threads : {2, 8}) {
    Simulation sim(world, own_steps("cpu", threads));
    for (int k = 0; k < 260; ++k) sim.step();
    EXPECT_EQ(sim.state_hash(), whole.state_hash()) << threads;
  }
}

// A world that the explicit solver has moved has contacts of its own; and the other way round.
TEST_P(ImplicitSeveral, TakesOverFromTheExplicitSolverAndBack) {
  World world = poured(14, 60);
  world.materials[0].stiffness = 1e3;
  StepSettings springs;
  springs.dt = 1e-4;
  Simulation small(world, springs);
  small.advance(8000);
  EXPECT_GT(small.stats().contacts, 20u);
  Simulation large(small.world(), own_steps());
  for (int k = 0; k < 300; ++k) large.step();
  EXPECT_LE(fastest_of(large.world()), 0.5 * poured_radius);
  Simulation again(large.world(), springs);
  ASSERT_NO_THROW(again.advance(2000));
}

// An impact that one of the links has seen is not lost where planes are chosen anew.
TEST_P(ImplicitSeveral, ASingleImpactKeepsItsEnergy) {
  Rng rng(15);
  double kept = 0;
  constexpr int impacts = 12;
  for (int n = 0; n < impacts; ++n) {
    Worlds w(rough(0, 1));
    const int type = w.type(make_named_shape(GetParam().shape), 0.5);
    w.body(type, {0, 0}, rng.uniform(-3, 3));
    w.body(type, {1.25, rng.uniform(-0.5, 0.5)}, rng.uniform(-3, 3), {-2, 0});
    w.maps(map_kind(GetParam().map), one_thread());
    StepSettings s = large_steps();
    s.dt = 0.002;
    Simulation sim = w.start(s);
    sim.prepare();
    const double before = sim.energy().kinetic;
    advance_to(sim, 1.3);
    // Of the relative motion, half of all.
    const double share = 1 - 2 * (1 - sim.energy().kinetic / before);
    EXPECT_LE(share, 1 + 1e-5);
    kept += share / impacts;
  }
  EXPECT_GE(kept, GetParam().kept);
  RecordProperty("kept", std::to_string(kept));
}

// Long ones fly past each other at less than their width, and touch nothing.
TEST(ImplicitStars, WhatDoesNotTouchIsNotPushed) {
  Worlds w(rough(0.3, 0.5));
  const int needle = w.type(make_named_shape("box", {{"width", 10}, {"height", 0.5}}), 1);
  w.body(needle, {0, 0}, 5.4394172300446, {2.488907337951524, 0.7909277031245514}, 2.8861214187769235);
  w.body(needle, {-1.1479241399, -0.310811186595}, 4.597309682381289, {1.9825435918093852, 2.3683238991715507},
         -1.3685654294032785);
  w.maps(map_kind("star"), one_thread());
  StepSettings s = large_steps();
  s.dt = 0.01;
  s.implicit.most_substeps = 1000;
  Simulation sim = w.start(s);
  sim.prepare();
  const double before = sim.energy().kinetic;
  advance_to(sim, 0.4);
  EXPECT_NEAR(sim.energy().kinetic, before, 1e-6 * before);
}

INSTANTIATE_TEST_SUITE_P(Maps, ImplicitSeveral,
                         ::testing::Values(Several{"star", "star", 0.99}, Several{"rosette", "star", 0.99},
                                           Several{"hash", "clump", 0.9}, Several{"cross", "clump", 0.99}),
                         [](const auto& of) { return std::string(of.param.shape) + "_" + of.param.map; });

}  // namespace
}  // namespace scree::testing
