// Large steps: what must hold of the implicit solver whatever its parameters.
#include "large_steps.hpp"
#include "physics.hpp"
#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree::testing {
namespace {

TEST(Implicit, AStackOfTenBoxesStands) {
  Worlds w(rough(0.4));
  const int box = w.type(make_named_shape("box", {{"width", 1}, {"height", 1}}));
  w.half_plane({0, 0}, {0, 1});
  w.world.gravity.value = {0, -9.81};
  for (int k = 0; k < 10; ++k) w.body(box, {0, k + 0.5});
  w.maps(map_kind("table"), test_pool());
  Simulation sim = w.start(large_steps());
  advance_to(sim, 1);  // boxes that touch are held apart by a thousandth
  const std::vector<Vec2d> settled = sim.world().bodies.x;
  advance_to(sim, 11);
  double drift = 0;
  for (std::size_t k = 0; k < 10; ++k) drift = std::max(drift, norm(sim.world().bodies.x[k] - settled[k]));
  EXPECT_LE(drift, 1e-4);
  record("drift", drift);
}

// Flat faces rest on both ends, or, as by the explicit law, on one point in between.
TEST(Implicit, FacesTouchInTwoPlacesOrInOne) {
  for (const bool one_plane : {false, true}) {
    Worlds w(rough(0.4));
    const int box = w.type(make_named_shape("box", {{"width", 1}, {"height", 0.5}}));
    w.body(box, {0, 0}, 0, {}, 0, BodyKind::fixed);
    w.body(box, {0.1, 0.5});
    w.world.gravity.value = {0, -9.81};
    w.maps(map_kind("table"), test_pool());
    StepSettings s = large_steps();
    s.implicit.one_plane = one_plane;
    Simulation sim = w.start(s);
    advance_to(sim, 2);
    EXPECT_NEAR(sim.world().bodies.x[1].y, 0.5, 0.01);
    ASSERT_EQ(sim.world().contacts.size(), one_plane ? 1u : 2u);
    if (one_plane) continue;  // on one point it rocks, and weighs now more, now less
    const double held = sim.world().contacts[0].normal_force + sim.world().contacts[1].normal_force;
    EXPECT_NEAR(held, 9.81 * sim.world().types[0].mass, 1e-3 * held);
  }
}

// tan 16 deg = 0.2867.
TEST(Implicit, ABoxOnASlopeSticksOrSlidesAsCoulombSays) {
  for (const double mu : {0.28, 0.30, 0.32}) {
    Worlds w(rough(mu));
    const int block = w.type(make_named_shape("box", {{"width", 1}, {"height", 0.5}}));
    const int ramp = w.type(make_named_shape("box", {{"width", 8}, {"height", 1}}));
    const double slope = 16 * pi / 180;
    w.body(ramp, {0, -0.5}, 0, {}, 0, BodyKind::fixed);
    w.body(block, {-2, 0.25});
    w.world.gravity.value = {0, -9.81 * std::cos(slope)};
    Event tilt;
    tilt.time = 0.5;
    tilt.action = Event::Action::set_gravity;
    tilt.gravity = {9.81 * std::sin(slope), -9.81 * std::cos(slope)};
    w.world.events = {tilt};
    // What drives it is a hundredth of its weight, less than what the normals of a table are off by.
    MapSettings exact = map_kind("exact");
    exact.epsilon = 1e-3;
    w.maps(exact, test_pool());
    Simulation sim = w.start(large_steps());
    advance_to(sim, 2.5);
    const double slid = sim.world().bodies.x[1].x + 2;
    const double coulomb = std::max(0.0, 0.5 * 9.81 * (std::sin(slope) - mu * std::cos(slope)) * 4);
    EXPECT_NEAR(slid, coulomb, coulomb > 0 ? 0.05 * coulomb : 1e-3) << mu;
    record("slid", slid);
  }
}

// Free flight has nothing to solve: parabola, momentum, spin.
TEST(Implicit, FlightIsAParabola) {
  Worlds w(rough(0.4));
  const int hash = w.type(make_named_shape("hash"), 1);
  w.body(hash, {0, 100}, 0.3, {5, 2}, 1.5);
  w.world.gravity.value = {0, -9.81};
  w.maps(cheap_map("table"), test_pool());
  Simulation sim = w.start(large_steps());
  advance_to(sim, 1);
  const Bodies& b = sim.world().bodies;
  EXPECT_NEAR(b.x[0].x, 5, 1e-5);
  EXPECT_NEAR(b.x[0].y, 100 + 2 - 0.5 * 9.81, 0.5 * 9.81 / 60);  // first order in the substep
  EXPECT_NEAR(b.theta[0], 1.8, 1e-6);
  EXPECT_NEAR(b.v[0].y, 2 - 9.81, 1e-4);
}

TEST(Implicit, APileComesToRestWithLittleOverlap) {
  Simulation sim(pile(false), large_steps());
  double ever = 0;
  while (sim.world().time < 8) {
    sim.step();
    for (const Contact& c : sim.world().contacts) ever = std::max(ever, -c.gap);
  }
  double rest = 0, squares = 0;
  for (const Contact& c : sim.world().contacts) rest = std::max(rest, -c.gap);
  for (const Vec2d v : sim.world().bodies.v) squares += norm2(v);
  EXPECT_LE(rest, 0.01);
  EXPECT_LE(ever, 0.04);
  EXPECT_LE(std::sqrt(squares / 150), 0.03);  // one grain of them that rocks
  record("overlap_at_rest", rest);
  record("overlap_ever", ever);
  record("rms_speed", std::sqrt(squares / 150));
}

// The forces carry the weight: the floor bears all of it, in the mean over a second in which some grain may still rock.
TEST(Implicit, ContactForcesBalanceTheWeight) {
  Simulation sim(pile(true), large_steps());
  advance_to(sim, 8);
  double weight = 0, floor = 0;
  const World& w = sim.world();
  for (const std::uint16_t type : w.bodies.type) weight += 9.81 * w.types[type].mass;
  for (int k = 0; k < 60; ++k) {
    sim.step();
    for (const Contact& c : w.contacts) {
      if (c.a == no_body) floor += (c.normal_force * c.gap_x + c.tangential_force * perp(c.normal)).y / 60;
    }
  }
  EXPECT_NEAR(floor, weight, 0.01 * weight);
}

// Grains of a ring that turns do not meet each other, however fast it is; what lies within is out of their reach.
TEST(Implicit, AFastRingOfDrivenGrainsMeetsNothing) {
  Worlds w(rough(0.4));
  const int disc = w.type(make_disc("disc", 1));
  w.world.groups = {"ring"};
  constexpr int grains = 40;
  for (int k = 0; k < grains; ++k) {
    w.body(disc, Rotation2d(2 * pi * k / grains) * Vec2d{20, 0}, 0, {}, 0, BodyKind::kinematic);
    w.world.bodies.group.back() = 0;
  }
  w.body(disc, {0, 0});
  Motion turn;
  turn.kind = Motion::Kind::rotation;
  turn.groups = {0};
  turn.omega = 10;
  w.world.motions = {turn};
  w.maps(map_kind("table"), test_pool());
  Simulation sim = w.start(large_steps());
  ASSERT_NO_THROW(advance_to(sim, 0.5));
  EXPECT_NEAR(norm(sim.world().bodies.v[0]), 200, 1);
  EXPECT_EQ(sim.world().bodies.x.back(), (Vec2d{0, 0}));
}

// Where next to nothing rubs, planes that lag behind would keep it moving.
TEST(Implicit, ASlipperyPileComesToRest) {
  World world = pile(false);
  world.materials[0].friction = 0.05;
  Simulation sim(std::move(world), large_steps());
  advance_to(sim, 16);
  double fastest = 0;
  for (const Vec2d v : sim.world().bodies.v) fastest = std::max(fastest, norm(v));
  EXPECT_LE(fastest, 1e-3);
  record("fastest", fastest);
}

TEST(Implicit, AnImpactKeepsTheShareOfItsSpeed) {
  for (const double e : {1.0, 0.8, 0.3}) {
    Material m = rough(0);
    m.restitution = e;
    Worlds w(m);
    const int small = w.type(make_disc("small", 0.6)), large = w.type(make_disc("large", 1));
    w.body(small, {-2, 0}, 0, {5, 0});
    w.body(large, {2, 0}, 0, {-3, 0});
    w.maps(map_kind("table"), test_pool());
    Simulation sim = w.start(large_steps());
    advance_to(sim, 1);
    const Bodies& b = sim.world().bodies;
    EXPECT_NEAR(b.v[1].x - b.v[0].x, 8 * e, 0.01 * 8) << e;
    EXPECT_NEAR(momentum_of(sim.world()).linear.x, mass_of(sim.world(), 0) * 5 - mass_of(sim.world(), 1) * 3, 1e-5);
  }
}

// The two planes of a disc on an arm of a cross are the same but for rounding and take the load from each other, and
// soon after the impact neither carries any: it must not be forgotten until the end of the step, whenever it began. Of
// the speed up to a tenth is gone where a long substep has closed the gap before.
TEST(Implicit, ADiscBouncesOffAnArmWheneverItMeetsIt) {
  Material m = rough(0);
  m.restitution = 0.7;
  Worlds w(m);
  const int cross = w.type(make_named_shape("cross"), 1), disc = w.type(make_disc("disc", 0.4));
  constexpr int falls = 24;
  for (int k = 0; k < falls; ++k) {
    w.body(cross, {4.0 * k, 0}, 0, {}, 0, BodyKind::fixed);
    w.body(disc, {4.0 * k, 1.5 + 0.005 * k}, 0.1 * k, {0, -2});
  }
  w.maps(map_kind("table"), test_pool());
  for (const int substeps : {4, 6, 8, 13}) {
    StepSettings s = large_steps();
    s.implicit.substeps = substeps;
    Simulation sim(w.world, s);
    advance_to(sim, 0.2);
    for (std::size_t k = 0; k < falls; ++k)
      EXPECT_NEAR(sim.world().bodies.v[2 * k + 1].y, 1.4, 0.1 * 1.4) << substeps << " substeps, disc " << k;
  }
}

TEST(Implicit, ThreadsDoNotChangeABit) {
  const World world = pile(true, 0.1);
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3, 8}) {
    Simulation sim(world, large_steps("cpu", threads));
    for (int k = 0; k < 150; ++k) sim.step();
    hashes.push_back(sim.state_hash());
    EXPECT_GT(sim.stats().contacts, 100u);
  }
  for (std::size_t k = 1; k < hashes.size(); ++k) EXPECT_EQ(hashes[k], hashes[0]);
}

// So many that threads share out what few have done by one: lists, links, slabs of the bed, forces.
// They are pressed together, and some are heavy, so that sweeps go on.
TEST(Implicit, ThreadsDoNotChangeABitOfThreeThousandGrains) {
  Worlds w(rough(0.4));
  Material lead = rough(0.4);
  lead.density = 50 * w.world.materials[0].density;
  w.world.materials.push_back(lead);
  const int disc = w.type(make_disc("disc", 0.5)), light = w.type(make_named_shape("box"), 0.5);
  GrainType heavy = w.world.types[static_cast<std::size_t>(light)];
  heavy.material = 1;
  const int box = w.world.add_type(heavy);
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({60.74, 0}, {-1, 0});
  w.world.gravity.value = {0, -9.81};
  Rng rng(6);
  for (int k = 0; k < 3000; ++k) {
    const int row = k / 60;
    const Vec2d x{0.53 + 0.998 * (k % 60) + 0.5 * (row % 2), 0.53 + 0.871 * row};
    w.body(k % 7 == 0 ? box : disc, x, rng.uniform(-0.1, 0.1));
  }
  w.maps(map_kind("table"), test_pool());
  std::vector<World> ends;
  for (const int threads : {1, 3}) {
    Simulation sim(w.world, large_steps("cpu", threads));
    for (int k = 0; k < 14; ++k) sim.step();
    EXPECT_GT(sim.world().links.size(), 4000u);  // at least four slabs
    ends.push_back(sim.world());
  }
  for (std::size_t n = 1; n < ends.size(); ++n) {
    for (std::size_t k = 0; k < 3000; ++k) {
      EXPECT_EQ(ends[n].bodies.x[k], ends[0].bodies.x[k]);
      EXPECT_EQ(ends[n].bodies.omega[k], ends[0].bodies.omega[k]);
      EXPECT_EQ(ends[n].bodies.force[k], ends[0].bodies.force[k]);
      EXPECT_EQ(ends[n].bodies.torque[k], ends[0].bodies.torque[k]);
    }
    EXPECT_EQ(ends[n].ledger.friction, ends[0].ledger.friction);
    EXPECT_EQ(ends[n].ledger.elastic, ends[0].ledger.elastic);
  }
}

// Nothing but the world is remembered.
TEST(Implicit, AWorldHandedOverGoesOnWithTheSameBits) {
  Simulation whole(pile(true, 0.1), large_steps());
  for (int k = 0; k < 90; ++k) whole.step();
  Simulation other(whole.world(), large_steps());
  for (int k = 0; k < 60; ++k) whole.step(), other.step();
  EXPECT_EQ(other.state_hash(), whole.state_hash());
}

// A pair is held apart by its shapes, not by its circumcircles: a disc that sinks slowly into an arc comes to rest
// where it does by small steps, whichever way the arc opens.
TEST(Implicit, NoTimeIsLostWhereASubstepIsTakenBack) { expect_no_time_to_be_lost("cpu"); }

TEST(Implicit, ADiscSinksIntoAnArc) {
  const auto rests_at = [](double angle, const StepSettings& settings) {
    Material m = rough(0.5);
    m.stiffness = 2e3;
    Worlds w(m);
    const int arc = w.type(make_named_shape("arc", {{"fraction", 0.5}, {"radius", 0.7}, {"thickness", 0.14}}));
    const int disc = w.type(make_disc("disc", 0.2));
    w.body(arc, {0, 0}, angle, {}, 0, BodyKind::fixed);
    w.body(disc, {0.02, 1.2});
    w.half_plane({0, -1}, {0, 1});
    w.world.gravity.value = {0, -0.5};
    w.maps(map_kind("table"), test_pool());
    Simulation sim = w.start(settings);
    advance_to(sim, 12);
    return sim.world().bodies.x[1];
  };
  int inside = 0;
  for (const double angle : {0.0, 0.5 * pi, pi, 1.5 * pi}) {
    const Vec2d small = rests_at(angle, steps_of(2e-4)), large = rests_at(angle, large_steps());
    if (norm(small) > 1) continue;  // rolled off
    ++inside;
    EXPECT_NEAR(norm(large - small), 0, 0.02) << angle;
  }
  EXPECT_GE(inside, 1);
}

// Two clouds at 100 radii a second, through each other's way: each grain stays on its side of those it meets.
TEST(Implicit, NothingPassesThroughAWallOfGrains) {
  Worlds w(rough(0.2));
  const int hash = w.type(make_named_shape("hash"), 1);
  Rng rng(2);
  for (int k = 0; k < 40; ++k) w.body(hash, {2.02 * (k % 20), 1.9 * (k / 20)}, 0.25 * pi, {}, 0, BodyKind::fixed);
  for (int k = 0; k < 60; ++k)
    w.body(hash, {1 + 1.85 * (k % 20), 6 + 3.0 * (k / 20)}, rng.uniform(-pi, pi), {0, -100}, rng.uniform(-5, 5));
  w.maps(map_kind("table"), test_pool());
  w.half_plane({-2, 0}, {1, 0});
  w.half_plane({41, 0}, {-1, 0});
  StepSettings s = large_steps();
  s.implicit.most_substeps = 128;
  Simulation sim = w.start(s);
  double ever = 0;
  while (sim.world().time < 0.5) {
    sim.step();
    ever = std::max(ever, sim.stats().deepest_overlap);
  }
  for (std::size_t k = 40; k < 100; ++k) EXPECT_GT(sim.world().bodies.x[k].y, 0.5) << k;
  EXPECT_LT(ever, 0.3);  // of the bars
  record("overlap_ever", ever);
}

// What overlaps deep at the start is pushed apart without a force at the end of a step: the watchdog sees it still.
TEST(Implicit, TheWatchdogSeesWhatOverlapsAtTheStart) {
  for (const double apart : {0.0, 0.3, 0.9}) {
    Worlds w(rough(0.4));
    const int disc = w.type(make_disc("disc", 1));
    w.body(disc, {0, 5});
    w.body(disc, {apart, 5});
    w.maps(map_kind("table"), test_pool());
    Simulation sim = w.start(large_steps());
    EXPECT_THROW(sim.step(), Error) << apart;
  }
}

TEST(Implicit, RefusesWhatItCannotDo) {
  const World world = pile(true);
  StepSettings s = large_steps();
  s.solver = "implizit";
  EXPECT_THROW(Simulation(world, s), Error);
  s = large_steps();
  s.dt = std::nan("");
  EXPECT_THROW(Simulation(world, s), Error);
  World weightless = world;
  weightless.gravity.value = {};
  s.dt = 0;
  EXPECT_THROW(Simulation(weightless, s), Error);
}

}  // namespace
}  // namespace scree::testing
