// `scree bench scenes`: whole steps of settled beds, replayed from kept states.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>

#include "build_info.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "processor_time.hpp"
#include "scenes_folder.hpp"
#include "scree/base/error.hpp"
#include "scree/base/stopwatch.hpp"
#include "settled_beds.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::vector<std::string> only;
  std::string output = "bench/results/scenes.csv";
  std::string states = "out/bench/states";
  std::string scenes;
  int threads = 1;
  int rounds = 21;
  bool profile = false;
};

struct Row {
  std::string name;
  std::string meaning;
  BedRecipe bed;
  int tiles = 1;
  double bar = 0;        // ms a step on one thread, or times faster than one thread; 0: none
  int threads = 0;       // 0: those asked for; else held against one thread, round by round
  bool by_name = false;  // run only when named
};

const std::vector<Row>& rows() {
  const BedRecipe crosses{"star-packing.toml", {}, {}, 0};
  const BedRecipe crosses_table{"star-packing.toml", {}, {"maps.kind=table"}, 0.05};
  const BedRecipe hashes{"bench/hashes.toml", {}, {}, 0};
  const BedRecipe neural{"bench/hashes.toml", {"insert[0].count=1050"}, {"maps.kind=neural"}, 0.02};
  const BedRecipe discs{"bench/discs.toml", {}, {}, 0};
  static const std::vector<Row> all{{"crosses-star", "3,154 crosses of StarDEM's packing, star contact", crosses, 1, 2},
                                    {"crosses-table", "the same through table maps", crosses_table, 1, 1},
                                    {"hashes-1k", "1,000 '#', table map", hashes, 1, 0.3},
                                    {"discs-10k", "10,000 discs", discs, 10, 0.9},
                                    {"hashes-10k", "10,000 '#', table map", hashes, 10, 4},
                                    {"hashes-10k-2", "the same on two threads", hashes, 10, 1.8, 2},
                                    {"hashes-neural", "6,300 '#', 5x64 neural map", neural, 6, 16},
                                    {"hashes-100k", "100,000 '#', table map", hashes, 100, 48},
                                    {"hashes-1M", "1,000,000 '#', table map", hashes, 1000, 0, 0, true}};
  return all;
}

struct Result {
  const Row* row = nullptr;
  int threads = 1;
  std::size_t grains = 0, pairs = 0, queries = 0, contacts = 0;
  double median = 0, low = 0, high = 0;  // ms a step: median and quartiles over rounds
  double processor = 0;                  // ms of processor time a step, median over rounds
  double speedup = 0;                    // against one thread, median over rounds; 0: not measured
  double bytes = 0;                      // of world and simulation, maps aside
  double rebuilds = 0;                   // a step
  StageTimes stages;                     // seconds a step

  // What is held against the bar: on one thread without the waiting for a core, which a shared machine adds.
  double cost() const { return threads == 1 ? processor : median; }
  bool judged() const { return row->bar > 0 && (row->threads > 0 || threads == 1); }
  bool met() const { return row->threads > 0 ? speedup >= row->bar : cost() <= row->bar; }
};

// Bytes of the heap in use, large blocks included.
double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double quantile(std::vector<double> values, double share) {
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

double step_seconds(Simulation& sim, int steps) {
  Stopwatch watch;
  for (int k = 0; k < steps; ++k) {
    if (interrupted()) throw Interrupted();
    sim.step();
  }
  return watch.lap() / steps;
}

StageTimes per_step(const StageTimes& before, const StageTimes& after, double steps) {
  const auto mean = [&](double StageTimes::*stage) { return (after.*stage - before.*stage) / steps; };
  const auto part = [&](double NarrowTimes::*p) { return (after.parts.*p - before.parts.*p) / steps; };
  StageTimes t;
  for (const auto stage : {&StageTimes::drive, &StageTimes::broad, &StageTimes::narrow, &StageTimes::walls,
                           &StageTimes::integrate, &StageTimes::ledger, &StageTimes::watchdog})
    t.*stage = mean(stage);
  for (const auto p :
       {&NarrowTimes::collect, &NarrowTimes::query, &NarrowTimes::emit, &NarrowTimes::finish, &NarrowTimes::gather})
    t.parts.*p = part(p);
  return t;
}

Result measure(const Row& row, const Options& o, const fs::path& scenes, ProgressLine& line) {
  Bed bed = settled_bed(row.bed, scenes, o.states, line);
  if (row.tiles > 1) tile(bed.world, row.tiles);
  line.show(row.name);
  const double before = heap_bytes();
  World world = bed.world;
  world.contacts.shrink_to_fit();
  bed.settings.threads = row.threads > 0 ? row.threads : o.threads;
  Simulation sim(std::move(world), bed.settings);
  std::optional<Simulation> alone;  // what it is held against, round by round
  Result r;
  r.row = &row;
  r.threads = sim.settings().threads;
  r.grains = sim.world().bodies.size();
  const double about = step_seconds(sim, 3);
  step_seconds(sim, std::clamp(static_cast<int>(0.2 / about), 2, 200));  // warm up
  const int steps = std::clamp(static_cast<int>(0.05 / about), 2, 500);  // of a round
  const double bytes = heap_bytes() - before;
  if (row.threads > 0) {
    bed.settings.threads = 1;
    alone.emplace(std::move(bed.world), bed.settings);
    step_seconds(*alone, std::clamp(static_cast<int>(0.2 / about), 2, 200));
  }
  const StageTimes start = sim.stage_times();
  const std::uint64_t rebuilds = sim.stats().rebuilds;
  std::vector<double> rounds, processor, speedups;
  for (int k = 0; k < o.rounds; ++k) {
    const double before_round = processor_seconds();
    rounds.push_back(1e3 * step_seconds(sim, steps));
    processor.push_back(1e3 * (processor_seconds() - before_round) / steps);
    if (alone) speedups.push_back(1e3 * step_seconds(*alone, steps) / rounds.back());
  }
  const double all = static_cast<double>(steps) * o.rounds;
  r.median = quantile(rounds, 0.5), r.low = quantile(rounds, 0.25), r.high = quantile(rounds, 0.75);
  r.processor = quantile(processor, 0.5);
  r.bytes = bytes;
  if (alone) r.speedup = quantile(speedups, 0.5);
  r.stages = per_step(start, sim.stage_times(), all);
  r.rebuilds = static_cast<double>(sim.stats().rebuilds - rebuilds) / all;
  r.pairs = sim.stats().pairs, r.queries = sim.stats().queries, r.contacts = sim.stats().contacts;
  line.clear();
  return r;
}

void print_profile(const std::vector<Result>& results) {
  TextTable table({"share of a step, %", "broad", "collect", "query", "emit", "law", "gather", "walls", "integrate",
                   "ledger", "watchdog", "drive"});
  for (const Result& r : results) {
    const StageTimes& s = r.stages;
    const double all = s.total(), parts = s.parts.total();
    const auto share = [&](double seconds) { return fmt::format("{:.1f}", 100 * seconds / all); };
    const auto narrow = [&](double part) { return share(s.narrow * part / std::max(parts, 1e-300)); };
    table.row({r.row->name, share(s.broad), narrow(s.parts.collect), narrow(s.parts.query), narrow(s.parts.emit),
               narrow(s.parts.finish), narrow(s.parts.gather), share(s.walls), share(s.integrate), share(s.ledger),
               share(s.watchdog), share(s.drive)});
  }
  fmt::print("\n{}", table.text());
  TextTable counts({"scene", "listed pairs", "queries asked", "skipped", "contacts", "steps a rebuild", "ns a grain",
                    "bytes a grain", "budget"});
  for (const Result& r : results) {
    const auto grains = static_cast<double>(r.grains);
    counts.row({r.row->name, grouped(r.pairs), grouped(r.queries), grouped(r.pairs - r.queries), grouped(r.contacts),
                r.rebuilds > 0 ? fmt::format("{:.0f}", 1 / r.rebuilds) : "",
                fmt::format("{:.0f}", 1e6 * r.cost() / grains), fmt::format("{:.0f}", r.bytes / grains),
                fmt::format("{:.0f}", 400 + 100 * static_cast<double>(r.contacts) / grains)});
  }
  fmt::print("\n{}budget: 400 bytes a grain and 100 a contact\n", counts.text());
}

void append_csv(const fs::path& file, const std::vector<Result>& results) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const bool fresh = !fs::exists(file);
  std::ofstream out(file, std::ios::app);
  if (fresh)
    out << "date,commit,cpu,threads,scene,grains,pairs,queries,contacts,step_ms,"
           "quartile_low_ms,quartile_high_ms,processor_ms,bar_ms,bytes_per_grain,broad,collect,query,emit,law,walls,"
           "gather,integrate,ledger,watchdog,drive\n";
  for (const Result& r : results) {
    const StageTimes& s = r.stages;
    out << fmt::format("{},{},\"{}\",{},{},{},{},{},{},{:.5g},{:.5g},{:.5g},{:.5g},{:.4g},{:.0f}", utc_now(), commit(),
                       cpu_model(), r.threads, r.row->name, r.grains, r.pairs, r.queries, r.contacts, r.median, r.low,
                       r.high, r.processor, r.row->bar, r.bytes / static_cast<double>(r.grains));
    for (const double seconds : {s.broad, s.parts.collect, s.parts.query, s.parts.emit, s.parts.finish, s.walls,
                                 s.parts.gather, s.integrate, s.ledger, s.watchdog, s.drive})
      out << fmt::format(",{:.4g}", 1e3 * seconds);
    out << '\n';
  }
  if (!out.flush()) throw Error(ErrorKind::system, file.string(), "cannot be written", "choose another file with -o");
}

void bench_scenes(const Options& o) {
  const InterruptGuard guard;
  const fs::path scenes = scenes_folder(o.scenes, "scree bench scenes");
  ProgressLine line;
  std::vector<Result> results;
  for (const Row& row : rows()) {
    const bool named = std::find(o.only.begin(), o.only.end(), row.name) != o.only.end();
    if (named || (o.only.empty() && !row.by_name)) results.push_back(measure(row, o, scenes, line));
  }
  TextTable table({"scene", "what", "threads", "ms a step", "quartiles", "processor", "speed-up", "bar", ""});
  for (const Result& r : results) {
    table.row({r.row->name, r.row->meaning, std::to_string(r.threads), fmt::format("{:.3f}", r.median),
               fmt::format("{:.3f} - {:.3f}", r.low, r.high), fmt::format("{:.3f}", r.processor),
               r.speedup > 0 ? fmt::format("{:.2f}", r.speedup) : "",
               r.judged() ? fmt::format("{:.3g}", r.row->bar) : "",
               !r.judged() ? ""
               : r.met()   ? "ok"
                           : "MISSED"});
  }
  fmt::print("{}, commit {}, median of {} rounds\n{}", cpu_model(), commit(), o.rounds, table.text());
  if (o.profile) print_profile(results);
  append_csv(o.output, results);
  fmt::print("appended to {}\n", o.output);
}

}  // namespace

void add_bench_scenes(CLI::App& bench) {
  auto o = std::make_shared<Options>();
  CLI::App* scenes = bench.add_subcommand("scenes", "whole steps of settled beds");
  std::vector<std::string> names;
  std::string help = "Rows:\n";
  for (const Row& row : rows()) {
    names.push_back(row.name);
    help += fmt::format("  {:<15}{}{}\n", row.name, row.meaning, row.by_name ? " (only when named)" : "");
  }
  help += "Beds are settled once, which takes minutes, and kept.";
  scenes->add_option("--only", o->only, "run only these rows")->delimiter(',')->check(CLI::IsMember(names));
  scenes->add_option("--threads", o->threads, "0: one per core")
      ->check(CLI::Range(0, most_threads))
      ->capture_default_str();
  scenes->add_option("--rounds", o->rounds, "rounds of which the median counts")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  scenes->add_flag("--profile", o->profile, "print each stage's share, queries and memory");
  scenes->add_option("--states", o->states, "folder of settled states")->type_name("FOLDER")->capture_default_str();
  scenes->add_option("--scenes", o->scenes, "folder of scene files")->type_name("FOLDER");
  scenes->add_option("-o,--output", o->output, "CSV file to append to")->type_name("FILE")->capture_default_str();
  scenes->footer(help);
  scenes->callback([o] { bench_scenes(*o); });
}

}  // namespace scree::cli
