#include "device_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "interrupt.hpp"
#include "map_options.hpp"
#include "scratch_folder.hpp"
#include "scree/base/error.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/map/map_file.hpp"
#include "scree/shape/library.hpp"
#include "scree/step/worlds.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

constexpr double look_every = 0.5;  // time, while a bed settles
constexpr double still = 0.05;      // mean speed of a settled bed; a grain that falls by its radius has 4.4
constexpr double relax = 0.25;      // time that a settled bed has to get used to another map

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

const OwnedPair& hashes() {
  static const OwnedPair pair = make_pair_argument("hash", "hash", 1);
  return pair;
}

}  // namespace

DeviceBench::DeviceBench(const DeviceOptions& options) : options_(options) {
  if (on_gpu()) card_ = gpu::find_card();
}

void DeviceBench::demand_gpu() const {
  if (!on_gpu()) throw Error(ErrorKind::input, "--device " + options_.device, "this row needs a GPU");
}

void DeviceBench::add(DeviceResult result) {
  line_.clear();
  results_.push_back(std::move(result));
}

StepSettings DeviceBench::settings(const BedRow& what) const {
  StepSettings s;
  s.device = options_.device;
  s.precision = what.in_double ? "double" : "single";
  s.ledger = what.ledger;
  // A small net is wrong by more than the watchdog lets pass.
  if (what.maps.kind == "neural") s.watchdog.enabled = false;
  return s;
}

void DeviceBench::run(Simulation& sim, double time, const std::string& what) {
  auto left = static_cast<std::size_t>(std::ceil(time / sim.settings().dt));
  const std::size_t all = std::max<std::size_t>(1, left);
  while (left > 0) {
    if (interrupted()) throw Interrupted();
    if (line_.due()) line_.show(1 - static_cast<double>(left) / static_cast<double>(all), what);
    const std::size_t now = std::min(left, sim.most_at_once());
    sim.advance(now);
    left -= now;
  }
}

void DeviceBench::settle(Simulation& sim, const std::string& what) {
  double speed = 0;
  for (double t = 0; t < options_.settle; t += look_every) {
    run(sim, std::min(look_every, options_.settle - t),
        fmt::format("{}: settling, t = {:g}{}", what, t, t > 0 ? fmt::format(", mean speed {:.3g}", speed) : ""));
    speed = mean_speed(sim.world());
    if (speed < still) break;
  }
}

std::shared_ptr<const ContactMap> DeviceBench::net(const std::string& name) {
  const auto known = nets_.find(name);
  if (known != nets_.end()) return known->second;
  MapSettings s;
  s.kind = "neural";
  s.net = name;
  if (!on_gpu()) s.samples = 4096, s.epochs = 1;  // a trial: the speed does not depend on the weights
  double operations = 0;                          // forward, and backward to weights and to inputs
  const Fitter by = on_gpu() ? fitter_on("cuda") : Fitter{};
  const Fitter counted = [&](Mlp& mlp, const FitData& data, const FitSettings& fitting, const FitReport& report) {
    operations += 6.0 * static_cast<double>(mlp.parameters.size() * data.count) * fitting.epochs;
    return by(mlp, data, fitting, report);
  };
  ThreadPool pool;
  DeviceResult r{.row = "training", .measure = name + " # - #: training", .unit = "s"};
  nets_[name] = build_map_shown(hashes().pair(), s, pool, line_, r.value, by ? counted : by);
  if (card_ && card_->singles_per_s > 0) r.floor = operations / card_->singles_per_s;
  trained_[name] = r;
  return nets_[name];
}

// Nets get the bed that tables have settled: a small net is too rough to settle one.
World DeviceBench::settled(const BedRow& what) {
  const auto known = settled_.find(what.grains);
  if (known != settled_.end()) return known->second;
  BedRow plain{what.grains, what.maps};
  if (plain.maps.kind == "neural") plain.maps.kind = "table";
  Simulation sim(lattice_bed(what.grains, options_.size, plain.maps, line_), settings(plain));
  settle(sim, what.grains);
  return settled_[what.grains] = sim.world();
}

double DeviceBench::round_milliseconds(Simulation& sim) const {
  if (interrupted()) throw Interrupted();
  Stopwatch watch;
  sim.advance(static_cast<std::size_t>(options_.steps));
  return 1e3 * watch.lap() / options_.steps;
}

void DeviceBench::bed(const std::string& row, const BedRow& what) {
  World world = settled(what);
  if (what.maps.kind == "neural") {
    const auto map = net(what.maps.net);
    for (const MapNeed& need : needed_maps(world)) assign_map(world, need, map);
    std::erase_if(world.maps, [&](const auto& m) { return m != map; });
  }
  const auto grains = static_cast<double>(options_.size.grains);
  const double before = on_gpu() ? static_cast<double>(gpu::free_card_memory()) : 0;
  Simulation sim(std::move(world), settings(what));
  run(sim, relax, row + ": getting used to it");
  std::vector<double> rounds;
  for (int k = 0; k < options_.rounds; ++k) {
    if (line_.due()) line_.show(static_cast<double>(k) / options_.rounds, row + ": timing");
    rounds.push_back(round_milliseconds(sim));
  }
  const StepStats stats = sim.stats();
  DeviceResult r{.row = row, .measure = row + ": step", .unit = "ms"};
  r.value = median(rounds);
  if (on_gpu() && options_.size.grains == BedSize{}.grains) r.bar = what.bar;
  if (on_gpu()) r.bytes_a_grain = (before - static_cast<double>(gpu::free_card_memory())) / grains;
  r.counts = gpu::step_counts(sim.world(), stats.pairs, stats.queries, what.in_double);
  r.dt = sim.settings().dt;
  r.time = sim.world().time;
  r.mean_speed = mean_speed(sim.world());
  if (card_) r.floor = gpu::step_floor(r.counts).milliseconds(card_->bytes_per_s, card_->operations_per_s);
  add(std::move(r));
}

double DeviceBench::card_bytes(World world, const BedRow& what) {
  const auto before = static_cast<double>(gpu::free_card_memory());
  Simulation sim(std::move(world), settings(what));
  sim.advance(100);
  return before - static_cast<double>(gpu::free_card_memory());
}

// Boxes that were let fall; then with nothing to do but steps, and as a learner has it: every 20 steps a side of each
// box is driven another way and all places and velocities are read.
void DeviceBench::worlds() {
  constexpr std::size_t grains = 500, states = 16, action = 20;
  constexpr double settle = 4, push = 0.01;  // time, speed
  StepSettings s;
  s.device = options_.device;
  s.ledger = false;
  Worlds all(box_beds(std::min(states, options_.worlds), grains, line_), s, options_.worlds);
  line_.show(fmt::format("worlds: {} of {} grains come to rest", options_.worlds, grains));
  all.advance(static_cast<std::size_t>(std::min(settle, options_.settle) / all.settings().dt));
  const auto median_seconds = [&](auto&& what) {
    std::vector<double> seconds;
    for (int k = 0; k < options_.rounds; ++k) {
      const Stopwatch watch;
      what();
      seconds.push_back(watch.seconds());
    }
    return median(std::move(seconds));
  };
  const auto steps = static_cast<std::size_t>(options_.steps);
  const auto count = static_cast<double>(options_.worlds);
  const double plain = median_seconds([&] { all.advance(steps); }) / static_cast<double>(steps);
  std::vector<Worlds::Row> places(options_.worlds * all.bodies()), velocities(places.size());
  double speed = push;
  const double acted = median_seconds([&] {
                         speed = -speed;
                         for (std::size_t w = 0; w < options_.worlds; ++w)
                           all.drive(w, "right", {.velocity = {speed, 0}});
                         all.advance(action);
                         all.read(places, velocities);
                       }) /
                       static_cast<double>(action);
  if (!all.faults().empty()) throw all.faults().front().error;
  const std::string name = fmt::format("{} worlds of {} #", options_.worlds, grains);
  add({.row = "worlds", .measure = name, .unit = "million world-steps a s", .value = 1e-6 * count / plain});
  add({.row = "worlds",
       .measure = name + ", driven and read every 20 steps",
       .unit = "million world-steps a s",
       .value = 1e-6 * count / acted});
}

// Of a bed of '#', beyond what maps take: those are there once, however many grains there are.
void DeviceBench::room() {
  demand_gpu();
  const BedRow what{"hash", {}};
  BedSize few = options_.size;
  few.grains = std::max<std::size_t>(1, few.grains / 100);
  const double less = card_bytes(lattice_bed("hash", few, what.maps, line_), what);
  const double bytes =
      (card_bytes(settled(what), what) - less) / static_cast<double>(options_.size.grains - few.grains);
  add({.row = "room",
       .measure = "# that fit",
       .unit = "million a GiB",
       .value = std::ldexp(1.0, 30) / bytes / 1e6,
       .bar = 2,
       .at_least = true,
       .bytes_a_grain = bytes});
}

void DeviceBench::training() {
  demand_gpu();
  const auto map = net("silu-5x64");
  DeviceResult took = trained_.at("silu-5x64");
  took.bar = 10;
  add(took);
  // As exact as `scree bench maps` asks of the CPU's.
  add({.row = "training",
       .measure = "silu-5x64 # - #: gap RMSE",
       .unit = "R",
       .value = map->error().gap_rmse,
       .bar = 0.006});
}

void DeviceBench::queries() {
  demand_gpu();
  const std::vector<std::size_t> poses{30'000, 3'000'000};
  const ScratchFolder folder;
  std::vector<fs::path> files;
  std::map<std::pair<std::string, std::size_t>, double> ours;
  for (const std::string name : {"relu-3x32", "relu-5x64", "silu-5x64"}) {
    const auto map = std::dynamic_pointer_cast<const NeuralMap>(net(name));
    MapSettings s;
    s.kind = "neural";
    s.net = name;
    files.push_back(folder.path() / (name + ".safetensors"));
    save_map(files.back(), *map, identity_of(hashes().pair(), s));
    for (const std::size_t count : poses) {
      line_.show(fmt::format("{}: {} queries", name, count));
      const double n = static_cast<double>(count), ms = ours[{name, count}] = gpu::query_milliseconds(*map, count);
      // Three numbers in, five out.
      const gpu::StepFloor least{8 * sizeof(float) * n, gpu::operations_of(*map) * n};
      add({.row = "queries",
           .measure = fmt::format("{}: {} queries", name, count),
           .unit = "ms",
           .value = ms,
           .floor = least.milliseconds(card_->bytes_per_s, card_->operations_per_s)});
    }
  }
  try {
    against_torch(files, poses, ours);
  } catch (const Error& e) {
    line_.clear();
    notes_.push_back(std::string("not held against PyTorch: ") + e.what());
  }
}

void DeviceBench::against_torch(const std::vector<fs::path>& maps, const std::vector<std::size_t>& poses,
                                const std::map<std::pair<std::string, std::size_t>, double>& ours) {
  line_.show("the same queries by PyTorch");
  const TorchTimes torch = torch_queries(options_.torch, maps, poses);
  for (const auto& [key, ms] : torch) {
    const auto& [name, count, way] = key;
    const bool judged = name == "silu-5x64" && way == "eager fp32";
    add({.row = "queries",
         .measure = fmt::format("{}: {} queries, PyTorch {} over it", name, count, way),
         .unit = "x",
         .value = ms / ours.at({name, count}),
         .bar = !judged             ? 0.0
                : count > 1'000'000 ? 8.0
                                    : 20.0,
         .at_least = true});
  }
}

}  // namespace scree::cli
