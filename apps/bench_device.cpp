// `scree bench --device`: a million grains on the GPU, nets against PyTorch, training and memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "device_bench.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Row {
  std::string name, meaning;
  void (*run)(DeviceBench&);
};

MapSettings maps_of(const std::string& kind, const std::string& net = "silu-5x64") {
  MapSettings s;
  s.kind = kind;
  s.net = net;
  return s;
}

// Rows of '#' stand together: they share a settled bed.
const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"discs", "discs",
       [](DeviceBench& b) {
         b.bed("discs", {"discs", {}, false, false, 0.25});
       }},
      {"stars", "crosses of 100 nodes, star contact from both sides",
       [](DeviceBench& b) {
         b.bed("stars", {"crosses", maps_of("star"), false, false, 0.8});
       }},
      {"letters", "nine letters, 45 tables",
       [](DeviceBench& b) {
         b.bed("letters", {"letters", {}, false, false, 1.5});
       }},
      {"hash", "'#', tables",
       [](DeviceBench& b) {
         b.bed("hash", {"hash", {}, false, false, 1});
       }},
      {"ledger", "the same with the ledger",
       [](DeviceBench& b) {
         b.bed("ledger", {"hash", {}, true});
       }},
      {"double", "the same in double precision",
       [](DeviceBench& b) {
         b.bed("double", {"hash", {}, false, true});
       }},
      {"relu-3x32", "'#', neural maps of the small net",
       [](DeviceBench& b) {
         b.bed("relu-3x32", {"hash", maps_of("neural", "relu-3x32"), false, false, 1.2});
       }},
      {"silu-5x64", "'#', neural maps of the default net",
       [](DeviceBench& b) {
         b.bed("silu-5x64", {"hash", maps_of("neural", "silu-5x64"), false, false, 4});
       }},
      {"worlds", "many small worlds in one launch", [](DeviceBench& b) { b.worlds(); }},
      {"room", "how many '#' fit into a GiB", [](DeviceBench& b) { b.room(); }},
      {"training", "the nets of '#' - '#', trained on the GPU", [](DeviceBench& b) { b.training(); }},
      {"queries", "queries of nets, ours and PyTorch's", [](DeviceBench& b) { b.queries(); }}};
  return all;
}

std::string number_or_blank(double value, const char* format) {
  return value > 0 ? fmt::format(fmt::runtime(format), value) : "";
}

void print_results(const DeviceBench& b) {
  TextTable table({"measure", "measured", "bar", "unit", "", "floor", "over it"});
  for (const DeviceResult& r : b.results()) {
    table.row({r.measure, fmt::format("{:.4g}", r.value),
               r.bar > 0 ? fmt::format("{} {:g}", r.at_least ? "≥" : "≤", r.bar) : "", r.unit,
               r.bar <= 0 ? ""
               : r.met()  ? "ok"
                          : "MISSED",
               number_or_blank(r.floor, "{:.3g}"), r.floor > 0 ? fmt::format("{:.1f}", r.value / r.floor) : ""});
  }
  fmt::print("{}", table.text());
}

void print_counts(const DeviceBench& b) {
  TextTable table({"bed", "grains", "dt", "time", "mean speed", "pairs a grain", "queries", "contacts", "bytes"});
  for (const DeviceResult& r : b.results()) {
    if (r.counts.bodies == 0) continue;
    const auto n = static_cast<double>(r.counts.bodies);
    const auto share = [&](std::size_t count) { return fmt::format("{:.2f}", static_cast<double>(count) / n); };
    table.row({r.row, grouped(r.counts.bodies), fmt::format("{:.3g}", r.dt), fmt::format("{:.3g}", r.time),
               fmt::format("{:.3g}", r.mean_speed), share(r.counts.pairs), share(r.counts.queries),
               share(r.counts.contacts), number_or_blank(r.bytes_a_grain, "{:.0f}")});
  }
  fmt::print("\n{}", table.text());
}

void append_csv(const DeviceOptions& o, const DeviceBench& b) {
  const fs::path file = o.output;
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const bool fresh = !fs::exists(file);
  std::ofstream out(file, std::ios::app);
  if (fresh)
    out << "date,commit,device,driver,row,measure,unit,value,bar,met,floor,grains,pairs,queries,contacts,mean_speed,"
           "bytes_a_grain\n";
  gpu::Card card = b.card().value_or(gpu::Card{});
  if (!b.card()) card.name = cpu_model() + ", " + o.device;
  for (const DeviceResult& r : b.results())
    out << fmt::format("{},{},\"{}\",{},{},\"{}\",{},{:.5g},{},{},{},{},{},{},{},{},{}\n", utc_now(), commit(),
                       card.name, card.driver, r.row, r.measure, r.unit, r.value, number_or_blank(r.bar, "{:g}"),
                       r.bar <= 0 ? ""
                       : r.met()  ? "yes"
                                  : "no",
                       number_or_blank(r.floor, "{:.4g}"), r.counts.bodies, r.counts.pairs, r.counts.queries,
                       r.counts.contacts, number_or_blank(r.mean_speed, "{:.3g}"),
                       number_or_blank(r.bytes_a_grain, "{:.0f}"));
  if (!out.flush()) throw Error(ErrorKind::system, o.output, "cannot be written", "choose another file with -o");
}

// A row that cannot be measured must not cost the others: its reason comes after the table.
void bench_device(const DeviceOptions& o) {
  const InterruptGuard guard;
  DeviceBench b(o);
  std::vector<std::string> failures;
  for (const Row& row : rows()) {
    if (!o.only.empty() && std::ranges::find(o.only, row.name) == o.only.end()) continue;
    try {
      row.run(b);
    } catch (const Error& e) {
      b.line().clear();
      failures.push_back(row.name + " was not measured: " + e.what());
    }
  }
  b.line().clear();
  if (b.card()) {
    fmt::print("{}, driver {}, {:.2f} TB/s by a copy{}, commit {}\n", b.card()->name, b.card()->driver,
               b.card()->bytes_per_s * 1e-12,
               b.card()->operations_per_s > 0
                   ? fmt::format(", {:.0f} TFLOP/s of halves by its clock", b.card()->operations_per_s * 1e-12)
                   : "",
               commit());
  } else {
    fmt::print("{}, {}, commit {}\n", cpu_model(), o.device, commit());
  }
  print_results(b);
  print_counts(b);
  append_csv(o, b);
  fmt::print("appended to {}\n", o.output);
  for (const std::string& note : b.notes()) fmt::print("{}\n", note);
  for (const std::string& failure : failures) say("scree: " + failure + "\n");
  if (!failures.empty()) throw CLI::RuntimeError(exit_system);
}

}  // namespace

void add_bench_device(CLI::App& bench) {
  auto o = std::make_shared<DeviceOptions>();
  CLI::Option_group* group = bench.add_option_group("Steps on a device");
  CLI::Option* device =
      group->add_option("--device", o->device, "measure on: cuda, or serial to try it without a GPU, with few --grains")
          ->check(CLI::IsMember({"cuda", "serial"}));
  std::vector<std::string> names;
  std::string help = "rows to measure:";
  for (const Row& row : rows()) {
    names.push_back(row.name);
    help += fmt::format("\n{:<11}{}", row.name, row.meaning);
  }
  const auto option = [&](CLI::Option* added) { return added->needs(device)->capture_default_str(); };
  group->add_option("--only", o->only, help)->delimiter(',')->check(CLI::IsMember(names))->needs(device);
  option(group->add_option("--grains", o->size.grains, "grains of a bed"))->check(CLI::Range(64, 50000000));
  option(group->add_option("--layers", o->size.layers, "rows of grains it is dropped in"))->check(CLI::Range(1, 10000));
  option(group->add_option("--settle", o->settle, "time it has to come to rest, at most"))->check(CLI::Range(0.0, 1e4));
  option(group->add_option("--rounds", o->rounds, "rounds of which the median counts"))->check(CLI::Range(1, 10000));
  option(group->add_option("--steps", o->steps, "steps of a round"))->check(CLI::Range(1, 1000000));
  option(group->add_option("--worlds", o->worlds, "worlds of 500 grains, for worlds"))->check(CLI::Range(1, 1000000));
  option(group->add_option("--python", o->torch.python, "Python with PyTorch, for queries"))->type_name("PROGRAM");
  option(group->add_option("-o,--output", o->output, "CSV file to append to"))->type_name("FILE");
  bench.callback([o, &bench] {
    if (!bench.get_subcommands().empty()) {
      if (!o->device.empty()) throw CLI::ValidationError("--device", "goes without a subcommand");
      return;
    }
    if (o->device.empty()) throw CLI::RequiredError("A subcommand or --device");
    bench_device(*o);
  });
}

}  // namespace scree::cli
