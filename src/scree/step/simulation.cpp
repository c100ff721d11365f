#include "scree/step/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/hash.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/base/text.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/rotations.hpp"
#include "scree/contact/wall_contact.hpp"
#include "scree/implicit/books_kernel.hpp"
#include "scree/implicit/implicit_solver.hpp"
#include "scree/step/device_run.hpp"
#include "scree/step/drive.hpp"
#include "scree/step/energy.hpp"
#include "scree/step/resolve.hpp"
#include "scree/step/watchdog.hpp"
#include "scree/world/integrator_kernel.hpp"

namespace scree {

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
  std::vector<Rotation2d> rotations;
  OverlapGauge overlaps;
  std::vector<RememberedContact> of_walls;  // wall contacts of the last step
  std::vector<double> deepest;              // overlap of each chunk of contacts, in units of w
  std::vector<Twist> middle;                // velocities of bodies in the middle of a kick
  std::vector<Outset> outset;               // when a large step began
  double time_origin = 0;                   // time of step 0 at this dt: not 0 when a run goes on with another dt
  bool stale = true;                        // lists must be rebuilt
  bool edited = false;                      // by change() or an event, since the last large step
  bool prepared = false;                    // what is due at world.time has happened
  bool evaluated = false;                   // forces at world.time are known already
  double springs = 0;                       // energy of the tangential springs when it was last accounted for
  bool springs_known = false;               // `springs` is of contacts that led to those of the world
  StepStats stats;
  StageTimes times;
  Stopwatch watch;                           // laps at the end of every stage
  std::unique_ptr<ImplicitSolver> implicit;  // or none
  std::unique_ptr<DeviceRun> device;         // or none

  Impl(World w, StepSettings s)
      : world(std::move(w)),
        settings(std::move(s)),
        integrator(integrator_by_name(settings.integrator)),
        law(law_by_name(settings.law)),
        pool(settings.threads),
        types(world),
        forces(world),
        walls(world),
        overlaps(world, types) {
    world.first_use = type_use(world);
    demand_maps(world);
    demand_wide_period(world);
    const bool large_steps = is_implicit(settings.solver);
    settings.dt = resolved_step(world, settings);
    const double elapsed = static_cast<double>(world.step) * settings.dt;
    if (std::abs(world.time - elapsed) > 1e-9 * settings.dt) time_origin = world.time - elapsed;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) world.wrap(k);
    settings.threads = pool.threads();
    if (settings.skin <= 0) settings.skin = default_skin(world);
    if (large_steps) {
      implicit = std::make_unique<ImplicitSolver>(world, types, forces, walls, settings.implicit, settings.skin);
    }
    stats.advised_speed = large_steps ? resolved_speed(world, settings.implicit, settings.dt) / 4.5
                                      : thinnest_moving(world) / (9 * settings.dt);
    stats.contacts = world.contacts.size();
    auto engine = engine_for(world, settings, stats.advised_speed);
    if (engine) device = std::make_unique<DeviceRun>(std::move(engine), settings, time_origin);
  }

  void prepare();
  void refresh_lists();
  void know_springs();
  void account_springs(double now);
  void evaluate(double spring_dt);
  void evaluate_at_once(double spring_dt);
  void evaluate_change();
  void move_all(double dt, double drift_dt);
  void move_on(double time);
  void advance_time(double dt);
  void step();
  void step_on_host();
  void advance(std::size_t steps);
  void advance_on_device(std::size_t& steps);
  void fetch();
  void large_step();
  double energy_without_springs();
  void change(const std::function<void(World&)>& edit);
};

// Events, insertions and deletions due now, and the state of motions at this time.
void Simulation::Impl::prepare() {
  if (prepared) return;
  prepared = true;
  const bool first = world.step == 0;
  const bool due = !first && !implicit && changes_due(world);
  if (due && integrator == Integrator::symplectic_euler) evaluate_at_once(settings.dt);
  const std::size_t contacts_before = world.contacts.size();
  const double held_before = implicit ? elastic_energy(world, forces, pool) : 0;
  const auto events_done = [&] { return std::ranges::count(world.events, true, &Event::done); };
  const auto done_before = events_done();
  stale = apply_events(world) || stale;
  edited = edited || events_done() != done_before;
  if (first || due || implicit) apply_motions(world);  // else advance_time() has done so
  stale = apply_insertions(world, settings.dt) || stale;
  stale = apply_deletions(world) || stale;
  springs_known = springs_known && world.contacts.size() == contacts_before;
  if (due) evaluate_change();
  // Contacts that go take no energy with them where they are no springs.
  if (implicit) world.ledger.inserted += held_before - elastic_energy(world, forces, pool);
  if (!first) return;
  if (implicit) {
    world.ledger = {};
    world.ledger.initial = kinetic_energy(world, pool) + gravity_energy(world, pool);
    return;
  }
  // Velocity Verlet starts from a force; the energy of what is there now is the ledger's opening balance.
  evaluate_at_once(settings.dt);
  world.ledger = {};
  world.ledger.initial =
      kinetic_energy(world, pool) + gravity_energy(world, pool) + elastic_energy(world, forces, pool);
}

// The same outside the sequence of a step, in which the kick accounts for the springs.
void Simulation::Impl::evaluate_at_once(double spring_dt) {
  evaluate(spring_dt);
  if (settings.ledger) account_springs(spring_energy(world, forces, pool));
  evaluated = true;
}

// Forces anew after a change from outside, at the same time and place as before it: springs do not move (dt = 0), and
// what elastic energy there is more was brought by grains or walls that appeared overlapping.
void Simulation::Impl::evaluate_change() {
  const double before = elastic_energy(world, forces, pool) - spring_energy(world, forces, pool);
  evaluate_at_once(0);
  world.ledger.inserted += elastic_energy(world, forces, pool) - spring_energy(world, forces, pool) - before;
}

void Simulation::Impl::refresh_lists() {
  stale = stale || pairs.built_at.size() != world.bodies.size();
  if (!stale) {
    const double move = track_moves(world, types, pool, pairs);
    stale = move + std::max(move, wall_moves(world, walls.wall_features(), candidates)) > settings.skin;
  }
  if (!stale) return;
  build_pair_list(world, types, settings.skin, pool, pairs);
  build_wall_candidates(world, types, walls.wall_features(), settings.skin, pool, candidates);
  stale = false;
  ++stats.rebuilds;
}

void Simulation::Impl::know_springs() {
  if (settings.ledger && !springs_known) springs = spring_energy(world, forces, pool);
  springs_known = settings.ledger;
}

// What the tangential springs have lost since they were last accounted for, friction has taken.
void Simulation::Impl::account_springs(double now) {
  if (springs_known) world.ledger.friction += springs - now;
  springs = now;
  springs_known = true;
}

// State -> contacts -> forces at world.time; tangential springs move on by spring_dt.
void Simulation::Impl::evaluate(double spring_dt) {
  refresh_lists();
  times.broad += watch.lap();
  know_springs();
  times.ledger += watch.lap();
  of_walls.clear();
  for (const Contact& c : std::span(world.contacts).subspan(world.pair_contacts)) of_walls.push_back(remembered(c));
  rotations.resize(world.bodies.size());
  for_chunks(pool, world.bodies.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    start_forces(world, begin, end);
    if (!types.only_discs()) find_rotations(world, begin, end, rotations);  // which way up a disc is does not matter
  });
  const auto threads = static_cast<std::size_t>(pool.threads());
  deepest.assign(threads + chunk_count(world.bodies.size(), default_chunk), 0);
  const auto apply = [&](std::size_t share, std::span<Contact> contacts) {
    apply_law(world, forces, law, spring_dt, contacts);
    deepest[share] = std::max(deepest[share], overlaps.deepest(world, contacts));
  };
  const auto finish = [&](std::size_t share, std::span<Contact> contacts) {
    apply(share, contacts);
    add_to_lower(contacts, world.bodies);
  };
  const auto placed = [&](std::size_t share) { add_to_higher(world.contacts, narrow.shares(), share, world.bodies); };
  stats.queries = narrow.run(world, types, rotations, settings.skip_queries, pairs, pool, finish, placed,
                             world.pair_contacts, world.contacts);
  times.narrow += watch.lap();
  const std::size_t touching_pairs = world.contacts.size();
  const auto finish_walls = [&](std::size_t chunk, std::span<Contact> contacts) {
    apply(threads + chunk, contacts);
    add_to_grain(contacts, world.bodies);
  };
  walls.run(world, types, rotations, candidates, of_walls, pool, finish_walls, world.contacts);
  world.pair_contacts = touching_pairs;
  times.walls += watch.lap();
  stats.deepest_overlap = deepest.empty() ? 0 : *std::ranges::max_element(deepest);
  stats.pairs = pairs.size();
  stats.contacts = world.contacts.size();
}

// Velocities by the forces over dt, then, over drift_dt, places by the velocities.
void Simulation::Impl::move_all(double dt, double drift_dt) {
  Bodies& b = world.bodies;
  middle.resize(settings.ledger ? b.size() : 0);
  const Vec2d g = world.gravity.at(world.time);
  const double moved_by_gravity = reduce_chunks(pool, b.size(), 0.0, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const Mobility m = forces.mobility(world, static_cast<std::uint32_t>(k));
      const bool moving = b.kind[k] == BodyKind::moving;
      if (moving) kick(b.v[k], b.omega[k], b.force[k], b.torque[k], m.inverse_mass, m.inverse_inertia, dt);
      if (settings.ledger) {
        middle[k] = {b.v[k] - (0.5 * dt * m.inverse_mass) * b.force[k],
                     b.omega[k] - 0.5 * dt * m.inverse_inertia * b.torque[k]};
        if (moving) sum += std::abs(world.types[b.type[k]].mass * dot(g, middle[k].v) * dt);
      }
      if (moving && drift_dt > 0) {
        drift(b.x[k], b.theta[k], b.v[k], b.omega[k], drift_dt);
        world.wrap(k);
      }
    }
    return sum;
  });
  times.integrate += watch.lap();
  if (settings.ledger) { account_springs(account_kick(world, forces, middle, moved_by_gravity, dt, pool)); }
  times.ledger += watch.lap();
}

// Time moves on, and with it gravity's direction and everything that follows a motion.
void Simulation::Impl::move_on(double time) {
  const bool turns = world.gravity.turn_rate != 0;
  const double before = turns ? gravity_energy(world, pool) : 0;
  world.time = time;
  if (turns) world.ledger.gravity_work += gravity_energy(world, pool) - before;
  apply_motions(world);
}

void Simulation::Impl::advance_time(double dt) {
  move_on(time_origin + static_cast<double>(world.step + 1) * dt);
  times.drive += watch.lap();
}

// Contacts and forces afterwards are those of the last substep.
void Simulation::Impl::large_step() {
  if (stale) implicit->forget_lists();
  stale = false;
  const auto energy = [&] { return kinetic_energy(world, pool) + gravity_energy(world, pool); };
  Ledger& l = world.ledger;
  const double before = energy(), turned_before = l.gravity_work;
  outset.resize(world.bodies.size());
  const Bodies& b = world.bodies;
  for (std::size_t k = 0; k < outset.size(); ++k) outset[k] = {{b.theta[k], b.x[k]}, {b.v[k], b.omega[k]}};
  const bool opening = world.step == 0, changed = std::exchange(edited, false);
  const ImplicitSolver::Work work = implicit->step(
      world, settings.dt, settings.ledger, opening || changed, [&](double time) { move_on(time); }, pool);
  world.time = time_origin + static_cast<double>(world.step + 1) * settings.dt;
  (opening ? l.initial : l.inserted) += work.brought;
  l.elastic += work.brought;
  // Whether the ledger is asked for or not: motion must not depend on it.
  const auto missing = [&] { return before - energy() + work.driven + (l.gravity_work - turned_before); };
  double lost = missing();
  if (const double owed = overdrawn(lost, l.elastic); owed > 0) {
    take_back_gains(world, owed, implicit->hit(), outset, pool);
    lost = missing();
  }
  const BookedLosses booked = book_losses(lost, work.friction, work.rolling, work.holdable, l.elastic, work.driven);
  l.elastic = booked.held;
  if (settings.ledger) {
    l.friction += booked.friction;
    l.rotational_damping += booked.rolling;
    l.normal_damping += booked.normal;
    (opening ? l.initial : l.inserted) += booked.brought;
    l.wall_work += work.driven;
    l.moved += std::abs(lost) + std::abs(work.driven);
  }
  stats.deepest_overlap = overlaps.deepest(world, pool);
  stats.pairs = implicit->pairs();
  stats.contacts = world.contacts.size();
  stats.queries = implicit->queries();
  stats.rebuilds = implicit->rebuilds();
  stats.substeps = implicit->substeps();
  stats.meeting = implicit->fastest_meeting();
  stats.asleep = implicit->asleep();
  times.narrow += watch.lap();
}

void Simulation::Impl::fetch() {
  if (!device) return;
  device->fetch(world);
  stats.contacts = world.contacts.size();
}

// Also where a GPU does the others: it has the result afterwards.
void Simulation::Impl::step_on_host() {
  if (device) {
    device->fetch(world);
    stale = true;
    springs_known = false;
    device->host_changed();
  }
  step();
}

void Simulation::Impl::advance_on_device(std::size_t& steps) {
  const gpu::Outcome out = device->advance(world, steps);
  steps -= out.steps;
  stats.pairs = out.pairs;
  stats.queries = out.queries;
  stats.rebuilds += out.rebuilds;
  stats.deepest_overlap = out.deepest_overlap;
  stats.max_speed = out.max_speed;
  stats.substeps = out.substeps;
  stats.meeting = {out.meeting_speed, out.meeting_body};
  prepared = evaluated = false;
  if (!out.fault) return;
  device->fetch(world);
  stats.deepest_overlap = overlaps.deepest(world, pool);
  scree::watch(world, overlaps, settings, pool, stats);
}

void Simulation::Impl::advance(std::size_t steps) {
  while (steps > 0) {
    if (device && !evaluated && !prepared && !device->host_is_due(world)) {
      advance_on_device(steps);
    } else {
      step_on_host();
      --steps;
    }
  }
}

void Simulation::Impl::step() {
  watch.lap();
  prepare();
  times.drive += watch.lap();
  if (implicit) {
    large_step();
    prepared = false;
    ++world.step;
    scree::watch(world, overlaps, settings, pool, stats);
    times.watchdog += watch.lap();
    return;
  }
  const double dt = settings.dt;
  if (integrator == Integrator::velocity_verlet) {
    move_all(0.5 * dt, dt);
    advance_time(dt);
    evaluate(dt);
    move_all(0.5 * dt, 0);
  } else {
    if (!evaluated) evaluate(dt);
    move_all(dt, dt);
    advance_time(dt);
  }
  evaluated = false;
  prepared = false;
  ++world.step;
  scree::watch(world, overlaps, settings, pool, stats);
  times.watchdog += watch.lap();
}

double Simulation::Impl::energy_without_springs() {
  return kinetic_energy(world, pool) + gravity_energy(world, pool) + elastic_energy(world, forces, pool) -
         spring_energy(world, forces, pool);
}

void Simulation::Impl::change(const std::function<void(World&)>& edit) {
  prepare();
  if (implicit) {
    const double before = kinetic_energy(world, pool) + gravity_energy(world, pool);
    edit(world);
    world.wake_all();
    for (std::size_t k = 0; k < world.bodies.size(); ++k) world.wrap(k);
    stale = edited = true;
    world.ledger.inserted += kinetic_energy(world, pool) + gravity_energy(world, pool) - before;
    return;
  }
  // What the bodies had before is told by contacts at their present places, which Verlet has already.
  if (!evaluated && integrator == Integrator::symplectic_euler) evaluate_at_once(settings.dt);
  const double before = energy_without_springs();
  edit(world);
  for (std::size_t k = 0; k < world.bodies.size(); ++k) world.wrap(k);
  stale = true;
  evaluate_at_once(0);
  world.ledger.inserted += energy_without_springs() - before;
}

Simulation::Simulation(World world, StepSettings settings)
    : impl_(std::make_unique<Impl>(std::move(world), std::move(settings))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

void Simulation::prepare() {
  impl_->fetch();
  impl_->prepare();
}
void Simulation::step() { impl_->advance(1); }
void Simulation::advance(std::size_t steps) { impl_->advance(steps); }
std::size_t Simulation::most_at_once() const { return impl_->device ? DeviceRun::most_at_once : 1; }
void Simulation::change(const std::function<void(World&)>& edit) {
  impl_->fetch();
  impl_->change(edit);
  if (impl_->device) impl_->device->host_changed();
}
const World& Simulation::world() const {
  impl_->fetch();
  return impl_->world;
}
const World& Simulation::glance() const { return impl_->world; }
World& Simulation::mutable_world() {
  impl_->fetch();
  if (impl_->device) impl_->device->host_changed();
  impl_->springs_known = false;  // the caller may change them
  return impl_->world;
}
const StepSettings& Simulation::settings() const { return impl_->settings; }
StepStats Simulation::stats() const { return impl_->stats; }

StageTimes Simulation::stage_times() const {
  StageTimes times = impl_->times;
  times.parts = impl_->narrow.times();
  return times;
}

Ledger Simulation::energy() {
  impl_->fetch();
  World& w = impl_->world;
  w.ledger.kinetic = kinetic_energy(w, impl_->pool);
  w.ledger.gravity = gravity_energy(w, impl_->pool);
  // Of large steps it follows from what was lost: book_losses().
  if (!impl_->implicit) w.ledger.elastic = elastic_energy(w, impl_->forces, impl_->pool);
  return w.ledger;
}

std::uint64_t Simulation::state_hash() const { return scree::state_hash(world()); }

std::uint64_t state_hash(const World& w) {
  Hash hash;
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    hash.number(w.bodies.id[k]).number(w.bodies.x[k].x).number(w.bodies.x[k].y).number(w.bodies.theta[k]);
    hash.number(w.bodies.v[k].x).number(w.bodies.v[k].y).number(w.bodies.omega[k]);
  }
  for (const Contact& c : w.contacts) hash.number(c.a).number(c.b).number(c.spring);
  return hash.value();
}

}  // namespace scree
