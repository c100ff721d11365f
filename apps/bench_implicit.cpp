// `scree bench implicit`: piles poured by large steps, from the fall to rest: cost, exact overlaps, what still moves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "processor_time.hpp"
#include "scene_options.hpp"
#include "scenes_folder.hpp"
#include "scree/base/error.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/contact/exact_overlap.hpp"
#include "scree/cuda/card.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::vector<std::string> only;
  std::string device = "cpu";
  std::string output;  // of the device unless stated
  std::string scenes;
  double duration = 0;
};

struct Row {
  std::string name, meaning, scene;
  std::vector<std::string> overrides;
  double cost = 0;            // bars: processor seconds a simulated second at rest, one thread; 0: none
  double rest = 0, ever = 0;  // exact overlap, length
  double speed = 0;           // rms at rest
  double two_threads = 0;     // times faster at rest
  double real_time = 0;       // of the whole pour on two threads
  bool on_cpu = true, on_device = true;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"hashes-1k", "1,000 '#'", "bench/implicit-hashes.toml", {"run.duration=12"}, 0.08, 0.01, 0.04, 0, 0, 0},
      {"hashes-6k", "6,300 '#'", "bench/implicit-hashes.toml", {"insert[0].count=6300"}, 1, 0.01, 0.05, 0.003, 1.7, 0},
      {"hashes-100k",  // as deep as 6,300
       "100,000 '#'",
       "bench/implicit-hashes.toml",
       {"insert[0].count=100000", "insert[0].x=[0, 1111]", "walls[0].x=[0, 1111]"},
       0,
       0,
       0,
       0,
       0,
       0,
       false},
      {"letters-10k", "10,000 letters", "bench/implicit-letters.toml", {}, 0, 0, 0, 0, 0, 0.5, true, false}};
  return all;
}

struct Result {
  const Row* row = nullptr;
  std::size_t grains = 0;
  double falling = 0, resting = 0;  // processor seconds a simulated second, one thread
  double rest = 0, ever = 0, speed = 0;
  double two_threads = 0, real_time = 0;
  int substeps = 0;
};

double rms_speed(const World& world) {
  double squares = 0;
  for (const Vec2d v : world.bodies.v) squares += norm2(v);
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, world.bodies.size())));
}

double processor_of(Simulation& sim, int steps) {
  const double before = processor_seconds();
  for (int k = 0; k < steps; ++k) {
    if (interrupted()) throw Interrupted();
    sim.step();
  }
  return processor_seconds() - before;
}

double wall_of(Simulation& sim, int steps) {
  Stopwatch watch;
  for (int k = 0; k < steps; ++k) sim.step();
  return watch.lap();
}

Result measure(const Row& row, const fs::path& scenes, double duration, ProgressLine& line) {
  Scene scene = load_scene(scenes / row.scene, row.overrides);
  ThreadPool pool;
  attach_maps_shown(scene, false, pool, line);
  StepSettings settings = scene.step;
  settings.threads = row.real_time > 0 ? 2 : 1;
  Simulation sim(std::move(scene.world), settings);
  const double dt = sim.settings().dt, end = duration > 0 ? duration : scene.run.duration;
  Result r;
  r.row = &row;
  ExactOverlap exact(sim.world());
  double processor = 0, wall = 0;
  constexpr int steps = 6;
  while (sim.world().time < end - 0.5 * dt) {
    if (line.due()) line.show(sim.world().time / end, row.name);
    Stopwatch watch;
    processor += processor_of(sim, steps);
    wall += watch.lap();
    if (row.ever > 0) r.ever = std::max(r.ever, exact.deepest(sim.world(), pool, r.ever));
  }
  r.grains = sim.world().bodies.size();
  r.falling = processor / sim.world().time;
  r.real_time = row.real_time > 0 ? sim.world().time / wall : 0;
  line.show(row.name + " at rest");
  // Short ones, turn and turn about: what else the machine does falls on both.
  constexpr int rounds = 20, a_second = 4;
  const int some = std::max(1, static_cast<int>(std::lround(1 / (a_second * dt))));
  std::vector<double> costs, ratios;
  settings.threads = 2;
  World copy = sim.world();
  Simulation two(std::move(copy), settings);
  for (int k = 0; k < (row.real_time > 0 ? 0 : rounds); ++k) {
    Stopwatch watch;
    costs.push_back(processor_of(sim, some) / (some * dt));
    const double one = watch.lap();
    ratios.push_back(one / wall_of(two, some));
  }
  if (!costs.empty()) {
    std::ranges::sort(costs), std::ranges::sort(ratios);
    r.resting = costs[costs.size() / 2], r.two_threads = ratios[ratios.size() / 2];
    if (two.state_hash() != sim.state_hash())
      throw Error(ErrorKind::physics, row.name, "two threads gave other bits", "report this");
  }
  r.rest = exact.deepest(sim.world(), pool);
  r.speed = rms_speed(sim.world());
  r.substeps = sim.stats().substeps;
  line.clear();
  return r;
}

// On a device, as long as a clock says: many steps at a time, and a look at the contacts between.
Result measure_on(const std::string& device, const Row& row, const fs::path& scenes, double duration,
                  ProgressLine& line) {
  Scene scene = load_scene(scenes / row.scene, row.overrides);
  ThreadPool pool;
  attach_maps_shown(scene, false, pool, line);
  StepSettings settings = scene.step;
  settings.device = device;
  Simulation sim(std::move(scene.world), settings);
  const double dt = sim.settings().dt, end = duration > 0 ? duration : scene.run.duration;
  const auto second = static_cast<std::size_t>(std::lround(1 / dt));
  const auto advance = [&](std::size_t steps) {
    if (interrupted()) throw Interrupted();
    Stopwatch watch;
    sim.advance(steps);
    return watch.lap();
  };
  Result r;
  r.row = &row;
  double wall = advance(1);  // by the CPU
  while (sim.glance().time < end - 0.5 * dt) {
    if (line.due()) line.show(sim.glance().time / end, row.name);
    wall += advance(second / 2);
    for (const Contact& c : sim.world().contacts) r.ever = std::max(r.ever, -c.gap);
  }
  r.grains = sim.world().bodies.size();
  r.falling = wall / sim.world().time;
  line.show(row.name + " at rest");
  std::vector<double> costs;
  for (int k = 0; k < 5; ++k) costs.push_back(advance(second));
  std::ranges::sort(costs);
  r.resting = costs[costs.size() / 2];
  r.real_time = 1 / r.resting;
  r.rest = ExactOverlap(sim.world()).deepest(sim.world(), pool);
  r.speed = rms_speed(sim.world());
  r.substeps = sim.stats().substeps;
  line.clear();
  return r;
}

// "value (bar) ok" or MISSED; smaller is better unless `at_least`.
std::string judged(double value, double bar, bool at_least = false) {
  if (value == 0 && bar == 0) return "";
  const std::string text = fmt::format("{:.3g}", value);
  if (bar == 0) return text;
  return fmt::format("{} ({}{:.3g}) {}", text, at_least ? ">= " : "<= ", bar,
                     (at_least ? value >= bar : value <= bar) ? "ok" : "MISSED");
}

void append_csv(const fs::path& file, const std::string& columns, const std::vector<std::string>& lines) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const bool fresh = !fs::exists(file);
  std::ofstream out(file, std::ios::app);
  if (fresh) out << "date,commit," << columns << '\n';
  for (const std::string& line : lines) out << utc_now() << ',' << commit() << ',' << line << '\n';
  if (!out.flush()) throw Error(ErrorKind::system, file.string(), "cannot be written", "choose another file with -o");
  fmt::print("appended to {}\n", file.string());
}

void keep(const fs::path& file, const std::vector<Result>& results) {
  std::vector<std::string> lines;
  for (const Result& r : results)
    lines.push_back(fmt::format("\"{}\",{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}", cpu_model(),
                                r.row->name, r.grains, r.substeps, r.falling, r.resting, r.rest, r.ever, r.speed,
                                r.two_threads, r.real_time));
  append_csv(file,
             "cpu,scene,grains,substeps,processor_per_second_pour,processor_per_second_rest,overlap_rest,overlap_ever,"
             "rms_speed,two_threads,real_time",
             lines);
}

void keep_device(const fs::path& file, const gpu::Card& card, const std::vector<Result>& results) {
  std::vector<std::string> lines;
  for (const Result& r : results)
    lines.push_back(fmt::format("\"{}\",{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}", card.name, card.driver,
                                r.row->name, r.grains, r.substeps, r.falling, r.resting, r.rest, r.ever, r.speed));
  append_csv(file,
             "device,driver,scene,grains,substeps,seconds_per_second_pour,seconds_per_second_rest,overlap_rest,"
             "overlap_ever,rms_speed",
             lines);
}

// Of devices there are no bars.
void show_device(const std::string& machine, const std::vector<Result>& results) {
  TextTable table(
      {"pile", "substeps", "s a sim. s, pour", "at rest", "real time at rest", "overlap at rest", "ever", "rms speed"});
  for (const Result& r : results)
    table.row({r.row->meaning, std::to_string(r.substeps), fmt::format("{:.3g}", r.falling),
               fmt::format("{:.3g}", r.resting), fmt::format("{:.3g}", r.real_time), fmt::format("{:.3g}", r.rest),
               fmt::format("{:.3g}", r.ever), fmt::format("{:.3g}", r.speed)});
  fmt::print("{}, commit {}; seconds by the clock, overlaps at rest by exact maps, ever by the contacts\n{}", machine,
             commit(), table.text());
}

void bench_implicit(const Options& o) {
  const InterruptGuard guard;
  const fs::path scenes = scenes_folder(o.scenes, "scree bench implicit");
  ProgressLine line;
  std::vector<Result> results;
  const bool cpu = o.device == "cpu";
  for (const Row& row : rows()) {
    if (!o.only.empty() ? std::ranges::count(o.only, row.name) == 0 : !(cpu ? row.on_cpu : row.on_device)) continue;
    results.push_back(cpu ? measure(row, scenes, o.duration, line)
                          : measure_on(o.device, row, scenes, o.duration, line));
  }
  const auto output = [&](const char* usual) { return fs::path(o.output.empty() ? usual : o.output); };
  if (o.device == "serial") {
    show_device("the stages of a GPU on the CPU", results);
    return fmt::print("nothing is kept: no time means anything here\n");
  }
  if (!cpu) {
    const gpu::Card card = gpu::find_card();
    show_device(fmt::format("{}, driver {}", card.name, card.driver), results);
    return keep_device(output("bench/results/implicit-gpu.csv"), card, results);
  }
  TextTable table({"pile", "substeps", "s a sim. s, pour", "at rest", "overlap at rest", "ever", "rms speed",
                   "two threads", "real time"});
  for (const Result& r : results)
    table.row({r.row->meaning, std::to_string(r.substeps), fmt::format("{:.3g}", r.falling),
               judged(r.resting, r.row->cost), judged(r.rest, r.row->rest), judged(r.ever, r.row->ever),
               judged(r.speed, r.row->speed), judged(r.two_threads, r.row->two_threads, true),
               judged(r.real_time, r.row->real_time, true)});
  fmt::print("{}, commit {}; processor time on one thread, exact overlaps, bars in brackets\n{}", cpu_model(), commit(),
             table.text());
  keep(output("bench/results/implicit.csv"), results);
}

}  // namespace

void add_bench_implicit(CLI::App& bench) {
  auto o = std::make_shared<Options>();
  CLI::App* implicit = bench.add_subcommand("implicit", "piles by large steps: cost, overlap, rest");
  std::vector<std::string> names;
  for (const Row& row : rows()) names.push_back(row.name);
  implicit->add_option("--only", o->only, "run only these rows")->delimiter(',')->check(CLI::IsMember(names));
  implicit->add_option("--device", o->device, "where steps are done: a device runs the piles of '#'")
      ->check(CLI::IsMember(device_names()))
      ->capture_default_str();
  implicit->add_option("--duration", o->duration, "of the pour, time; default: the scene's")
      ->check(not_negative_number);
  implicit->add_option("--scenes", o->scenes, "folder of scene files")->type_name("FOLDER");
  implicit->add_option("-o,--output", o->output, "CSV file to append to")
      ->type_name("FILE")
      ->default_str("bench/results/implicit.csv, or implicit-gpu.csv");
  implicit->footer(
      "Examples:\n"
      "  scree bench implicit --only hashes-1k           seconds; all of it takes minutes\n"
      "  scree bench implicit --device cuda              1,000, 6,300 and 100,000 '#' on a GPU");
  implicit->callback([o] { bench_implicit(*o); });
}

}  // namespace scree::cli
