#pragma once
// What must hold of a device beside the CPU: the same for the stages run on the CPU and for a GPU.
#include "device_worlds.hpp"
#include "scree/base/error.hpp"

namespace scree::testing {

inline void expect_same_contacts(const World& cpu, const World& gpu, double tolerance) {
  ASSERT_EQ(cpu.contacts.size(), gpu.contacts.size());
  for (std::size_t k = 0; k < cpu.contacts.size(); ++k) {
    EXPECT_EQ(cpu.contacts[k].a, gpu.contacts[k].a);
    EXPECT_EQ(cpu.contacts[k].b, gpu.contacts[k].b);
    EXPECT_NEAR(cpu.contacts[k].gap, gpu.contacts[k].gap, tolerance);
    EXPECT_NEAR(cpu.contacts[k].spring, gpu.contacts[k].spring, tolerance);
  }
}

using EngineMaker = std::unique_ptr<gpu::Engine> (*)(const World&, const gpu::EngineSettings&, gpu::Precision);

// Bodies and contacts follow those of the CPU, which are `many` at the end. In double precision.
inline void expect_same_run(EngineMaker make, World world, const StepSettings& settings, std::size_t parts,
                            std::size_t steps, double tolerance, std::size_t many = 21) {
  Simulation cpu(std::move(world), settings);
  cpu.prepare();
  const auto engine = make(cpu.world(), device_settings(cpu), gpu::Precision::double_);
  engine->upload(cpu.world());
  World device = cpu.world();
  for (std::size_t part = 0; part < parts; ++part) {
    go_on(cpu, *engine, steps);
    engine->download(device);
    ASSERT_LT(farthest_apart(cpu.world(), device), tolerance) << "part " << part;
    expect_same_contacts(cpu.world(), device, tolerance);
  }
  EXPECT_GE(cpu.world().pair_contacts, many);
  EXPECT_GT(cpu.stats().rebuilds, 1u);
}

// The comparisons of whole engines, whose worlds have: shapes with tables; walls, one of them moving; several contacts
// a pair.
inline void expect_follows_the_cpu(EngineMaker make, const StepSettings& settings, std::size_t parts,
                                   double tolerance) {
  for (const bool periodic : {false, true}) {
    SCOPED_TRACE(periodic ? "periodic" : "open");
    expect_same_run(make, cloud({make_named_shape("cross"), make_named_shape("hash")}, periodic), settings, parts, 250,
                    tolerance);
  }
}

inline void expect_follows_the_cpu_at_walls(EngineMaker make, const StepSettings& settings, std::size_t parts,
                                            double tolerance) {
  World world = cloud({make_named_shape("cross"), make_named_shape("disc")}, false);
  world.gravity.value = {0, -9.81};
  world.walls = walls_around(12);
  world.motions.push_back(swing_of(0));
  expect_same_run(make, std::move(world), settings, parts, 250, tolerance);
}

inline void expect_follows_the_cpu_in_several_places(EngineMaker make, const StepSettings& settings, std::size_t parts,
                                                     double tolerance) {
  for (const char* kind : {"star", "clump"}) {
    SCOPED_TRACE(kind);
    expect_same_run(make, cloud({make_named_shape("cross"), make_named_shape("disc")}, true, kind), settings, parts,
                    250, tolerance);
  }
}

// Maps that the host answers.
inline void expect_follows_the_cpu_with_references(EngineMaker make, double tolerance) {
  MapSettings coarse = map_kind("grid-minimum");
  coarse.grid = 41;
  for (const MapSettings& maps : {map_kind("exact"), coarse}) {
    SCOPED_TRACE(maps.kind);
    const std::vector<Shape> shapes{make_named_shape("cross"), make_named_shape("box"), make_named_shape("disc")};
    expect_same_run(make, cloud(shapes, true, maps, 6), steps_of(5e-4), 2, 200, tolerance, 3);
  }
}

// Nets are answered in single precision, so runs part; what holds is a step from the same state.
inline void expect_nets_as_on_the_cpu(EngineMaker make, const char* net, double gap_error) {
  const std::vector<Shape> shapes{make_named_shape("cross"), make_named_shape("hash"), make_named_shape("disc")};
  Simulation cpu(cloud(shapes, true, quick_net(net), 8), steps_of(2e-4));
  cpu.advance(600);
  for (const gpu::Precision precision : {gpu::Precision::single_, gpu::Precision::double_}) {
    Simulation reference(cpu.world(), steps_of(2e-4));
    const auto engine = make(reference.world(), device_settings(reference), precision);
    engine->upload(reference.world());
    World device = reference.world();
    go_on(reference, *engine, 1);
    engine->download(device);
    expect_same_contacts(reference.world(), device, gap_error);
    EXPECT_GT(device.pair_contacts, 20u);
    EXPECT_LT(farthest_apart(reference.world(), device), gap_error);
    // Lists grow, are built anew and go on; nothing gets lost.
    go_on(reference, *engine, 500);
    engine->download(device);
    EXPECT_LT(farthest_apart(reference.world(), device), 0.1);
    EXPECT_GT(device.pair_contacts, 20u);
  }
}

// Events, insertions and deletions: `parts` times 100 steps.
inline void expect_pours_as_the_cpu(const std::string& on, int parts, double tolerance) {
  Simulation cpu(pouring(), settings_on("cpu")), device(pouring(), settings_on(on));
  for (int part = 0; part < parts; ++part) {
    cpu.advance(100);
    device.advance(100);
    const World &a = cpu.world(), &b = device.world();
    ASSERT_EQ(a.step, b.step);
    ASSERT_DOUBLE_EQ(a.time, b.time);
    ASSERT_EQ(a.bodies.id, b.bodies.id) << "part " << part;
    ASSERT_LT(farthest_apart(a, b), tolerance) << "part " << part;
    ASSERT_EQ(a.contacts.size(), b.contacts.size());
  }
  EXPECT_GT(cpu.world().deletion_zones[0].deleted, 1u);
  EXPECT_EQ(cpu.world().deletion_zones[0].deleted, device.world().deletion_zones[0].deleted);
}

// The CPU says where grains come, and does no step for it.
inline void expect_rain_as_on_the_cpu(const std::string& on, std::size_t steps, double tolerance) {
  Simulation cpu(two_rains(), settings_on("cpu")), device(two_rains(), settings_on(on));
  cpu.advance(steps);
  device.advance(steps);
  const World &a = cpu.world(), &b = device.world();
  ASSERT_EQ(a.bodies.id, b.bodies.id);
  EXPECT_EQ(a.bodies.type, b.bodies.type);
  EXPECT_LT(farthest_apart(a, b), tolerance);
  EXPECT_GT(a.bodies.size(), 1029u) << "there was room for all of them from the beginning";
  EXPECT_NEAR(cpu.energy().inserted, device.energy().inserted, tolerance * cpu.energy().moved);
}

// Room does not matter: what is left of it is another when a run goes on.
inline void expect_rain_to_go_on_with_the_same_bits(const std::string& on, const StepSettings& settings,
                                                    std::size_t steps) {
  StepSettings s = settings;
  s.device = on;
  Simulation whole(two_rains(), s), first(two_rains(), s);
  whole.advance(steps);
  first.advance(steps / 3);
  Simulation second(first.world(), s);
  second.advance(steps - steps / 3);
  EXPECT_EQ(whole.state_hash(), second.state_hash());
  EXPECT_EQ(whole.energy().friction, second.energy().friction);
  EXPECT_EQ(whole.energy().inserted, second.energy().inserted);
}

// Contacts of deleted grains take a little with them that is not in the books.
inline void expect_same_ledger(const std::string& on, std::size_t steps, double tolerance) {
  for (const char* integrator : {"symplectic-euler", "velocity-verlet"}) {
    SCOPED_TRACE(integrator);
    World world = pouring();
    world.deletion_zones.clear();
    world.gravity.turn_rate = 0.3;
    StepSettings on_cpu = settings_on("cpu"), on_device = settings_on(on);
    on_cpu.integrator = on_device.integrator = integrator;
    Simulation cpu(world, on_cpu), device(world, on_device);
    cpu.advance(steps);
    device.advance(steps);
    const Ledger a = cpu.energy(), b = device.energy();
    EXPECT_NEAR(a.normal_damping, b.normal_damping, tolerance * a.moved);
    EXPECT_NEAR(a.friction, b.friction, tolerance * a.moved);
    EXPECT_NEAR(a.rotational_damping, b.rotational_damping, tolerance * a.moved);
    EXPECT_NEAR(a.gravity_work, b.gravity_work, tolerance * a.moved);
    EXPECT_NEAR(a.wall_work, b.wall_work, tolerance * a.moved);
    EXPECT_NEAR(a.moved, b.moved, tolerance * a.moved);
    EXPECT_NEAR(a.residual(), b.residual(), tolerance * a.moved);
    EXPECT_GT(a.friction, 0);
    EXPECT_GT(a.rotational_damping, 0);
  }
}

// In single precision.
inline void expect_batches_do_not_matter(const std::string& on) {
  Simulation many(pouring(), settings_on(on, "single")), single(pouring(), settings_on(on, "single"));
  many.advance(700);
  for (int k = 0; k < 700; ++k) {
    single.step();
    if (k % 50 == 0) single.world();  // lists are then built anew
  }
  EXPECT_EQ(many.state_hash(), single.state_hash());
}

inline void expect_restart_has_same_bits(const std::string& on) {
  Simulation whole(pouring(), settings_on(on, "single")), first(pouring(), settings_on(on, "single"));
  first.advance(333);
  Simulation second(first.world(), settings_on(on, "single"));
  second.advance(400);
  whole.advance(733);
  EXPECT_EQ(whole.state_hash(), second.state_hash());
}

inline void expect_growing_lists_change_nothing(const std::string& on, const std::string& precision) {
  const World world = cloud({make_named_shape("cross"), make_named_shape("hash")}, false, "table", 16);
  for (const char* integrator : {"symplectic-euler", "velocity-verlet"}) {
    StepSettings thin = steps_of(2e-4, integrator);
    thin.device = on;
    thin.precision = precision;
    StepSettings thick = thin;
    thick.skin = 2;
    Simulation a(world, thin), b(world, thick);
    a.advance(200);
    b.advance(200);
    EXPECT_EQ(a.state_hash(), b.state_hash()) << integrator;
    EXPECT_LT(a.stats().pairs, 5 * world.bodies.size());
    EXPECT_GT(b.stats().pairs, 7 * world.bodies.size());
  }
}

// One that no motion moves.
inline void expect_kinematic_grains_stay(const std::string& on) {
  World world = pouring();
  world.add_body(0, 0, BodyKind::kinematic, {0, 1}, 0.3, {});
  Simulation cpu(world, settings_on("cpu")), device(world, settings_on(on));
  cpu.advance(300);
  device.advance(300);
  EXPECT_LT(farthest_apart(cpu.world(), device.world()), 1e-9);
  EXPECT_DOUBLE_EQ(device.world().bodies.x[0].y, 1);
}

// In the middle of a batch, where no step records its contacts.
inline void expect_watchdog_names_an_overlap(const std::string& on) {
  for (const char* kind : {"table", "star"}) {
    SCOPED_TRACE(kind);
    static ThreadPool pool(1);
    Material soft = sticky();
    soft.stiffness = 50;
    Worlds w(soft);
    const int cross = w.type(make_named_shape("cross"), 0.5);
    for (int k = 0; k < 4; ++k) w.body(cross, {3.0 * k, 0}, 0, {}, 0, BodyKind::fixed);
    w.body(cross, {6.0, 1.3}, 0, {0, -8});
    w.body(cross, {20, 0}, 0, {});
    w.maps(map_kind(kind), pool);
    const auto message = [&](const std::string& device) {
      StepSettings s = settings_on(device);
      s.ledger = false;
      try {
        Simulation(w.world, s).advance(2000);
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::physics);
        return std::string(e.what());
      }
      return std::string("none");
    };
    EXPECT_EQ(message(on), message("cpu"));
    EXPECT_NE(message(on).find("overlaps grain 2"), std::string::npos) << message(on);
  }
}

inline void expect_watchdog_names_the_grain(const std::string& on) {
  World world = pouring();
  world.insertions.clear();
  world.deletion_zones.clear();
  world.add_body(0, 0, BodyKind::moving, {0, 20}, 0, {0, -30});
  world.bounds = {{-100, -5}, {100, 100}};
  world.walls.clear();
  Simulation sim(world, settings_on(on));
  try {
    sim.advance(5000);
    FAIL() << "it fell for ever";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::physics);
    EXPECT_NE(std::string(e.what()).find("grain 0"), std::string::npos) << e.what();
  }
}

}  // namespace scree::testing
