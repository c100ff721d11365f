// Large steps of grains that touch in several places at once: stars and clumps.
#include "large_steps.hpp"

namespace scree::testing {
namespace {

struct Several {
  const char* shape;
  const char* map;
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

INSTANTIATE_TEST_SUITE_P(Maps, ImplicitSeveral,
                         ::testing::Values(Several{"star", "star"}, Several{"rosette", "star"},
                                           Several{"hash", "clump"}, Several{"cross", "clump"}),
                         [](const auto& of) { return std::string(of.param.shape) + "_" + of.param.map; });

}  // namespace
}  // namespace scree::testing
