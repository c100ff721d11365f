// Many worlds side by side on a GPU: each as it is alone.
#include <cstdlib>

#include "many_worlds.hpp"

namespace scree {
namespace {

StepSettings settings_here(const std::string& precision, const std::string& integrator) {
  const char* other = std::getenv("SCREE_TEST_DEVICE");
  return testing::worlds_on(other ? other : "cuda", precision, integrator);
}

class GpuWorlds : public ::testing::TestWithParam<const char*> {};

TEST_P(GpuWorlds, AreAsTheyAreAlone) {
  for (const char* precision : {"single", "double"})
    testing::expect_worlds_as_alone(settings_here(precision, GetParam()), "table", false, 300);
}

TEST_P(GpuWorlds, AreAsTheyAreAloneWithMotions) {
  testing::expect_worlds_as_alone(settings_here("single", GetParam()), "table", true, 300);
}

TEST_P(GpuWorlds, AreAsTheyAreAloneWithStars) {
  testing::expect_worlds_as_alone(settings_here("single", GetParam()), "star", false, 200);
}

TEST_P(GpuWorlds, ThatAreResetAreAsTheyAreAlone) {
  testing::expect_reset_worlds_as_alone(settings_here("single", GetParam()));
}

TEST_P(GpuWorlds, ThatAreDrivenAreAsTheyAreAlone) {
  for (const bool swings : {false, true})
    testing::expect_driven_worlds_as_alone(settings_here("single", GetParam()), swings);
}

TEST_P(GpuWorlds, KeepFaultsToThemselves) {
  testing::expect_fault_stays_in_its_world(settings_here("single", GetParam()));
}

TEST_P(GpuWorlds, FollowTheCpu) {
  testing::expect_worlds_follow_the_cpu(settings_here("double", GetParam()), 200, 1e-9);
}

TEST_P(GpuWorlds, FeelAtOnceThatTheyAreDriven) {
  testing::expect_drives_are_felt_at_once(settings_here("double", GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Integrators, GpuWorlds, ::testing::Values("symplectic-euler", "velocity-verlet"),
                         [](const auto& test) {
                           return std::string(test.param) == "velocity-verlet" ? "verlet" : "euler";
                         });

TEST(GpuWorldsRead, RowsAreThoseOfEachWorld) {
  testing::expect_rows_of_bodies(settings_here("single", "symplectic-euler"));
}

// Enough that worlds share blocks and blocks share worlds.
TEST(GpuWorldsMany, AHundredCopiesAreTheSame) {
  const StepSettings settings = settings_here("single", "symplectic-euler");
  const std::vector<World> states = testing::aged_worlds(2, settings);
  scree::Worlds worlds(states, settings, 100);
  worlds.advance(300);
  const std::uint64_t alone[] = {testing::hash_alone(states[0], settings, 300),
                                 testing::hash_alone(states[1], settings, 300)};
  for (std::size_t w = 0; w < 100; ++w) EXPECT_EQ(worlds.state_hash(w), alone[w % 2]) << w;
}

}  // namespace
}  // namespace scree
