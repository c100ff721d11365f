// `scree bench`: the speeds and errors this project promises, measured here and now.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "map_options.hpp"
#include "scratch_folder.hpp"
#include "scree/base/error.hpp"
#include "scree/base/parallel.hpp"
#include "scree/learn/factory.hpp"
#include "scree/map/map_cache.hpp"
#include "scree/shape/glyph.hpp"
#include "scree/shape/library.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

struct Measure {
  std::string name, unit;
  double value = 0, bar = 0;
  bool met() const { return value <= bar; }
};

struct Options {
  std::vector<std::string> only;
  std::string output = "bench/results/maps.csv";
  int threads = 0;
};

struct Bench {
  ThreadPool pool;
  ProgressLine line;
  std::vector<Measure> results;
  explicit Bench(int threads) : pool(threads) {}

  void add(std::string name, std::string unit, double value, double bar) {
    line.clear();
    results.push_back({std::move(name), std::move(unit), value, bar});
  }
};

const OwnedPair& hashes() {
  static const OwnedPair pair = make_pair_argument("hash", "hash", 1);
  return pair;
}

MapSettings neural(const std::string& net) {
  MapSettings s;
  s.kind = "neural";
  s.net = net;
  return s;
}

void bench_table(Bench& b) {
  double seconds = 0;
  const auto map = build_map_shown(hashes().pair(), {}, b.pool, b.line, seconds);
  b.add("table # - #: build", "s", seconds, 5);
  b.add("table # - #: gap RMSE", "R", map->error().gap_rmse, 0.002);
  b.add("table # - #: query", "ns", query_nanoseconds(*map, hashes().pair()), 80);
}

void bench_net(Bench& b, const std::string& net, double most_seconds, double most_rmse) {
  double seconds = 0;
  const auto map = build_map_shown(hashes().pair(), neural(net), b.pool, b.line, seconds);
  b.add(net + " # - #: training", "s", seconds, most_seconds);
  if (most_rmse > 0) b.add(net + " # - #: gap RMSE", "R", map->error().gap_rmse, most_rmse);
}

// Speed does not depend on the weights, so this net is hardly trained.
void bench_net_query(Bench& b) {
  MapSettings s = neural("silu-5x64");
  s.samples = 4096;
  s.epochs = 1;
  double seconds = 0;
  const auto map = build_map_shown(hashes().pair(), s, b.pool, b.line, seconds);
  b.add("silu-5x64: query", "µs", query_nanoseconds(*map, hashes().pair()) / 1e3, 1.2);
}

// The shapes of scenes/drum.toml: the letters of I ♥ GRAPHICS and the block that builds the drum.
std::vector<Shape> drum_shapes() {
  std::vector<Shape> shapes;
  for (const char* character : {"I", "♥", "G", "R", "A", "P", "H", "C", "S"}) shapes.push_back(make_glyph(character));
  shapes.push_back(make_named_shape("box"));
  return shapes;
}

double fetch_all(Bench& b, const std::vector<Shape>& shapes, const MapCache& cache, const std::string& how) {
  const auto start = Clock::now();
  std::size_t done = 0;
  const std::size_t all = shapes.size() * (shapes.size() + 1) / 2;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i; j < shapes.size(); ++j, ++done) {
      const ShapePair pair{&shapes[i], &shapes[j], shapes[j].natural_radius / shapes[i].natural_radius};
      const auto build = [&] {
        return build_map(pair, {}, b.pool, [&](double fraction, const std::string& stage) {
          if (interrupted()) throw Interrupted();
          if (b.line.due())
            b.line.show(fmt::format("{} drum, {}: {}/{} {} - {}  {}",
                                    bar((static_cast<double>(done) + fraction) / static_cast<double>(all)), how,
                                    done + 1, all, pair.a->name, pair.b->name, stage));
        });
      };
      cache.get(pair, {}, build);
    }
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void bench_drum(Bench& b) {
  const ScratchFolder folder;
  const std::vector<Shape> shapes = drum_shapes();
  b.add("drum, 55 pairs: cold", "s", fetch_all(b, shapes, MapCache(folder.path()), "cold"), 180);
  b.add("drum, 55 pairs: warm", "s", fetch_all(b, shapes, MapCache(folder.path()), "warm"), 2);
}

struct Row {
  const char* name;
  const char* meaning;
  void (*run)(Bench&);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"table", "table of # - #: build time, error, query time", bench_table},
      {"net-query", "query time of a 5x64 net", bench_net_query},
      {"relu-3x32", "training of the paper's small net", [](Bench& b) { bench_net(b, "relu-3x32", 25, 0); }},
      {"silu-5x64", "training and error of the default net", [](Bench& b) { bench_net(b, "silu-5x64", 150, 0.006); }},
      {"drum", "the 55 tables of the drum, cold and warm", bench_drum}};
  return all;
}

void append_csv(const fs::path& file, const std::vector<Measure>& results, int threads) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const bool fresh = !fs::exists(file);
  std::ofstream out(file, std::ios::app);
  if (fresh) out << "date,commit,cpu,threads,measure,unit,value,bar,met\n";
  for (const Measure& m : results)
    out << fmt::format("{},{},\"{}\",{},\"{}\",{},{:.5g},{:g},{}\n", utc_now(), commit(), cpu_model(), threads, m.name,
                       m.unit, m.value, m.bar, m.met() ? "yes" : "no");
  if (!out.flush()) throw Error(ErrorKind::system, file.string(), "cannot be written", "choose another file with -o");
}

void bench_maps(const Options& o) {
  const InterruptGuard guard;
  Bench b(o.threads);
  for (const Row& row : rows())
    if (o.only.empty() || std::find(o.only.begin(), o.only.end(), row.name) != o.only.end()) row.run(b);
  TextTable table({"measure", "measured", "bar", "unit", ""});
  for (const Measure& m : b.results)
    table.row({m.name, fmt::format("{:.4g}", m.value), fmt::format("{:g}", m.bar), m.unit, m.met() ? "ok" : "MISSED"});
  fmt::print("{}, {} threads, commit {}\n{}", cpu_model(), b.pool.threads(), commit(), table.text());
  append_csv(o.output, b.results, b.pool.threads());
  fmt::print("appended to {}\n", o.output);
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* bench = app.add_subcommand("bench", "measure the promised speeds and errors");
  bench->require_subcommand(0, 1);
  bench->footer(
      "Examples:\n"
      "  scree bench --device cuda                   a million grains on the GPU; minutes\n"
      "  scree bench maps --only table,net-query     seconds; all rows take minutes\n"
      "  scree bench stars --grains 200");
  CLI::App* maps = bench->add_subcommand("maps", "contact maps: building, training, errors, queries");
  std::vector<std::string> names;
  std::string help = "Rows:\n";
  for (const Row& row : rows()) {
    names.emplace_back(row.name);
    help += fmt::format("  {:<12}{}\n", row.name, row.meaning);
  }
  maps->add_option("--only", o->only, "run only these rows")->delimiter(',')->check(CLI::IsMember(names));
  maps->add_option("-o,--output", o->output, "CSV file to append to")->type_name("FILE")->capture_default_str();
  maps->add_option("--threads", o->threads, "0: one per core")->check(CLI::Range(0, most_threads));
  maps->footer(help +
               "\nExamples:\n"
               "  scree bench maps -o bench.csv\n"
               "  scree bench maps --only table,drum --threads 2");
  maps->callback([o] { bench_maps(*o); });
  add_bench_stars(*bench);
  add_bench_scenes(*bench);
  add_bench_implicit(*bench);
  add_bench_device(*bench);
}

}  // namespace scree::cli
