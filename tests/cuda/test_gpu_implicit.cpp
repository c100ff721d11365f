// Large steps on a GPU.
#include <cstdlib>

#include "implicit_expectations.hpp"

namespace scree {
namespace {

const char* const other = std::getenv("SCREE_TEST_DEVICE");
const std::string device = other ? other : "cuda";

TEST(GpuImplicit, OneSubstepIsThatOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 1, 0.01); }
TEST(GpuImplicit, OneStepIsThatOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 8, 0.01); }
TEST(GpuImplicit, OneStepWithOnePlaneIsThatOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 8, 0.01, true); }
TEST(GpuImplicit, ImpactsAreThoseOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 8, 0.7); }
TEST(GpuImplicit, APileComesToRest) { testing::expect_a_pile_at_rest(device); }
TEST(GpuImplicit, ADiscThatSwingsInABowlComesToRest) { testing::expect_a_swing_to_die_down(device); }
TEST(GpuImplicit, SlipperyStaplesComeToRest) { testing::expect_slippery_staples_to_rest(device, 4); }
TEST(GpuImplicit, ForcesBalanceTheWeight) { testing::expect_forces_balance_the_weight(device); }
TEST(GpuImplicit, EnergyIsLostAndNeverMade) { testing::expect_no_energy_is_made(device); }
TEST(GpuImplicit, MotionPaysForWhatPlanesGive) { testing::expect_motion_to_pay_for_what_planes_give(device); }
TEST(GpuImplicit, TheLedgerChangesNothing) { testing::expect_the_ledger_to_change_nothing(device); }
TEST(GpuImplicit, ManyImpactsMakeNoEnergy) { testing::expect_impacts_make_no_energy(device); }
TEST(GpuImplicit, AnImpactKeepsTheShareOfItsSpeed) { testing::expect_an_impact_keeps_its_share(device); }
TEST(GpuImplicit, ABoxOnASlopeSticksOrSlides) { testing::expect_a_slope_holds_as_coulomb_says(device); }
TEST(GpuImplicit, AStackOfTenBoxesStands) { testing::expect_a_stack_stands(device); }
TEST(GpuImplicit, RollingFrictionHoldsADisc) { testing::expect_rolling_friction_holds(device); }
TEST(GpuImplicit, NothingPassesThrough) { testing::expect_nothing_passes_through(device); }
TEST(GpuImplicit, SubstepsGetShorterWhereSpeedsGrow) { testing::expect_shorter_substeps_where_speeds_grow(device); }
TEST(GpuImplicit, NoTimeIsLostWhereASubstepIsTakenBack) { testing::expect_no_time_to_be_lost(device); }
TEST(GpuImplicit, AChainHoldsWhereItWhips) { testing::expect_a_chain_to_hold(device); }
TEST(GpuImplicit, WallsAndGrainsThatAreDriven) { testing::expect_driven_as_on_the_cpu(device); }
TEST(GpuImplicit, GravityThatTurns) { testing::expect_gravity_turns(device); }
TEST(GpuImplicit, GrainsThatGoTakeTheirEnergyAndNoMore) { testing::expect_deletions_close_the_books(device); }
TEST(GpuImplicit, RainEventsAndDeletions) { testing::expect_rain_and_events(device); }
TEST(GpuImplicit, RainGoesOnWithTheSameBits) { testing::expect_rain_to_go_on(device); }
TEST(GpuImplicit, TheSameBitsInPiecesAndAfterARestart) { testing::expect_the_same_bits(device); }
TEST(GpuImplicit, TheWatchdogBarks) { testing::expect_the_watchdog_barks(device); }
TEST(GpuImplicit, RefusesWhatItCannotDo) { testing::expect_refusals(device); }

// Not a test: what piles cost, on a machine that has nothing but a driver. `scree bench implicit --device cuda`
// measures more. --gtest_also_run_disabled_tests --gtest_filter=*TimesOfPiles
TEST(GpuImplicit, DISABLED_TimesOfPiles) {
  const char* most = std::getenv("SCREE_TEST_GRAINS");
  for (const auto [grains, columns] : {std::array{1000, 33}, std::array{6300, 33}, std::array{100000, 524}}) {
    if (most && grains > std::atoi(most)) continue;
    testing::time_a_pile(device, grains, columns, 15);
  }
}

}  // namespace
}  // namespace scree
