#include "scree/step/worlds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "scree/base/hash.hpp"
#include "scree/base/text.hpp"
#include "scree/step/worlds_backend.hpp"

namespace scree {

struct Worlds::Impl {
  StepSettings settings;
  std::size_t count = 0;
  World first;                                     // the first state
  std::vector<std::vector<std::uint16_t>> states;  // of each, the types of bodies
  std::vector<std::size_t> home;                   // by world: the state it began with
  std::vector<std::size_t> taken_up;               // by world: the state it took up last
  std::map<std::size_t, WorldFault> faults;
  std::unique_ptr<WorldsBackend> backend;
  double advised_speed = 0;

  World prepared(World state) const;
  void demand_like_first(const World& state) const;
};

namespace {

constexpr std::size_t most_grains = 200'000'000;  // of all worlds on a device

constexpr const char* alone = "run such a scene alone, as a Simulation";

void refuse(const char* field, const char* problem, const std::string& remedy) {
  throw Error(ErrorKind::input, field, problem, remedy);
}

// What changes the number of bodies, or which walls there are, on the way.
void demand_settled(const World& world) {
  const auto to_come = [](const Event& e) { return !e.done; };
  if (std::ranges::any_of(world.events, to_come))
    refuse("events", "many worlds at once have no events to come",
           cat("drive walls and set gravity instead, or ", alone));
  const auto goes_on = [](const Insertion& i) { return i.enabled && !i.finished; };
  if (std::ranges::any_of(world.insertions, goes_on))
    refuse("insert", "many worlds at once cannot get grains on the way",
           cat("use method = \"lattice\" or \"poisson\" at the start, or ", alone));
  if (!world.deletion_zones.empty())
    refuse("delete", "many worlds at once cannot lose grains on the way", cat("leave out [[delete]], or ", alone));
}

std::vector<World> seeded(const World& world, std::size_t count, std::span<const std::uint64_t> seeds) {
  if (seeds.empty()) return {world};
  if (seeds.size() != count)
    throw Error(ErrorKind::input, "seeds", cat(seeds.size(), " seeds for ", count, " worlds"),
                "give one for each world");
  std::vector<World> worlds(count, world);
  for (std::size_t w = 0; w < count; ++w) {
    for (Insertion& i : worlds[w].insertions) i.seed = Hash().number(i.seed).number(seeds[w]).value();
  }
  return worlds;
}

// A motion of the walls or the group of that name.
Motion motion_of(const World& world, const std::string& name) {
  Motion motion;
  motion.name = "drive " + name;
  for (std::size_t k = 0; k < world.walls.size(); ++k)
    if (world.walls[k].name == name) motion.walls.push_back(static_cast<int>(k));
  const auto group = static_cast<int>(std::ranges::find(world.groups, name) - world.groups.begin());
  const Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size() && motion.walls.empty() && motion.groups.empty(); ++k)
    if (b.group[k] == group && b.kind[k] == BodyKind::kinematic) motion.groups.push_back(group);
  if (!motion.walls.empty() || !motion.groups.empty()) return motion;
  std::vector<std::string> known;
  for (const Wall& wall : world.walls) known.push_back(wall.name);
  for (std::size_t k = 0; k < b.size(); ++k)
    if (b.kind[k] == BodyKind::kinematic) known.push_back(world.groups[b.group[k]]);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::string near = nearest_name(name, known);
  throw Error(ErrorKind::input, "drive", cat("there are no walls and no group of kinematic grains called '", name, "'"),
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(known));
}

void demand_finite(const Drive& d) {
  const Vec2d position = d.position.value_or(Vec2d{});
  const double sum = d.velocity.x + d.velocity.y + d.omega + position.x + position.y + d.angle.value_or(0);
  if (!std::isfinite(sum)) refuse("drive", "a velocity, position or angle is not a number", "give finite numbers");
}

// Where the targets are together: the centre they turn about.
Vec2d middle_of(const World& world, const Motion& motion) {
  Vec2d sum;
  std::size_t count = 0;
  for (const int w : motion.walls) sum += world.walls[static_cast<std::size_t>(w)].pose.x, ++count;
  for (std::size_t k = 0; k < world.bodies.size() && !motion.groups.empty(); ++k) {
    if (world.bodies.kind[k] != BodyKind::kinematic || world.bodies.group[k] != motion.groups.front()) continue;
    sum += world.unwrapped(k);
    ++count;
  }
  return count == 1 ? sum : (1 / static_cast<double>(count)) * sum;
}

// In place of the one that was started last under this name.
void start(World& world, Motion motion, const Drive& drive) {
  for (const int w : motion.walls) {
    Pose2d& pose = world.walls[static_cast<std::size_t>(w)].pose;
    pose = {drive.angle.value_or(pose.theta), drive.position.value_or(pose.x)};
  }
  motion.velocity = drive.velocity;
  motion.omega = drive.omega;
  motion.start = world.time;
  motion.centre = middle_of(world, motion);
  const auto before = std::ranges::find(world.motions, motion.name, &Motion::name);
  if (before == world.motions.end()) {
    world.motions.push_back(std::move(motion));
  } else {
    *before = std::move(motion);
  }
}

}  // namespace

// Grains that are due at the start are there, contacts and forces too.
World Worlds::Impl::prepared(World state) const {
  if (state.step > 0) {
    for (std::size_t k = 0; k < state.bodies.size(); ++k) state.wrap(k);
    return state;
  }
  state.contacts.clear();
  state.pair_contacts = 0;
  StepSettings on_cpu = settings;
  on_cpu.device = "cpu";
  on_cpu.threads = 1;
  Simulation simulation(std::move(state), on_cpu);
  simulation.prepare();
  return simulation.world();
}

void Worlds::Impl::demand_like_first(const World& state) const {
  const Bodies &a = first.bodies, &b = state.bodies;
  if (a.size() != b.size())
    throw Error(ErrorKind::input, "states", cat("one has ", b.size(), " grains, the first has ", a.size()),
                "worlds side by side need as many grains each: give insertions a count");
  if (a.kind != b.kind || a.group != b.group)
    refuse("states", "differ in which grains are moving, fixed or kinematic, or in groups", "make them from one scene");
  const auto same_wall = [](const Wall& v, const Wall& w) { return v.name == w.name && v.active && w.active; };
  if (!std::ranges::equal(first.walls, state.walls, same_wall))
    refuse("states", "differ in their walls, or one was removed", "make them from one scene");
  const auto same_box = [](const Box& p, const Box& q) { return p.lo == q.lo && p.hi == q.hi; };
  const Periodic &p = first.periodic, &q = state.periodic;
  if (!same_box(first.bounds, state.bounds) || !same_box(p.box, q.box) || p.x != q.x || p.y != q.y)
    refuse("states", "differ in their bounds or periods", "make them from one scene");
  if (first.types.size() != state.types.size() || first.maps != state.maps)
    refuse("states", "differ in grain types or contact maps", "make them from one scene");
}

Worlds::Worlds(std::vector<World> states, StepSettings settings, std::size_t count) : impl_(std::make_unique<Impl>()) {
  impl_->settings = std::move(settings);
  begin(std::move(states), count);
}

Worlds::Worlds(const World& world, StepSettings settings, std::size_t count, std::span<const std::uint64_t> seeds)
    : Worlds(seeded(world, count, seeds), std::move(settings), count) {}

Worlds::~Worlds() = default;
Worlds::Worlds(Worlds&&) noexcept = default;

void Worlds::begin(std::vector<World> states, std::size_t count) {
  Impl& i = *impl_;
  if (count == 0) refuse("count", "there must be at least one world", "give a count of 1 or more");
  if (states.empty()) refuse("states", "there must be at least one", "give a world to begin with");
  i.count = count;
  i.settings.ledger = false;
  StepSettings on_cpu = i.settings;
  on_cpu.device = "cpu";
  const Simulation check(states.front(), on_cpu);  // refuses what no simulation can do
  i.settings.dt = check.settings().dt;
  i.settings.skin = check.settings().skin;
  i.settings.threads = check.settings().threads;
  i.advised_speed = check.stats().advised_speed;
  states.resize(std::min(states.size(), count));
  ThreadPool pool(i.settings.threads);
  pool.run(states.size(), [&](std::size_t s) { states[s] = i.prepared(std::move(states[s])); });
  i.first = states.front();
  demand_settled(i.first);
  if (i.first.bodies.size() == 0)
    refuse("states", "there are no grains", "worlds side by side begin with all their grains");
  if (i.settings.device != "cpu" && count > most_grains / i.first.bodies.size())
    throw Error(ErrorKind::input, "count", cat(count, " worlds have more than ", most_grains, " grains together"),
                "use fewer worlds: a device numbers all pairs of grains in 32 bits");
  i.backend = i.settings.device == "cpu" ? make_cpu_worlds(count, i.settings)
                                         : make_device_worlds(i.first, count, i.settings, i.advised_speed);
  for (World& state : states) keep(std::move(state));
  i.home.resize(count);
  for (std::size_t w = 0; w < count; ++w) i.home[w] = w % i.states.size();
  i.taken_up = i.home;
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  reset(all);
}

std::size_t Worlds::count() const { return impl_->count; }
std::size_t Worlds::bodies() const { return impl_->first.bodies.size(); }
const StepSettings& Worlds::settings() const { return impl_->settings; }

void Worlds::demand(std::size_t world) const {
  if (world < impl_->count) return;
  throw Error(ErrorKind::input, "world", cat("there is no world ", world),
              cat("they are numbered from 0 to ", impl_->count - 1));
}

void Worlds::advance(std::size_t steps) {
  for (WorldFault& f : impl_->backend->advance(steps)) impl_->faults.emplace(f.world, std::move(f));
}

void Worlds::drive(std::size_t world, const std::string& name, const Drive& drive) {
  demand(world);
  demand_finite(drive);
  Motion motion = motion_of(impl_->first, name);
  if ((drive.position || drive.angle) && motion.walls.size() != 1)
    refuse("drive", "a position or angle is for one wall", "give velocities alone, or name a single wall");
  impl_->backend->change(world, [&](World& w) { start(w, std::move(motion), drive); });
}

void Worlds::set_gravity(std::size_t world, Vec2d gravity) {
  demand(world);
  if (!std::isfinite(gravity.x + gravity.y)) refuse("gravity", "is not a number", "give two finite numbers");
  impl_->backend->change(world, [&](World& w) {
    w.gravity.value = gravity;
    w.gravity.since = w.time;
  });
}

void Worlds::reset(std::span<const std::size_t> worlds) {
  for (const std::size_t w : worlds) demand(w);
  for (const std::size_t w : worlds) take_up(w, impl_->home[w]);
}

void Worlds::reset(std::span<const std::size_t> worlds, std::size_t state) {
  for (const std::size_t w : worlds) demand(w);
  if (state >= impl_->states.size())
    throw Error(ErrorKind::input, "state", cat("there is no state ", state),
                cat("they are numbered from 0 to ", impl_->states.size() - 1, "; keep() makes one"));
  for (const std::size_t w : worlds) take_up(w, state);
}

void Worlds::take_up(std::size_t world, std::size_t state) {
  impl_->faults.erase(world);
  impl_->taken_up[world] = state;
  impl_->backend->take_up(world, state);
}

std::size_t Worlds::keep(std::size_t world) {
  demand(world);
  const auto fault = impl_->faults.find(world);
  if (fault != impl_->faults.end())
    throw Error(ErrorKind::input, "keep", cat("world ", world, " stands still: ", fault->second.error.problem()),
                "reset it first");
  return keep(impl_->backend->world(world));
}

std::size_t Worlds::keep(World state) {
  state = impl_->prepared(std::move(state));
  demand_settled(state);
  impl_->demand_like_first(state);
  impl_->backend->keep(state);
  impl_->states.push_back(state.bodies.type);
  return impl_->states.size() - 1;
}

void Worlds::read(std::span<Row> places, std::span<Row> velocities) {
  if (places.size() != count() * bodies() || velocities.size() != places.size())
    refuse("read", "an array has not one row for each grain of each world", "give worlds times bodies rows");
  impl_->backend->read(places, velocities);
}

const std::vector<std::uint16_t>& Worlds::types(std::size_t world) const {
  demand(world);
  return impl_->states[impl_->taken_up[world]];
}

World Worlds::world(std::size_t world) {
  demand(world);
  return impl_->backend->world(world);
}

double Worlds::time(std::size_t world) const {
  demand(world);
  return impl_->backend->time(world);
}

std::uint64_t Worlds::step(std::size_t world) const {
  demand(world);
  return impl_->backend->step(world);
}

std::vector<WorldFault> Worlds::faults() const {
  std::vector<WorldFault> all;
  for (const auto& [world, fault] : impl_->faults) all.push_back(fault);
  return all;
}

std::uint64_t Worlds::state_hash(std::size_t world) { return scree::state_hash(this->world(world)); }

}  // namespace scree
