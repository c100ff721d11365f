// Large steps as stages of a device, one after the other on the CPU.
#include <set>

#include "implicit_expectations.hpp"
#include "scree/cuda/implicit_colour.hpp"
#include "scree/cuda/serial_backend.hpp"

namespace scree {
namespace {

const std::string device = "serial";

TEST(DeviceImplicit, OneSubstepIsThatOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 1, 0.01); }
TEST(DeviceImplicit, OneStepIsThatOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 8, 0.01); }
TEST(DeviceImplicit, OneStepWithOnePlaneIsThatOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 8, 0.01, true); }
TEST(DeviceImplicit, ImpactsAreThoseOfTheCpu) { testing::expect_one_step_as_the_cpu(device, 8, 0.7); }
TEST(DeviceImplicit, APileComesToRest) { testing::expect_a_pile_at_rest(device); }
TEST(DeviceImplicit, ADiscThatSwingsInABowlComesToRest) { testing::expect_a_swing_to_die_down(device); }
TEST(DeviceImplicit, SlipperyStaplesComeToRest) { testing::expect_slippery_staples_to_rest(device, 4); }
TEST(DeviceImplicit, ForcesBalanceTheWeight) { testing::expect_forces_balance_the_weight(device); }
TEST(DeviceImplicit, EnergyIsLostAndNeverMade) { testing::expect_no_energy_is_made(device); }
TEST(DeviceImplicit, MotionPaysForWhatPlanesGive) { testing::expect_motion_to_pay_for_what_planes_give(device); }
TEST(DeviceImplicit, TheLedgerChangesNothing) { testing::expect_the_ledger_to_change_nothing(device); }
TEST(DeviceImplicit, ManyImpactsMakeNoEnergy) { testing::expect_impacts_make_no_energy(device); }
TEST(DeviceImplicit, AnImpactKeepsTheShareOfItsSpeed) { testing::expect_an_impact_keeps_its_share(device); }
TEST(DeviceImplicit, ABoxOnASlopeSticksOrSlides) { testing::expect_a_slope_holds_as_coulomb_says(device); }
TEST(DeviceImplicit, AStackOfTenBoxesStands) { testing::expect_a_stack_stands(device); }
TEST(DeviceImplicit, RollingFrictionHoldsADisc) { testing::expect_rolling_friction_holds(device); }
TEST(DeviceImplicit, NothingPassesThrough) { testing::expect_nothing_passes_through(device); }
TEST(DeviceImplicit, SubstepsGetShorterWhereSpeedsGrow) { testing::expect_shorter_substeps_where_speeds_grow(device); }
TEST(DeviceImplicit, NoTimeIsLostWhereASubstepIsTakenBack) { testing::expect_no_time_to_be_lost(device); }
TEST(DeviceImplicit, AChainHoldsWhereItWhips) { testing::expect_a_chain_to_hold(device); }
TEST(DeviceImplicit, WallsAndGrainsThatAreDriven) { testing::expect_driven_as_on_the_cpu(device); }
TEST(DeviceImplicit, GravityThatTurns) { testing::expect_gravity_turns(device); }
TEST(DeviceImplicit, GrainsThatGoTakeTheirEnergyAndNoMore) { testing::expect_deletions_close_the_books(device); }
TEST(DeviceImplicit, RainEventsAndDeletions) { testing::expect_rain_and_events(device); }
TEST(DeviceImplicit, RainGoesOnWithTheSameBits) { testing::expect_rain_to_go_on(device); }
TEST(DeviceImplicit, TheSameBitsInPiecesAndAfterARestart) { testing::expect_the_same_bits(device); }
TEST(DeviceImplicit, TheWatchdogBarks) { testing::expect_the_watchdog_barks(device); }
TEST(DeviceImplicit, RefusesWhatItCannotDo) { testing::expect_refusals(device); }

// Colours of links between bodies, by number.
class Colours {
 public:
  Colours(std::size_t bodies, std::size_t fixed, const std::vector<std::array<std::uint32_t, 2>>& links)
      : moving_(bodies),
        best_(bodies),
        taken_(bodies),
        held_(links.size()),
        colour_(links.size()),
        order_(links.size()),
        place_(links.size()) {
    for (std::size_t k = bodies - fixed; k < bodies; ++k) moving_[k].kind = BodyKind::fixed;
    for (std::size_t k = 0; k < links.size(); ++k) held_[k].body = links[k][0], held_[k].other = links[k][1];
    frame.links = static_cast<std::uint32_t>(links.size());
    frame.left = 1;
    w_.control = &control_;
    w_.bodies.count = static_cast<std::uint32_t>(bodies);
    w_.bodies.moving = moving_.data();
    l_.frame = &frame;
    l_.best = best_.data(), l_.taken = taken_.data(), l_.colour = colour_.data(), l_.order = order_.data();
    l_.side[0].held = held_.data(), l_.place = place_.data();
    gpu::SerialBackend backend;
    const std::size_t n = links.size();
    backend.launch(gpu::StartColours{{w_, l_}}, n);
    backend.repeat(&frame.left, [&] {
      backend.launch(gpu::Bid{{w_, l_}}, n);
      backend.launch(gpu::Choose{{w_, l_}}, n);
      backend.launch(gpu::EndRound{w_, l_}, 1);
    });
    backend.launch(gpu::OrderColours{w_, l_}, 1);
    backend.launch(gpu::PlaceLinks{{w_, l_}}, n);
    backend.launch(gpu::OrderCrowd{w_, l_}, 1);
  }
  const std::vector<std::uint32_t>& order() const { return order_; }

  gpu::Frame frame;

 private:
  gpu::Control control_;
  std::vector<gpu::Moving<float>> moving_;
  std::vector<std::uint64_t> best_, taken_;
  std::vector<gpu::Held> held_;
  std::vector<std::uint32_t> colour_, order_, place_;
  gpu::World32 w_;
  gpu::LinksView l_;
};

TEST(DeviceColours, NoTwoLinksOfAColourMoveTheSameBody) {
  Rng rng(4);
  std::vector<std::array<std::uint32_t, 2>> links;
  for (int k = 0; k < 700; ++k) {
    const auto a = static_cast<std::uint32_t>(rng.uniform(0, 180)), b = static_cast<std::uint32_t>(rng.uniform(0, 200));
    if (a != b) links.push_back({a, b});
  }
  const Colours c(200, 20, links);
  EXPECT_EQ(std::set(c.order().begin(), c.order().end()).size(), links.size());
  for (std::size_t colour = 0; colour < c.frame.colours; ++colour) {
    std::set<std::uint32_t> used;
    for (std::uint32_t at = c.frame.colour_first[colour]; at < c.frame.colour_first[colour + 1]; ++at)
      for (const std::uint32_t body : links[c.order()[at]]) EXPECT_TRUE(body >= 180 || used.insert(body).second);
  }
  EXPECT_LT(c.frame.colours, 30u);  // seven links a body
  EXPECT_EQ(c.frame.colour_first[gpu::most_colours], links.size());
}

TEST(DeviceColours, LinksThatFindNoneComeOneByOne) {
  std::vector<std::array<std::uint32_t, 2>> links;
  for (std::uint32_t k = 1; k <= 100; ++k) links.push_back({0, k});
  const Colours c(101, 0, links);
  EXPECT_EQ(c.frame.colours, gpu::most_colours);
  EXPECT_EQ(c.frame.colour_size[gpu::most_colours], 37u);
  EXPECT_TRUE(std::is_sorted(c.order().begin() + 63, c.order().end()));
}

}  // namespace
}  // namespace scree
