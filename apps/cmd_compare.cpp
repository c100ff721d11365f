// `scree compare`: the same scene with each kind of contact map, or with both solvers, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "comparison.hpp"
#include "exit_codes.hpp"
#include "export_target.hpp"
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
#include "scree/step/resolve.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  SceneOptions scene;
  std::vector<std::string> kinds, measures;
  std::string folder, html;
  int threads = -1, seeds = 1;
  double until = -1;
  bool solvers = false, force = false, quiet = false;
};

// What is compared with the others: a kind of map, or a solver.
struct Variant {
  std::string name;
  std::vector<std::string> overrides;
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

// A step for springs where neither the scene nor its stiffness says one: 1e-4 for grains of radius 1 and g = 9.81.
std::string explicit_step(const Options& o, const Scene& scene) {
  constexpr double shorter = 160;  // than large steps
  SceneOptions trial = o.scene;
  trial.overrides.insert(trial.overrides.end(), {"step.solver=explicit", "step.dt=auto"});
  try {
    trial.load();
    return "auto";
  } catch (const Error&) { return fmt::format("{:.2g}", scene.step.dt / shorter); }
}

// The solver that the scene does not name picks its own step.
std::vector<Variant> variants_of(const Options& o, const Scene& scene) {
  std::vector<Variant> out;
  if (!o.solvers) {
    for (const std::string& kind : chosen_kinds(o, scene.world)) out.push_back({kind, {"maps.kind=" + kind}});
    return out;
  }
  for (const std::string solver : {"explicit", "implicit"}) {
    out.push_back({solver, {"step.solver=" + solver}});
    if (solver != scene.step.solver)
      out.back().overrides.push_back("step.dt=" + (solver == "explicit" ? explicit_step(o, scene) : "auto"));
  }
  return out;
}

std::vector<MeasureSettings> measures_of(const Options& o, const Scene& scene) {
  if (o.measures.empty() && !scene.measures.empty()) return scene.measures;
  const std::vector<std::string> general = {"surface", "packing", "coordination"};
  std::vector<MeasureSettings> out;
  for (const std::string& text : o.measures.empty() ? general : o.measures) out.push_back(parse_measure(text));
  return out;
}

constexpr std::size_t run_rows = 8;  // of add_run

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
  c.add(row++, "time a unit of simulated time", "s", last.time > 0 ? last.wall_seconds / last.time : 0);
  c.add(row++, "maps made or loaded in", "s", build);
  c.add(row++, "size of the maps", "kB", bytes / 1e3);
  c.add(row++, "RMSE of the gap", "radii", error);
  c.add(row++, "contacts", "", static_cast<double>(last.stats.contacts));
  c.add(row++, "deepest overlap at the end", "thinnest feature", last.stats.deepest_overlap);
  c.add(row++, "energy residual / energy moved", "", last.ledger.relative_residual());
}

void add_measures(Comparison& c, const std::vector<MeasureSettings>& settings, const fs::path& folder) {
  const RunSource source = open_source(folder);
  std::size_t row = run_rows;
  for (const MeasureSettings& s : settings) {
    const Measured m = measure_run(source, s, false);
    for (std::size_t k = 0; k < m.measure.columns.size(); ++k)
      c.add(row++, s.name + ": " + m.measure.columns[k].name, m.measure.columns[k].unit,
            m.readings.back().values[k].value_or(std::nan("")));
  }
}

// False when this variant cannot stand for the scene's shapes, or the watchdog stopped the run; a line says why.
bool run_variant(const Options& o, const Variant& v, int seed, const fs::path& folder, ProgressLine& line,
                 Comparison& c) {
  SceneOptions options = o.scene;
  options.overrides.insert(options.overrides.end(), v.overrides.begin(), v.overrides.end());
  const std::string name = o.seeds > 1 ? fmt::format("{}-{}", v.name, seed) : v.name;
  if (o.seeds > 1) options.overrides.push_back(fmt::format("run.seed={}", seed));
  const auto skip = [&](const Error& e) {
    line.clear();
    c.skipped.push_back(fmt::format("{} is left out: {}: {}", name, e.where(), e.problem()));
    say("scree: " + c.skipped.back() + "\n");
    return false;
  };
  Scene scene;
  try {
    scene = options.load();  // it was read without these changes before
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    if (o.solvers)
      throw Error(ErrorKind::input, e.where(), e.problem() + ", with solver = \"" + v.name + "\"", e.remedy());
    return skip(e);
  }
  require_device(scene.step);
  if (o.threads >= 0) scene.step.threads = o.threads;
  const std::vector<MeasureSettings> measures = measures_of(o, scene);
  const auto lock = prepare_folder(folder / name, scene, o.force);
  RunOptions run_options{folder / name, {}, interrupted, run_command(options.file, name, options.overrides)};
  if (o.until >= 0) run_options.until = o.until;
  try {
    const MappedRun run = run_shown(scene, run_options, options.no_cache, line, name);
    if (run.result.end == RunEnd::interrupted) throw Interrupted();
    if (run.result.failure) return skip(*run.result.failure);
    if (c.kinds.empty() || c.kinds.back() != v.name) c.kinds.push_back(v.name);
    add_run(c, run);
    add_measures(c, measures, folder / name);
    return true;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    return skip(e);
  }
}

void compare(const Options& o) {
  require_extension("--html", o.html, {".html"});
  const Scene scene = o.scene.load();
  const std::vector<Variant> variants = variants_of(o, scene);
  const fs::path folder =
      o.folder.empty() ? fs::path("runs") / ("compare-" + fs::path(o.scene.file).stem().string()) : fs::path(o.folder);
  refuse_existing(folder / "compare.csv", "-o", o.force);
  const InterruptGuard guard;
  ProgressLine line(o.quiet);
  Comparison c;
  for (const Variant& v : variants) {
    for (int seed = 1; seed <= o.seeds; ++seed) run_variant(o, v, seed, folder, line, c);
  }
  if (c.kinds.empty())
    throw Error(ErrorKind::input, "scree compare", "nothing could be run", "the lines above say why");
  write_atomic(folder / "compare.csv", csv_of(c, o.seeds > 1));
  fmt::print("{}{}\n", text_of(c), (folder / "compare.csv").string());
  if (o.html.empty()) return;
  write_atomic(o.html, html_of(c, scene.title.empty() ? o.scene.file : scene.title));
  fmt::print("{}\n", o.html);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c =
      app.add_subcommand("compare", "run a scene with each kind of contact map, or both solvers, side by side");
  o.scene.add_to(*c);
  c->add_option("--with", o.kinds, "kinds of map, separated by commas (default: all, exact only for simple grains)")
      ->delimiter(',')
      ->type_name("KIND,...");
  c->add_flag("--solvers", o.solvers, "the explicit and the implicit solver instead of kinds of map")
      ->excludes("--with");
  c->add_option("--seeds", o.seeds, "run each with this many values of run.seed: mean and standard deviation")
      ->check(CLI::Range(1, 100));
  c->add_option("-m,--measure", o.measures, "what to measure at the end, as scree measure takes it; may be repeated")
      ->type_name("KIND[:OPTION=VALUE,...]");
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
      "  scree compare scenes/first.toml --html first.html\n"
      "  scree compare scenes/quick/silo.toml --solvers --seeds 6 -m discharge:y=[-16,24]");
  c->callback([options] { compare(*options); });
}

}  // namespace scree::cli
