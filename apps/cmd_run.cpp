// `scree run`: simulate a scene into a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "run_shown.hpp"
#include "scene_options.hpp"

namespace scree::cli {

namespace {

struct Options {
  SceneOptions scene;
  std::string folder;
  int threads = -1;
  bool force = false;
  bool quiet = false;
  double until = -1;
};

TextTable counts(const RunResult& r, const std::vector<MapUse>& maps) {
  std::size_t cached = 0;
  double map_seconds = 0;
  for (const MapUse& m : maps) {
    cached += m.from_cache ? 1 : 0;
    map_seconds += m.seconds;
  }
  TextTable t({});
  t.row({"grains", grouped(r.last.grains) + (r.deleted ? fmt::format(" ({} deleted)", grouped(r.deleted)) : "")});
  t.row({"contacts", grouped(r.last.stats.contacts)});
  t.row({"simulated time", fmt::format("{:.6g} of {:.6g}", r.last.time, r.last.end_time)});
  t.row({"steps", fmt::format("{} of dt {:.6g}", grouped(r.last.step), r.dt)});
  t.row({"steps/s", fmt::format("{:.0f}", r.last.steps_per_second)});
  t.row({"wall time", duration(r.last.wall_seconds)});
  t.row({"maps", fmt::format("{} in {} ({} from the cache)", maps.size(), duration(map_seconds), cached)});
  return t;
}

TextTable energy(const Ledger& l) {
  TextTable t({});
  const auto row = [&](const char* name, double value) { t.row({name, fmt::format("{:.5g}", value)}); };
  row("kinetic", l.kinetic);
  row("gravity", l.gravity);
  row("elastic", l.elastic);
  row("lost in normal damping", l.normal_damping);
  row("lost in friction", l.friction);
  row("lost in rotational damping", l.rotational_damping);
  row("work of walls", l.wall_work);
  row("work of changing gravity", l.gravity_work);
  row("brought by insertion", l.inserted);
  row("residual", l.residual());
  t.row({"residual / energy moved", fmt::format("{:.1e}", l.relative_residual())});
  return t;
}

void print_summary(const Scene& scene, const RunResult& r, const std::vector<MapUse>& maps, const std::string& folder) {
  const char* how[] = {"finished", "interrupted", "stopped by the watchdog"};
  fmt::print("{}{}\n{}", scene.title.empty() ? "" : scene.title + ": ", how[static_cast<std::size_t>(r.end)],
             counts(r, maps).text());
  if (scene.step.ledger) fmt::print("energy\n{}", energy(r.last.ledger).text());
  fmt::print("files in {}\n ", folder);
  for (const auto& file : r.files) fmt::print(" {}", file.string());
  fmt::print("\n");
  std::fflush(stdout);
}

std::string command_line(const Options& o) {
  std::string out = run_command(o.scene.file, o.folder, o.scene.overrides);
  if (o.until >= 0) out += fmt::format(" --until {}", o.until);
  if (o.threads >= 0) out += fmt::format(" --threads {}", o.threads);
  if (o.scene.no_cache) out += " --no-cache";
  if (o.force) out += " --force";
  if (o.quiet) out += " --quiet";
  return out;
}

void finish(const RunResult& result, const std::string& folder) {
  if (result.end == RunEnd::failed) {
    const Error& e = *result.failure;
    throw Error(e.kind(), e.where(), e.problem(), e.remedy() + "; the state is in " + folder + "/failed-state.h5");
  }
  if (result.end == RunEnd::interrupted) {
    say(fmt::format("scree: interrupted at t = {:.6g}; the state is in {}/state.h5\n", result.last.time, folder));
    throw CLI::RuntimeError(exit_interrupted);
  }
}

void check_until(const Options& o, const Scene& scene) {
  const double steps = o.until / scene.step.dt;
  if (steps > most_steps)
    throw Error(ErrorKind::input, "--until", fmt::format("makes {:.3g} steps", steps), "lower it");
}

void run(const Options& options) {
  Scene scene = options.scene.load();
  check_until(options, scene);
  if (options.threads >= 0) scene.step.threads = options.threads;
  const std::string folder =
      options.folder.empty() ? "runs/" + std::filesystem::path(options.scene.file).stem().string() : options.folder;
  const auto lock = prepare_folder(folder, scene, options.force);
  if (!options.quiet) print_warnings(scene);
  const InterruptGuard guard;
  ProgressLine line(options.quiet);
  RunOptions run_options{folder, {}, interrupted, command_line(options)};
  if (options.until >= 0) run_options.until = options.until;
  const auto [maps, result] = run_shown(scene, run_options, options.scene.no_cache, line);
  if (!options.quiet) print_summary(scene, result, maps, folder);
  // Before the end a measure may be waiting for what it measures.
  if (result.end == RunEnd::finished) {
    for (const std::string& note : result.undefined) say("scree: " + note + "\n");
  }
  finish(result, folder);
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "simulate a scene; results go to a folder");
  options->scene.add_to(*command);
  command->add_option("-o,--output", options->folder, "folder for the results (default: runs/SCENE)")
      ->type_name("FOLDER");
  command->add_flag("--force", options->force, "replace an earlier run in the folder, and nothing else");
  command->add_option("--threads", options->threads, "threads (0: one per core); never changes the results")
      ->check(CLI::Range(0, most_threads));
  command->add_option("--until", options->until, "stop at this simulated time instead of the scene's duration")
      ->check(finite_number)
      ->check(CLI::NonNegativeNumber)
      ->type_name("TIME");
  command->add_flag("--quiet", options->quiet, "say nothing unless something is wrong");
  command->footer(
      "Files: run.json (how to repeat it), scene.toml (as run), trajectory.h5 (frames), series.csv\n"
      "(energy and counts over time), state.h5 (last full state), failed-state.h5 (watchdog).\n"
      "Ctrl-C finishes the step, writes the state and ends with code 130; a second one ends at once.\n\n"
      "Example:\n  scree run scenes/first.toml -o out --set insert[0].count=100 --threads 2");
  command->callback([options] { run(*options); });
}

}  // namespace scree::cli
