// `scree compare`: the same scene with each kind of contact map, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "measure_output.hpp"
#include "output_file.hpp"
#include "run_json.hpp"
#include "run_shown.hpp"
#include "scene_options.hpp"
#include "scree/base/error.hpp"
#include "scree/base/parallel.hpp"
#include "scree/base/text.hpp"
#include "scree/learn/factory.hpp"
#include "scree/record/markup.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  SceneOptions scene;
  std::vector<std::string> kinds;
  std::string folder, html;
  int threads = -1;
  double until = -1;
  bool force = false, quiet = false;
};

// A line of the comparison: a quantity, and its value with every kind.
struct Row {
  std::string name, unit;
  std::vector<double> values;
};

struct Comparison {
  std::vector<std::string> kinds;  // that could be run
  std::vector<Row> rows;
  std::vector<std::string> skipped;  // one line each

  // The rows come in the same order for every kind.
  void add(std::size_t row, const std::string& name, const std::string& unit, double value) {
    if (row == rows.size()) rows.push_back({name, unit, {}});
    rows[row].values.push_back(value);
  }
};

// Vertices of the most detailed grain; none where all are discs, which have a formula.
std::size_t most_vertices(const World& world) {
  std::size_t most = 0;
  bool all_discs = true;
  for (const GrainType& type : world.types) {
    const Shape& shape = *world.shapes[static_cast<std::size_t>(type.shape)];
    most = std::max(most, shape.outline.vertex_count());
    all_discs = all_discs && shape.is_disc;
  }
  return all_discs ? 0 : most;
}

// All but the exact map where that would take hours; it comes last, so that the others are there whatever it takes.
std::vector<std::string> default_kinds(const World& world) {
  constexpr std::size_t most_exact = 40;  // vertices
  std::vector<std::string> kinds = map_kinds();
  std::erase(kinds, "exact");
  const std::size_t vertices = most_vertices(world);
  if (vertices <= most_exact) {
    kinds.emplace_back("exact");
  } else {
    say(
        fmt::format("scree: exact is left out: with a grain of {} vertices it takes very long\n"
                    "  remedy: --with {},exact has it too\n",
                    vertices, join(kinds, ",")));
  }
  return kinds;
}

std::vector<std::string> chosen_kinds(const Options& o, const World& world) {
  if (o.kinds.empty()) return default_kinds(world);
  const std::vector<std::string> known = map_kinds();
  for (const std::string& kind : o.kinds) {
    if (std::ranges::find(known, kind) != known.end()) continue;
    const std::string near = nearest_name(kind, known);
    throw Error(ErrorKind::input, "--with", "there is no kind of map \"" + kind + "\"",
                (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(known));
  }
  return o.kinds;
}

std::vector<MeasureSettings> measures_of(const Scene& scene) {
  if (!scene.measures.empty()) return scene.measures;
  std::vector<MeasureSettings> out;
  for (const char* text : {"surface", "packing", "coordination"}) out.push_back(parse_measure(text));
  return out;
}

void add_run(Comparison& c, const MappedRun& run) {
  double build = 0, bytes = 0, error = 0;
  for (const MapUse& m : run.maps) {
    build += m.seconds;
    bytes += static_cast<double>(m.bytes);
    error = std::max(error, m.error.gap_rmse);
  }
  const RunStatus& last = run.result.last;
  std::size_t row = 0;
  c.add(row++, "time a step", "ms",
        1e3 * last.wall_seconds / static_cast<double>(std::max<std::uint64_t>(1, last.step)));
  c.add(row++, "maps made or loaded in", "s", build);
  c.add(row++, "size of the maps", "kB", bytes / 1e3);
  c.add(row++, "RMSE of the gap", "radii", error);
  c.add(row++, "contacts", "", static_cast<double>(last.stats.contacts));
  c.add(row++, "energy residual / energy moved", "", last.ledger.relative_residual());
}

void add_measures(Comparison& c, const std::vector<MeasureSettings>& settings, const fs::path& folder) {
  const RunSource source = open_source(folder);
  std::size_t row = 6;  // those of add_run
  for (const MeasureSettings& s : settings) {
    const Measured m = measure_run(source, s, false);
    for (std::size_t k = 0; k < m.measure.columns.size(); ++k)
      c.add(row++, s.name + ": " + m.measure.columns[k].name, m.measure.columns[k].unit,
            m.readings.back().values[k].value_or(std::nan("")));
  }
}

// False when this kind cannot stand for the scene's shapes, or the watchdog stopped the run; a line says why.
bool run_kind(const Options& o, const std::string& kind, const fs::path& folder, ProgressLine& line, Comparison& c) {
  SceneOptions options = o.scene;
  options.overrides.push_back("maps.kind=" + kind);
  const auto skip = [&](const Error& e) {
    line.clear();
    c.skipped.push_back(fmt::format("{} is left out: {}: {}", kind, e.where(), e.problem()));
    say("scree: " + c.skipped.back() + "\n");
    return false;
  };
  Scene scene;
  try {
    scene = options.load();  // it was read without this kind before
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    return skip(e);
  }
  if (o.threads >= 0) scene.step.threads = o.threads;
  const std::vector<MeasureSettings> measures = measures_of(scene);
  const auto lock = prepare_folder(folder / kind, scene, o.force);
  RunOptions run_options{folder / kind, {}, interrupted, run_command(options.file, kind, options.overrides)};
  if (o.until >= 0) run_options.until = o.until;
  try {
    const MappedRun run = run_shown(scene, run_options, options.no_cache, line, kind);
    if (run.result.end == RunEnd::interrupted) throw Interrupted();
    if (run.result.failure) return skip(*run.result.failure);
    c.kinds.push_back(kind);
    add_run(c, run);
    add_measures(c, measures, folder / kind);
    return true;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    return skip(e);
  }
}

std::string heading(const Row& r) { return r.unit.empty() ? r.name : r.name + " [" + r.unit + "]"; }
std::string cell(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : ""; }

std::string text_of(const Comparison& c) {
  std::vector<std::string> header = {""};
  header.insert(header.end(), c.kinds.begin(), c.kinds.end());
  TextTable table(header);
  for (const Row& r : c.rows) {
    std::vector<std::string> cells = {heading(r)};
    for (const double v : r.values) cells.push_back(cell(v));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string csv_of(const Comparison& c) {
  std::string out = "quantity,unit," + join(c.kinds, ",") + "\n";
  for (const Row& r : c.rows) {
    out += r.name + "," + r.unit;
    for (const double v : r.values) out += "," + (std::isfinite(v) ? fmt::format("{:.10g}", v) : "");
    out += "\n";
  }
  return out;
}

std::string html_of(const Comparison& c, const std::string& title) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n"
      ":root {{ color-scheme: light dark; }}\nbody {{ font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: "
      "2rem auto; padding: 0 1rem; }}\ntable {{ border-collapse: collapse; }}\nth, td {{ text-align: right; padding: "
      ".25rem .8rem; border-bottom: 1px solid #8886; font-variant-numeric: tabular-nums; }}\n"
      "th:first-child, td:first-child {{ text-align: left; }}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n<table>\n"
      "<thead><tr><th></th>",
      escape_markup(title));
  for (const std::string& kind : c.kinds) out += "<th>" + escape_markup(kind) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const Row& r : c.rows) {
    out += "<tr><td>" + escape_markup(heading(r)) + "</td>";
    for (const double v : r.values) out += "<td>" + cell(v) + "</td>";
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n";
  for (const std::string& line : c.skipped) out += "<p>" + escape_markup(line) + "</p>\n";
  return out + "</body>\n</html>\n";
}

void compare(const Options& o) {
  require_extension("--html", o.html, {".html"});
  const Scene scene = o.scene.load();
  const std::vector<std::string> kinds = chosen_kinds(o, scene.world);
  const fs::path folder =
      o.folder.empty() ? fs::path("runs") / ("compare-" + fs::path(o.scene.file).stem().string()) : fs::path(o.folder);
  const InterruptGuard guard;
  ProgressLine line(o.quiet);
  Comparison c;
  for (const std::string& kind : kinds) run_kind(o, kind, folder, line, c);
  if (c.kinds.empty())
    throw Error(ErrorKind::input, "scree compare", "no kind of map could be run", "the lines above say why");
  write_atomic(folder / "compare.csv", csv_of(c));
  fmt::print("{}{}\n", text_of(c), (folder / "compare.csv").string());
  if (o.html.empty()) return;
  write_atomic(o.html, html_of(c, scene.title.empty() ? o.scene.file : scene.title));
  fmt::print("{}\n", o.html);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("compare", "run a scene with each kind of contact map, side by side");
  o.scene.add_to(*c);
  c->add_option("--with", o.kinds, "kinds of map, separated by commas (default: all, exact only for simple grains)")
      ->delimiter(',')
      ->type_name("KIND,...");
  c->add_option("-o,--output", o.folder, "folder for the runs and compare.csv (default: runs/compare-SCENE)")
      ->type_name("FOLDER");
  c->add_option("--html", o.html, "the table as a page too")->type_name("FILE");
  c->add_option("--until", o.until, "stop at this simulated time instead of the scene's duration")
      ->check(not_negative_number)
      ->type_name("TIME");
  c->add_option("--threads", o.threads, "threads (0: one per core)")->check(CLI::Range(0, most_threads));
  c->add_flag("--force", o.force, "replace an earlier comparison in the folder");
  c->add_flag("-q,--quiet", o.quiet, "no progress line");
  c->footer(
      "Measures are those of [[measures]] in the scene, or bed height, packing and coordination, all at the end\n"
      "of the run. A kind that the scene's shapes cannot have is left out, and a line says why; so is `exact` where a\n"
      "grain has more than 40 vertices, unless --with names it.\n\n"
      "Examples:\n"
      "  scree compare scenes/first.toml --with table,clump --until 0.5\n"
      "  scree compare scenes/first.toml --html first.html");
  c->callback([options] { compare(*options); });
}

}  // namespace scree::cli
