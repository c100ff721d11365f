// `scree bench implicit`: piles poured by large steps, from the fall to rest: cost, exact overlaps, what still moves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "processor_time.hpp"
#include "scene_options.hpp"
#include "scenes_folder.hpp"
#include "scree/base/error.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/contact/exact_overlap.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::vector<std::string> only;
  std::string output = "bench/results/implicit.csv";
  std::string scenes;
};

struct Row {
  std::string name, meaning, scene;
  std::vector<std::string> overrides;
  double cost = 0;            // bars: processor seconds a simulated second at rest, one thread; 0: none
  double rest = 0, ever = 0;  // exact overlap, length
  double speed = 0;           // rms at rest
  double two_threads = 0;     // times faster at rest
  double real_time = 0;       // of the whole pour on two threads
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"hashes-1k", "1,000 '#'", "bench/implicit-hashes.toml", {"run.duration=12"}, 0.08, 0.01, 0.04, 0, 0, 0},
      {"hashes-6k", "6,300 '#'", "bench/implicit-hashes.toml", {"insert[0].count=6300"}, 1, 0.01, 0.05, 0.003, 1.7, 0},
      {"letters-10k", "10,000 letters", "bench/implicit-letters.toml", {}, 0, 0, 0, 0, 0, 0.5}};
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

Result measure(const Row& row, const fs::path& scenes, ProgressLine& line) {
  Scene scene = load_scene(scenes / row.scene, row.overrides);
  ThreadPool pool;
  attach_maps_shown(scene, false, pool, line);
  StepSettings settings = scene.step;
  settings.threads = row.real_time > 0 ? 2 : 1;
  Simulation sim(std::move(scene.world), settings);
  const double dt = sim.settings().dt, end = scene.run.duration;
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
  const int second = static_cast<int>(std::lround(1 / dt));
  std::vector<double> costs, ratios;
  settings.threads = 2;
  World copy = sim.world();
  Simulation two(std::move(copy), settings);
  for (int k = 0; k < (row.real_time > 0 ? 0 : 5); ++k) {
    Stopwatch watch;
    costs.push_back(processor_of(sim, second));
    const double one = watch.lap();
    ratios.push_back(one / wall_of(two, second));
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

// "value (bar) ok" or MISSED; smaller is better unless `at_least`.
std::string judged(double value, double bar, bool at_least = false) {
  if (value == 0 && bar == 0) return "";
  const std::string text = fmt::format("{:.3g}", value);
  if (bar == 0) return text;
  return fmt::format("{} ({}{:.3g}) {}", text, at_least ? ">= " : "<= ", bar,
                     (at_least ? value >= bar : value <= bar) ? "ok" : "MISSED");
}

void append_csv(const fs::path& file, const std::vector<Result>& results) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const bool fresh = !fs::exists(file);
  std::ofstream out(file, std::ios::app);
  if (fresh)
    out << "date,commit,cpu,scene,grains,substeps,processor_per_second_pour,processor_per_second_rest,overlap_rest,"
           "overlap_ever,rms_speed,two_threads,real_time\n";
  for (const Result& r : results)
    out << fmt::format("{},{},\"{}\",{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}\n", utc_now(), commit(),
                       cpu_model(), r.row->name, r.grains, r.substeps, r.falling, r.resting, r.rest, r.ever, r.speed,
                       r.two_threads, r.real_time);
  if (!out.flush()) throw Error(ErrorKind::system, file.string(), "cannot be written", "choose another file with -o");
}

void bench_implicit(const Options& o) {
  const InterruptGuard guard;
  const fs::path scenes = scenes_folder(o.scenes, "scree bench implicit");
  ProgressLine line;
  std::vector<Result> results;
  for (const Row& row : rows()) {
    if (o.only.empty() || std::ranges::count(o.only, row.name) > 0) results.push_back(measure(row, scenes, line));
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
  append_csv(o.output, results);
  fmt::print("appended to {}\n", o.output);
}

}  // namespace

void add_bench_implicit(CLI::App& bench) {
  auto o = std::make_shared<Options>();
  CLI::App* implicit = bench.add_subcommand("implicit", "piles by large steps: cost, overlap, rest");
  std::vector<std::string> names;
  for (const Row& row : rows()) names.push_back(row.name);
  implicit->add_option("--only", o->only, "run only these rows")->delimiter(',')->check(CLI::IsMember(names));
  implicit->add_option("--scenes", o->scenes, "folder of scene files")->type_name("FOLDER");
  implicit->add_option("-o,--output", o->output, "CSV file to append to")->type_name("FILE")->capture_default_str();
  implicit->footer("Example:\n  scree bench implicit --only hashes-1k           seconds; all of it takes minutes");
  implicit->callback([o] { bench_implicit(*o); });
}

}  // namespace scree::cli
