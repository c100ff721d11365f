#include "engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scree/base/stopwatch.hpp"
#include "scree/base/text.hpp"
#include "scree/record/series.hpp"

namespace scree::python {

namespace {

Simulation started(Scene& scene) {
  Simulation simulation(std::move(scene.world), scene.step);
  scene.world = World{};
  return simulation;
}

template <class Value>
void copy_into(std::vector<Value>& to, const std::vector<Value>& from) {
  std::ranges::copy(from, to.begin());
}

// The values of `from` in the memory of `to`; both of one length.
void copy_into(Bodies& to, const Bodies& from) {
  copy_into(to.id, from.id);
  copy_into(to.type, from.type);
  copy_into(to.group, from.group);
  copy_into(to.kind, from.kind);
  copy_into(to.x, from.x);
  copy_into(to.theta, from.theta);
  copy_into(to.v, from.v);
  copy_into(to.omega, from.omega);
  copy_into(to.force, from.force);
  copy_into(to.torque, from.torque);
  copy_into(to.image, from.image);
}

bool finite(double value) { return std::isfinite(value); }
bool finite(Vec2d value) { return std::isfinite(value.x) && std::isfinite(value.y); }

template <class Value>
void demand(const char* name, const std::vector<Value>& values, const Bodies& bodies) {
  if (values.size() != bodies.size())
    throw Error(ErrorKind::input, cat("edit: ", name),
                cat("has ", values.size(), " rows, but there are ", bodies.size(), " grains"),
                "change values, not the number of grains");
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!finite(values[k]))
      throw Error(ErrorKind::input, cat("edit: ", name), cat("of the grain with id ", bodies.id[k], " is not finite"),
                  "nothing was changed; give every grain a finite number");
  }
}

}  // namespace

Engine::Engine(Scene scene, std::vector<MapUse> maps)
    : scene_(std::move(scene)), maps_(std::move(maps)), simulation_(started(scene_)), stepped_(world().step > 0) {
  if (world().step == 0) simulation_.prepare();
}

Engine::Turn::Turn(const Engine& engine) : engine_(engine) {
  if (engine.taken_.exchange(true))
    throw std::runtime_error("the simulation is at work in another thread; wait until that returns");
}

std::shared_ptr<Hold> Engine::hold() const {
  std::shared_ptr<Hold> hold = holds_.lock();
  if (!hold) holds_ = hold = std::make_shared<Hold>(Hold{shared_from_this(), {}});
  return hold;
}

// Whether the coming step may add or remove bodies, without looking closely.
bool Engine::grains_may_change() const {
  const World& w = world();
  const double soon = w.time + simulation_.settings().dt;
  return !w.deletion_zones.empty() || std::ranges::any_of(w.insertions, [&](const Insertion& i) {
    return i.enabled && !i.finished && i.start <= soon;
  }) || std::ranges::any_of(w.events, [&](const Event& e) { return !e.done && e.time <= soon; });
}

// What is due now happens. When arrays look at the bodies and those may move in memory, the memory is set aside first:
// it comes back with the new values if nobody came or went, and else stays with the arrays.
void Engine::do_what_is_due() {
  const std::shared_ptr<Hold> hold = holds_.lock();
  if (!hold || !grains_may_change()) return simulation_.prepare();
  World& w = simulation_.mutable_world();
  hold->kept = w.bodies;
  std::swap(hold->kept, w.bodies);
  holds_.reset();
  simulation_.prepare();
  if (hold->kept.id != w.bodies.id) return;
  copy_into(hold->kept, w.bodies);
  std::swap(hold->kept, w.bodies);
  hold->kept = {};
  holds_ = hold;
}

void Engine::prepare() {
  const Turn turn(*this);
  do_what_is_due();
}

std::uint64_t Engine::advance(std::uint64_t end_step, double due, double seconds) {
  const Turn turn(*this);
  const std::size_t events = events_done();
  const double half = 0.5 * simulation_.settings().dt;
  Stopwatch watch;
  double spent = 0;
  std::uint64_t steps = 0;
  while (world().step < end_step && world().time + half < due && spent < seconds && events_done() == events) {
    do_what_is_due();
    simulation_.step();
    stepped_ = true;
    spent += watch.lap();
    ++steps;
  }
  return steps;
}

std::size_t Engine::events_done() const {
  return static_cast<std::size_t>(std::ranges::count_if(world().events, &Event::done));
}

void Engine::put(const std::vector<Vec2d>& x, const std::vector<double>& theta, const std::vector<Vec2d>& v,
                 const std::vector<double>& omega) {
  const Turn turn(*this);
  const Bodies& bodies = world().bodies;
  demand("x", x, bodies);
  demand("theta", theta, bodies);
  demand("v", v, bodies);
  demand("omega", omega, bodies);
  simulation_.change([&](World& w) {
    copy_into(w.bodies.x, x);
    copy_into(w.bodies.theta, theta);
    copy_into(w.bodies.v, v);
    copy_into(w.bodies.omega, omega);
  });
  stepped_ = false;
}

void Engine::schedule(const std::vector<Event>& events) {
  const Turn turn(*this);
  World& w = simulation_.mutable_world();
  const std::vector<Event> before = w.events;
  w.events.insert(w.events.end(), events.begin(), events.end());
  std::ranges::stable_sort(w.events, {}, &Event::time);
  for (const MapNeed& need : needed_maps(w)) {
    if (!w.map_table.empty() && w.map_of(need.type_a, need.type_b).map) continue;
    w.events = before;
    throw Error(ErrorKind::input, "schedule", "grains would meet that have no contact map yet",
                "put the event into the scene, which then makes the maps");
  }
}

std::vector<double> Engine::series() {
  const Turn turn(*this);
  const Ledger ledger = simulation_.energy();
  return series_values(world().time, world().step, ledger, simulation_.stats(), world().bodies.size());
}

std::uint64_t Engine::state_hash() const {
  const Turn turn(*this);
  return simulation_.state_hash();
}

void Engine::save(const std::filesystem::path& file, const std::vector<MeasureMemory>& measures) const {
  const Turn turn(*this);
  if (!stepped_)
    throw Error(ErrorKind::input, file.string(), "there was no step since the start or the last edit",
                "do a step before saving");
  write_state(file, world(), simulation_.settings(), scene_.text, measures);
}

}  // namespace scree::python
