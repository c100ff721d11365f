// Large steps come to rest: planes that lag behind the pose must not keep grains moving.
#include "large_steps.hpp"

namespace scree::testing {
namespace {

TEST(Implicit, ADiscThatSwingsInABowlComesToRest) { expect_a_swing_to_die_down("cpu"); }

TEST(Implicit, SlipperyStaplesComeToRest) {
  for (const std::uint64_t seed : {4, 5}) expect_slippery_staples_to_rest("cpu", seed);
}

}  // namespace
}  // namespace scree::testing
