// `scree run`: simulate a scene into a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "run_json.hpp"
#include "run_shown.hpp"
#include "scene_options.hpp"
#include "scree/step/resolve.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  SceneOptions scene;
  std::string folder;
  std::string restart;  // folder of the run to go on with
  int threads = -1;
  std::string device, film;
  bool force = false;
  bool quiet = false;
  double until = -1;
};

// Grains that still move may overlap by more than what is tolerated at rest.
std::string overlap(const RunResult& r, const ImplicitSettings& s) {
  const LargeStepEnd& end = *r.large_steps;
  std::string out = fmt::format("{:.3g} R at the end by the maps (R: the smallest circumradius)", end.overlap);
  if (s.substeps > 0) return out;
  out += fmt::format(", {:g} R tolerated at rest", s.overlap);
  constexpr double as_told = 1.05;  // no more: nothing to do about it
  if (end.overlap <= as_told * s.overlap || r.end == RunEnd::failed) return out;
  if (!end.at_rest) return out + "; grains still move";
  if (r.last.stats.substeps >= s.most_substeps)
    return out + fmt::format("; more than step.most_substeps = {} would make it less", s.most_substeps);
  return out + fmt::format("; step.overlap = {:.2g} asks for less", s.overlap * s.overlap / end.overlap);
}

TextTable counts(const Scene& scene, const RunResult& r, const std::vector<MapUse>& maps) {
  std::size_t cached = 0;
  double map_seconds = 0;
  for (const MapUse& m : maps) {
    cached += m.from_cache ? 1 : 0;
    map_seconds += m.seconds;
  }
  TextTable t({});
  t.row({"grains", grouped(r.last.grains) + (r.deleted ? fmt::format(" ({} deleted)", grouped(r.deleted)) : "")});
  t.row({"contacts", grouped(r.last.stats.contacts)});
  if (r.large_steps) t.row({"deepest overlap", overlap(r, scene.step.implicit)});
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
             counts(scene, r, maps).text());
  if (scene.step.ledger) fmt::print("energy\n{}", energy(r.last.ledger).text());
  fmt::print("files in {}\n ", folder);
  for (const auto& file : r.files) fmt::print(" {}", file.string());
  fmt::print("\n");
  std::fflush(stdout);
}

std::string command_line(const Options& o) {
  std::string out = o.restart.empty() ? run_command(o.scene.file, o.folder, o.scene.overrides)
                                      : "scree run --restart " + shell_word(o.restart);
  if (o.until >= 0) out += fmt::format(" --until {}", o.until);
  if (o.threads >= 0) out += fmt::format(" --threads {}", o.threads);
  if (!o.device.empty()) out += fmt::format(" --device {}", o.device);
  if (!o.film.empty()) out += " --film " + shell_word(o.film);
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
    say(fmt::format("scree: interrupted at t = {:.6g}; `scree run --restart {}` goes on\n", result.last.time,
                    shell_word(folder)));
    throw CLI::RuntimeError(exit_interrupted);
  }
}

void check_until(const Options& o, const Scene& scene) {
  const double steps = o.until / scene.step.dt;
  if (steps > most_steps)
    throw Error(ErrorKind::input, "--until", fmt::format("makes {:.3g} steps", steps), "lower it");
}

// Maps and steps to the end, with what a user sees of it.
void simulate(const Options& options, Scene& scene, const std::string& folder, std::optional<Restart> restart) {
  if (options.threads >= 0) scene.step.threads = options.threads;
  const InterruptGuard guard;
  ProgressLine line(options.quiet);
  RunOptions run_options{folder, {}, interrupted, command_line(options), std::move(restart)};
  if (options.until >= 0) run_options.until = options.until;
  run_options.film = options.film;
  const auto [maps, result] = run_shown(scene, run_options, options.scene.no_cache, line);
  if (!options.quiet) print_summary(scene, result, maps, folder);
  // Before the end a measure may be waiting for what it measures.
  if (result.end == RunEnd::finished) {
    for (const std::string& note : result.undefined) say("scree: " + note + "\n");
  }
  finish(result, folder);
}

// The device is a value of the scene, so that the folder's own scene repeats the run.
Scene scene_on_device(const Options& options) {
  SceneOptions asked = options.scene;
  if (!options.device.empty()) asked.overrides.push_back("step.device=\"" + options.device + "\"");
  return asked.load();
}

void run(const Options& options) {
  Scene scene = scene_on_device(options);
  require_device(scene.step);
  check_until(options, scene);
  const std::string folder =
      options.folder.empty() ? "runs/" + fs::path(options.scene.file).stem().string() : options.folder;
  const auto lock = prepare_folder(folder, scene, options.force);
  if (!options.quiet) print_warnings(scene);
  simulate(options, scene, folder, {});
}

void restart(const Options& options) {
  const fs::path folder = options.restart;
  if (!fs::is_directory(folder))
    throw Error(ErrorKind::input, "--restart", options.restart + " is not a folder", "name the folder of a run");
  const FolderLock lock(folder);
  if (recorded_files(folder).empty() || !fs::exists(folder / "state.h5")) {
    throw Error(ErrorKind::input, "--restart", options.restart + " holds no run with a state to go on from",
                "run the scene again; `[run] states` says how often a state is written");
  }
  SavedState state = read_state(folder / "state.h5");
  if (state.world.step == 0) {
    throw Error(ErrorKind::input, "--restart", "the last state in " + options.restart + " is that of the beginning",
                "run the scene again with --force; `[run] states` says how often a state is written");
  }
  std::vector<MeasureMemory> measures = state.measures;
  Scene scene = continued_scene(std::move(state), folder / "state.h5");
  if (!options.device.empty()) scene.step.device = options.device;
  require_device(scene.step);
  check_until(options, scene);
  const double end = options.until >= 0 ? options.until : scene.run.duration;
  Restart from{scene.world.time, scene.world.step, std::move(measures), recorded_run(folder), command_line(options)};
  // A run killed after its last state and before the record of its end has that record still to come.
  const bool beyond = from.time > end + 0.5 * scene.step.dt;
  if (beyond || (from.time > end - 0.5 * scene.step.dt && recorded_end(from.record))) {
    say(fmt::format("scree: the run in {} is at t = {:.6g} already, its end: nothing to do (--until goes on beyond)\n",
                    options.restart, from.time));
    return;
  }
  simulate(options, scene, options.restart, std::move(from));
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "simulate a scene; results go to a folder");
  CLI::Option* scene = options->scene.add_to(*command)->required(false);
  CLI::Option* output =
      command->add_option("-o,--output", options->folder, "folder for the results (default: runs/SCENE)")
          ->type_name("FOLDER");
  CLI::Option* force =
      command->add_flag("--force", options->force, "replace an earlier run in the folder, and nothing else");
  command
      ->add_option("--restart", options->restart,
                   "go on with the run in this folder from its last state, to the same bits as if it had not stopped")
      ->type_name("FOLDER")
      ->excludes(scene, output, force, command->get_option("--set"));
  command->add_option("--device", options->device, "what does the steps: cpu, cuda, or serial for tests (docs/gpu.md)")
      ->check(CLI::IsMember(device_names()));
  command->add_option("--threads", options->threads, "threads (0: one per core); never changes the results")
      ->check(CLI::Range(0, most_threads));
  command->add_option("--until", options->until, "stop at this simulated time instead of the scene's duration")
      ->check(not_negative_number)
      ->type_name("TIME");
  command
      ->add_option(
          "--film", options->film,
          "draw every frame into this film while the run goes on, and keep none but the first: .mp4, .gif, or\n"
          ".png for numbered pictures, which need no ffmpeg")
      ->type_name("FILE")
      ->excludes("--restart");
  command->add_flag("--quiet", options->quiet, "say nothing unless something is wrong");
  command->footer(
      "Files: run.json (how to repeat it), scene.toml (as run), trajectory.h5 (frames), series.csv\n"
      "(energy and counts over time), state.h5 (last full state), failed-state.h5 (watchdog).\n"
      "Ctrl-C finishes the step, writes the state and ends with code 130; a second one ends at once.\n\n"
      "Examples:\n  scree run scenes/first.toml -o out/first --set insert[0].count=100 --threads 2\n"
      "  scree run --restart out/first               after Ctrl-C, a crash or a power cut\n"
      "  scree run --restart out/first --until 20    beyond the scene's duration\n"
      "  scree run scenes/drum.toml --film drum.mp4   a film and no trajectory, for millions of grains");
  command->callback([options] {
    if (!options->restart.empty()) return restart(*options);
    if (options->scene.file.empty()) throw CLI::RequiredError("scene");
    run(*options);
  });
}

}  // namespace scree::cli
