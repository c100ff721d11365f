// The energy of large steps: it is lost, and never made.
#include "large_steps.hpp"
#include "physics.hpp"
#include "scree/base/text.hpp"

namespace scree::testing {
namespace {

// What is lost never comes back, but for what overlaps give back when they are pushed out; and nothing is left over.
TEST(Implicit, EnergyIsLostAndNeverMade) {
  Simulation sim(pile(true), large_steps());
  const EnergyWatch seen = watch_energy(sim, 6);
  EXPECT_LE(seen.fallen, 1e-9);
  EXPECT_LE(seen.risen, 1e-4);
  EXPECT_GT(sim.energy().normal_damping, 0);
  EXPECT_GT(sim.energy().friction, 0);
  EXPECT_GT(sim.energy().elastic, 0);
  EXPECT_LE(sim.energy().elastic, 5e-3 * sim.energy().moved);
}

TEST(Implicit, ABoxThatSlidesUntilItStopsHasLostAllByFriction) {
  Worlds w(rough(0.3));
  const int box = w.type(make_named_shape("box", {{"width", 1}, {"height", 0.25}}));
  w.half_plane({0, 0}, {0, 1});
  w.body(box, {0, 0.126}, 0, {3, 0});
  w.world.gravity.value = {0, -9.81};
  w.maps(map_kind("table"), test_pool());
  Simulation sim = w.start(large_steps());
  const double kinetic = 0.5 * mass_of(sim.world(), 0) * 9;
  advance_to(sim, 3);
  EXPECT_LT(norm(sim.world().bodies.v[0]), 1e-3);
  EXPECT_NEAR(sim.energy().friction, kinetic, 0.02 * kinetic);
  EXPECT_NEAR(sim.energy().normal_damping, 0, 0.02 * kinetic);
}

TEST(Implicit, ADiscThatSpinsUntilItStopsHasLostAllByDamping) {
  Material m = rough(0);
  m.rotational_damping = 2;
  Worlds w(m);
  w.half_plane({0, 0}, {0, 1});
  w.body(w.type(make_disc("disc", 1)), {0, 1.001}, 0, {}, 5);
  w.world.gravity.value = {0, -9.81};
  w.maps(map_kind("table"), test_pool());
  Simulation sim = w.start(large_steps());
  const double kinetic = 0.5 * inertia_of(sim.world(), 0) * 25;
  advance_to(sim, 5);
  EXPECT_NEAR(sim.energy().rotational_damping, kinetic, 0.01 * kinetic);
}

// What touches from the start, or overlaps, is pushed apart by springs that were there before.
TEST(Implicit, OverlapsOfTheStartBringTheirEnergy) {
  for (const double apart : {1.0, 0.98}) {
    Worlds w(rough(0.4));
    const int box = w.type(make_named_shape("box", {{"width", 1}, {"height", 1}}));
    w.half_plane({0, 0}, {0, 1});
    w.world.gravity.value = {0, -9.81};
    for (int k = 0; k < 10; ++k) w.body(box, {0, apart * (k + 0.5)});
    w.maps(map_kind("table"), test_pool());
    Simulation sim = w.start(large_steps());
    const double height = sim.energy().gravity;
    const EnergyWatch seen = watch_energy(sim, 2);
    EXPECT_GT(sim.energy().gravity, height) << apart;
    EXPECT_LE(seen.fallen, 1e-9) << apart;
  }
}

// A floor that comes up throws a disc off, with all of its speed or with none: that is the work of the floor.
TEST(Implicit, AFloorIsChargedForWhatItThrows) {
  for (const double e : {1.0, 0.5, 0.001}) {
    for (const double above : {0.0555, 0.0615, 0.0675, 0.0735}) {  // when in a step they meet
      Material m = rough(0.3);
      m.restitution = e;
      Worlds w(m);
      w.half_plane({0, 0}, {0, 1});
      w.body(w.type(make_disc("disc", 1)), {0, 1 + above});
      Motion up;
      up.walls = {0};
      up.velocity = {0, 6};
      w.world.motions = {up};
      w.maps(map_kind("table"), test_pool());
      StepSettings s = large_steps();
      s.dt = 0.01;
      Simulation sim = w.start(s);
      const EnergyWatch seen = watch_energy(sim, 0.1);
      const double speed = sim.world().bodies.v[0].y, put_in = 6 * speed * mass_of(sim.world(), 0);
      EXPECT_NEAR(speed, 6 * (1 + e), 0.6) << e << " " << above;
      EXPECT_NEAR(sim.energy().wall_work, put_in, 0.01 * put_in) << e << " " << above;
      EXPECT_LE(seen.fallen, 1e-7) << e << " " << above;
    }
  }
}

// Grains that are carried round by a wall get energy from it, and no other.
TEST(Implicit, WhatADrumPutsInIsAllThatThereIs) {
  Worlds w(rough(0.5));
  const int hash = w.type(make_named_shape("hash"), 1);
  Wall& drum = w.half_plane({0, 0}, {0, 1});
  drum.kind = WallKind::circle_inside;
  drum.radius = 8;
  Motion turn;
  turn.walls = {0};
  turn.omega = 1;
  w.world.motions = {turn};
  w.world.gravity.value = {0, -9.81};
  for (int k = 0; k < 20; ++k) w.body(hash, {-4.4 + 2.2 * (k % 5), -4 + 2.2 * (k / 5)}, 0.3 * k);
  w.maps(map_kind("table"), test_pool());
  Simulation sim = w.start(large_steps());
  const EnergyWatch seen = watch_energy(sim, 6);
  EXPECT_GT(sim.energy().wall_work, 100);
  EXPECT_LE(seen.fallen, 1e-9);
}

// Grains that bounce about in a box: each impact may keep all of the energy, and many happen at once.
TEST(Implicit, ManyImpactsAtOnceMakeNoEnergy) {
  for (const double e : {1.0, 0.7}) {
    Material m = rough(0);
    m.restitution = e;
    Worlds w(m);
    const int hash = w.type(make_named_shape("hash"), 1);
    for (const Vec2d n : {Vec2d{1, 0}, Vec2d{0, 1}}) w.half_plane({0, 0}, n), w.half_plane({12, 12}, -n);
    Rng rng(6);
    for (int k = 0; k < 20; ++k)
      w.body(hash, {1.2 + 2.3 * (k % 5), 1.2 + 2.3 * (k / 5)}, rng.uniform(-pi, pi),
             {rng.uniform(-5, 5), rng.uniform(-5, 5)});
    w.maps(map_kind("table"), test_pool());
    Simulation sim = w.start(large_steps());
    const double first = sim.energy().kinetic;
    double before = first;
    while (sim.world().time < 3) {
      sim.step();
      const double now = sim.energy().kinetic;
      EXPECT_LE(now, before * (1 + 1e-3)) << e << " at " << sim.world().time;
      before = now;
    }
    EXPECT_GT(before, e == 1 ? 0.06 * first : 0);  // impacts that interfere lose: none may give back another's share
    record("kept", before / first);
  }
}

// A light grain between a heavy one and the floor: sweeps hand on little of the load at a time. Impulses that grew
// until they stopped the heavy one must not throw it up.
TEST(Implicit, HeavyGrainsOnLightOnesMakeNoEnergy) {
  for (const std::string shape : {"disc", "hash"}) {
    for (const double density : {10.0, 100.0, 1000.0}) {
      for (const double above : {0.01, 3.0}) {
        Worlds w(rough(0.4));
        Material lead = rough(0.4);
        lead.density = density * w.world.materials[0].density;
        w.world.materials.push_back(lead);
        const int light = w.type(shape == "disc" ? make_disc("disc", 1) : make_named_shape(shape), 1);
        GrainType heavy = w.world.types[0];
        heavy.material = 1;
        const int lead_grain = w.world.add_type(heavy);
        w.half_plane({0, 0}, {0, 1});
        w.half_plane({-1.2, 0}, {1, 0});
        w.half_plane({1.2, 0}, {-1, 0});
        w.body(light, {0, 1.001});
        w.body(light, {0.1, 3.01}, 0.3);
        w.body(lead_grain, {0, 5.02 + above}, 0.1);
        w.world.gravity.value = {0, -9.81};
        w.maps(map_kind("table"), test_pool());
        Simulation sim = w.start(large_steps());
        const EnergyWatch seen = watch_energy(sim, 4);
        EXPECT_LE(seen.fallen, 1e-9) << shape << " " << density << " " << above;
        EXPECT_LE(seen.risen, 5e-3) << shape << " " << density << " " << above;
        record(cat("risen_", shape, "_", density, "_", above), seen.risen);
        record(cat("speed_", shape, "_", density, "_", above), norm(sim.world().bodies.v[2]));
      }
    }
  }
}

TEST(Implicit, GrainsThatGoTakeTheirEnergyAndNoMore) {
  World world = pile(true);
  world.deletion_zones.push_back({"drain", {{0, 0}, {4, 3}}, false, 0});
  Simulation sim(std::move(world), large_steps());
  advance_to(sim, 4);
  EXPECT_GT(sim.world().deletion_zones[0].deleted, 3u);
  EXPECT_LE(std::abs(sim.energy().relative_residual()), 1e-9);
}

TEST(Implicit, WhatPlanesGiveIsTakenFromMotion) {
  for (const TwoGrains& c :
       {TwoGrains{"hash", 1000, 0.4, 0.01, 1.0 / 60, 4.3}, TwoGrains{"hash", 1000, 0.4, 0.01, 1.0 / 60, 3.2},
        TwoGrains{"hash", 800, 0.4, 0.01, 1e-3, 4.3}, TwoGrains{"hash", 1, 0.4, 0.01, 1e-3, 4.3},
        TwoGrains{"hash", 1, 0.4, 0.01, 1e-3, 3.2}, TwoGrains{"box", 1, 2, 0.2, 1.0 / 60, 4}}) {
    const EnergyWatch seen = watch_two_grains(c, "cpu");
    EXPECT_LE(seen.fallen, 1e-9) << c.shape << " " << c.density << " " << c.friction << " " << c.dt << " " << c.height;
    record(cat("fallen_", c.shape, "_", c.density, "_", c.dt, "_", c.height), seen.fallen);
  }
}

// A wall that appears within grains pushes them out: that is brought by whoever put it there.
TEST(Implicit, AWallPutIntoAPileBringsItsEnergy) {
  World world = pile(true);
  world.walls.push_back(world.walls[0]);
  world.walls.back().pose.x = {0, 0.05};
  world.walls.back().active = false;
  Event event;
  event.time = 4;
  event.action = Event::Action::add_wall;
  event.targets = {3};
  world.events = {event};
  Simulation sim(std::move(world), large_steps());
  advance_to(sim, 3.9);
  const double inserted = sim.energy().inserted;
  const EnergyWatch seen = watch_energy(sim, 6);
  EXPECT_LE(seen.fallen, 1e-9);
  EXPECT_GT(sim.energy().inserted, inserted);
}

// Walls that pinch a grain get more, when they part, than its rows could hold when it was put there: the overlap had
// it.
TEST(Implicit, WallsThatPartGetWhatThePinchedGrainHad) {
  for (const std::string device : {"cpu", "serial"}) {
    Worlds w(rough(0.4));
    w.half_plane({0, 0}, {0, 1});
    w.half_plane({0, 1.9}, {0, -1});
    w.body(w.type(make_disc("disc", 1)), {0, 1});
    Motion down;
    down.walls = {0};
    down.velocity = {0, -0.5};
    down.start = 0.41;
    w.world.motions = {down};
    w.world.gravity.value = {0, -9.81};
    w.maps(map_kind("table"), test_pool());
    StepSettings s = large_steps();
    s.device = device;
    Simulation sim = w.start(s);
    const EnergyWatch seen = watch_energy(sim, 2);
    EXPECT_LE(seen.fallen, 1e-5) << device;
    const Ledger l = sim.energy();
    EXPECT_GT(l.inserted, 1000) << device;
    EXPECT_LE(l.inserted, -l.wall_work) << device;
  }
}

// What moves must not depend on whether anybody looks at the ledger.
TEST(Implicit, TheLedgerChangesNothing) {
  StepSettings without = large_steps();
  without.ledger = false;
  Simulation sim(pile(true), large_steps()), unseen(pile(true), without);
  advance_to(sim, 3), advance_to(unseen, 3);
  EXPECT_EQ(sim.state_hash(), unseen.state_hash());
}

}  // namespace
}  // namespace scree::testing
