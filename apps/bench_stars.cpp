// `scree bench stars`: distance errors and costs of star contact, after the tables of the StarDEM paper.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "scree/base/error.hpp"
#include "scree/map/star_error.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"
#include "star_costs.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options : StarCostSettings {
  std::string output = "bench/results/stars.csv";
};

void print_distance_errors() {
  const std::pair<const char*, Shape> shapes[] = {
      {"cross, r ~ 2 + sin 4t", paper_cross()},
      {"r ~ 2 + cos 5t", make_named_shape("rosette", {{"n", 5}})},
      {"r ~ 2 + cos 6t", make_named_shape("rosette", {{"n", 6}})},
      {"r ~ 1 + 0.3 cos 6t + 0.2 cos 12t", make_fourier_star("six", {{1, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0, 0.2}, {}})},
      {"r ~ 1 + 0.625 cos 5t + 0.1 cos 10t", make_fourier_star("five", {{1, 0, 0, 0, 0, 0.625, 0, 0, 0, 0, 0.1}, {}})}};
  TextTable table({"relative error within 0.01 of the boundary", "first order", "radial"});
  for (const auto& [name, shape] : shapes) {
    const StarDistanceError e = star_distance_error(shape);
    table.row({name, fmt::format("{:.3f}", e.first_order), fmt::format("{:.2f}", e.radial)});
  }
  fmt::print("{}\n", table.text());
}

void append_csv(const Options& o, const std::vector<StarCost>& costs) {
  const fs::path file = o.output;
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const bool fresh = !fs::exists(file);
  std::ofstream out(file, std::ios::app);
  if (fresh) out << "date,commit,cpu,grains,packing,contact,gap_rmse,candidates,contacts,step_ms,candidate_ns\n";
  for (const StarCost& c : costs)
    out << fmt::format("{},{},\"{}\",{},{},\"{}\",{},{},{},{:.5g},{:.5g}\n", utc_now(), commit(), cpu_model(), o.grains,
                       c.packing, c.contact, c.error < 0 ? "" : fmt::format("{:.4g}", c.error), c.candidates,
                       c.contacts, c.milliseconds, c.nanoseconds);
  if (!out.flush()) throw Error(ErrorKind::system, file.string(), "cannot be written", "choose another file with -o");
}

void bench_stars(const Options& o) {
  const InterruptGuard guard;
  print_distance_errors();
  ProgressLine line;
  const std::vector<StarCost> all = star_costs(o, line);
  TextTable table(
      {"packing", "contact", "gap RMSE", "candidates", "contacts", "ms a step", "ns a candidate", "to disc"});
  for (const StarCost& c : all)
    table.row({c.packing, c.contact, c.error < 0 ? "" : fmt::format("{:.4f}", c.error), grouped(c.candidates),
               grouped(c.contacts), fmt::format("{:.3f}", c.milliseconds), fmt::format("{:.0f}", c.nanoseconds),
               fmt::format("{:.1f}", c.nanoseconds / all.front().nanoseconds)});
  fmt::print("{} grains, narrow phase on one thread, median of {} rounds; {}, commit {}\n{}",
             grouped(static_cast<std::size_t>(o.grains)), o.rounds, cpu_model(), commit(), table.text());
  append_csv(o, all);
  fmt::print("appended to {}\n", o.output);
}

}  // namespace

void add_bench_stars(CLI::App& bench) {
  auto o = std::make_shared<Options>();
  CLI::App* stars = bench.add_subcommand("stars", "star contact: distance errors, cost against discs and clumps");
  stars->add_option("--grains", o->grains, "grains in each packing")
      ->check(CLI::Range(10, 100000))
      ->capture_default_str();
  stars->add_option("--rounds", o->rounds, "repetitions of which the median counts")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  stars->add_option("--settle", o->settle, "simulated seconds until a packing counts as settled")
      ->check(finite_number)
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  stars->add_option("-o,--output", o->output, "CSV file to append to")->type_name("FILE")->capture_default_str();
  stars->footer(
      "Examples:\n"
      "  scree bench stars                            minutes\n"
      "  scree bench stars --grains 200 --rounds 5 -o stars.csv");
  stars->callback([o] { bench_stars(*o); });
}

}  // namespace scree::cli
