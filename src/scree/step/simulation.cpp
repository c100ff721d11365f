#include "scree/step/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/hash.hpp"
#include "scree/base/text.hpp"
#include "scree/contact/narrow_phase.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/wall_contact.hpp"
#include "scree/step/drive.hpp"
#include "scree/step/energy.hpp"
#include "scree/step/integrator_kernel.hpp"
#include "scree/step/watchdog.hpp"

namespace scree {

std::vector<std::string> integrator_names() { return {"symplectic-euler", "velocity-verlet"}; }

namespace {

enum class Integrator { symplectic_euler, velocity_verlet };

Integrator integrator_by_name(const std::string& name) {
  if (name == "symplectic-euler") return Integrator::symplectic_euler;
  if (name == "velocity-verlet") return Integrator::velocity_verlet;
  const std::string near = nearest_name(name, integrator_names());
  throw Error(ErrorKind::input, "step.integrator", "unknown integrator '" + name + "'",
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(integrator_names()));
}

void demand_maps(const World& world) {
  for (const MapNeed& need : needed_maps(world)) {
    if (!world.map_table.empty() && world.map_of(need.type_a, need.type_b).map) continue;
    throw Error(ErrorKind::input, "maps",
                "no contact map for " + world.types[static_cast<std::size_t>(need.type_a)].name + " on " +
                    world.types[static_cast<std::size_t>(need.type_b)].name,
                "call assign_map for every entry of needed_maps(world)");
  }
}

// dt as asked, or chosen; refuses what cannot be stable.
double resolved_dt(const World& world, double asked) {
  const StepAdvice advice = advise_step(world);
  if (asked <= 0 && advice.dt_advised <= 0) {
    throw Error(ErrorKind::input, "step.dt", "cannot be chosen: no contact stiffness in the scene",
                "give step.dt a value");
  }
  if (asked <= 0) return advice.dt_advised;
  if (advice.dt_limit > 0 && asked >= advice.dt_limit) {
    throw Error(ErrorKind::input, "step.dt",
                cat("dt = ", asked, " is unstable: the stiffest contact (", advice.stiffest, ") allows at most ",
                    advice.dt_limit),
                cat("use dt <= ", advice.dt_advised,
                    " (advised), dt = \"auto\", or stiffness <= ", advice.stiffness_for_dt(asked)));
  }
  return asked;
}

double default_skin(const World& world) {
  double smallest = 0;
  for (const GrainType& type : world.types) smallest = smallest == 0 ? type.radius : std::min(smallest, type.radius);
  return 0.25 * smallest;
}

}  // namespace

struct Simulation::Impl {
  World world;
  StepSettings settings;
  Integrator integrator;
  FrictionLaw law;
  ThreadPool pool;
  TypeTables types;
  ForceTables forces;
  WallPhase walls;
  NarrowPhase narrow;
  PairList pairs;
  WallCandidates candidates;
  std::vector<Contact> next_contacts;
  double wall_travel = 0;  // bound on how far any point of a polyline or outline wall moved since the lists were built
  bool stale = true;       // lists must be rebuilt
  bool evaluated = false;  // forces at world.time are known already
  StepStats stats;

  Impl(World w, StepSettings s)
      : world(std::move(w)),
        settings(std::move(s)),
        integrator(integrator_by_name(settings.integrator)),
        law(law_by_name(settings.law)),
        pool(settings.threads),
        types(world),
        forces(world),
        walls(world) {
    demand_maps(world);
    settings.dt = resolved_dt(world, settings.dt);
    settings.threads = pool.threads();
    if (settings.skin <= 0) settings.skin = default_skin(world);
    stats.advised_speed = thinnest_moving(world) / (9 * settings.dt);
  }

  void prepare();
  void refresh_lists();
  void evaluate();
  void kick_all(double dt);
  void drift_all(double dt);
  void advance_time(double dt);
  void step();
};

// Events, insertions and deletions due now, and the state of motions at this time.
void Simulation::Impl::prepare() {
  stale = apply_events(world) || stale;
  apply_motions(world);
  stale = apply_insertions(world, settings.dt) || stale;
  stale = apply_deletions(world) || stale;
  if (world.step > 0) return;
  // Velocity Verlet starts from a force; the energy of what is there now is the ledger's opening balance.
  evaluate();
  evaluated = true;
  world.ledger.initial = kinetic_energy(world, pool) + gravity_energy(world, pool) + elastic_energy(world, pool);
  world.ledger.inserted = 0;
  world.ledger.friction = 0;
}

void Simulation::Impl::refresh_lists() {
  if (!stale) {
    const double move = largest_move(world, pairs, pool);
    stale = move + std::max(move, wall_travel) > settings.skin;
  }
  if (!stale) return;
  build_pair_list(world, types, settings.skin, pool, pairs);
  build_wall_candidates(world, types, walls.wall_features(), settings.skin, pool, candidates);
  wall_travel = 0;
  stale = false;
  ++stats.rebuilds;
}

// State -> contacts -> forces at world.time.
void Simulation::Impl::evaluate() {
  refresh_lists();
  const double springs_before = settings.ledger ? spring_energy(world, pool) : 0;
  stats.queries = narrow.run(world, types, pairs, pool, next_contacts);
  const std::size_t touching_pairs = next_contacts.size();
  walls.run(world, types, candidates, pool, next_contacts);
  apply_law(world, forces, law, settings.dt, pool, next_contacts);
  world.contacts.swap(next_contacts);
  world.pair_contacts = touching_pairs;
  gather_forces(world, pairs, walls.first(), pool);
  if (settings.ledger) world.ledger.friction += springs_before - spring_energy(world, pool);
  stats.pairs = pairs.size();
  stats.contacts = world.contacts.size();
}

void Simulation::Impl::kick_all(double dt) {
  Bodies& b = world.bodies;
  for_chunks(pool, b.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      if (b.kind[k] != BodyKind::moving) continue;
      const GrainType& t = world.types[b.type[k]];
      kick(b.v[k], b.omega[k], b.force[k], b.torque[k], 1 / t.mass, 1 / t.inertia, dt);
    }
  });
  if (settings.ledger) account_kick(world, dt, pool);
}

void Simulation::Impl::drift_all(double dt) {
  Bodies& b = world.bodies;
  const Periodic& p = world.periodic;
  const auto wrap = [](double& x, std::int32_t& image, double lo, double hi) {
    const double turns = std::floor((x - lo) / (hi - lo));
    x -= turns * (hi - lo);
    image += static_cast<std::int32_t>(turns);
  };
  for_chunks(pool, b.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      if (b.kind[k] != BodyKind::moving) continue;
      drift(b.x[k], b.theta[k], b.v[k], b.omega[k], dt);
      if (!std::isfinite(b.x[k].x + b.x[k].y)) continue;  // the watchdog reports it
      if (p.x) wrap(b.x[k].x, b.image[k][0], p.box.lo.x, p.box.hi.x);
      if (p.y) wrap(b.x[k].y, b.image[k][1], p.box.lo.y, p.box.hi.y);
    }
  });
}

// Time moves on, and with it gravity's direction and everything that follows a motion.
void Simulation::Impl::advance_time(double dt) {
  const bool turns = world.gravity.turn_rate != 0;
  const double before = turns ? gravity_energy(world, pool) : 0;
  world.time = static_cast<double>(world.step + 1) * dt;
  if (turns) world.ledger.gravity_work += gravity_energy(world, pool) - before;
  double fastest_wall = 0;
  for (std::size_t w = 0; w < world.walls.size(); ++w) {
    const Wall& wall = world.walls[w];
    const double extent = walls.wall_features()[w].extent;
    fastest_wall = std::max(fastest_wall, norm(wall.velocity) + std::abs(wall.omega) * extent);
  }
  wall_travel += dt * fastest_wall;
  apply_motions(world);
}

void Simulation::Impl::step() {
  prepare();
  const double dt = settings.dt;
  if (integrator == Integrator::velocity_verlet) {
    kick_all(0.5 * dt);
    drift_all(dt);
    advance_time(dt);
    evaluate();
    kick_all(0.5 * dt);
  } else {
    if (!evaluated) evaluate();
    kick_all(dt);
    drift_all(dt);
    advance_time(dt);
  }
  evaluated = false;
  ++world.step;
  watch(world, types, settings, pool, stats);
}

Simulation::Simulation(World world, StepSettings settings)
    : impl_(std::make_unique<Impl>(std::move(world), std::move(settings))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

void Simulation::step() { impl_->step(); }
const World& Simulation::world() const { return impl_->world; }
World& Simulation::world() { return impl_->world; }
const StepSettings& Simulation::settings() const { return impl_->settings; }
StepStats Simulation::stats() const { return impl_->stats; }

Ledger Simulation::energy() {
  World& w = impl_->world;
  w.ledger.kinetic = kinetic_energy(w, impl_->pool);
  w.ledger.gravity = gravity_energy(w, impl_->pool);
  w.ledger.elastic = elastic_energy(w, impl_->pool);
  return w.ledger;
}

std::uint64_t Simulation::state_hash() const {
  const World& w = impl_->world;
  Hash hash;
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    hash.number(w.bodies.id[k]).number(w.bodies.x[k].x).number(w.bodies.x[k].y).number(w.bodies.theta[k]);
    hash.number(w.bodies.v[k].x).number(w.bodies.v[k].y).number(w.bodies.omega[k]);
  }
  for (const Contact& c : w.contacts) hash.number(c.a).number(c.b).number(c.spring);
  return hash.value();
}

}  // namespace scree
