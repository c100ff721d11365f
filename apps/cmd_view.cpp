// `scree view`: a run, or a scene as it runs, in a browser.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "export_target.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "open_browser.hpp"
#include "output_file.hpp"
#include "run_shown.hpp"
#include "run_source.hpp"
#include "scene_options.hpp"
#include "scree/base/error.hpp"
#include "scree/record/file_format.hpp"
#include "scree/record/part_file.hpp"
#include "scree/view/access.hpp"
#include "scree/view/html.hpp"
#include "scree/view/live_session.hpp"
#include "scree/view/recorded_session.hpp"
#include "scree/view/server.hpp"
#include "terminal.hpp"
#include "view_page.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_html_frames = 300;  // unless --every says otherwise

struct Options {
  SceneOptions scene;  // its file is a run's folder or file, or a scene
  int threads = -1;
  bool paused = false;
  std::string html;
  std::size_t every = 0;  // 0: chosen
  bool force = false;
  std::string bind = "127.0.0.1";
  unsigned short port = 0;
  std::string token;
  bool no_open = false;
};

bool is_scene(const Options& o) { return fs::path(o.scene.file).extension() == ".toml"; }

RecordedRun open_run(const fs::path& input) {
  RunSource source = open_source(input);
  RecordedRun run;
  run.file = source.file;
  run.statics = std::move(source.statics);
  run.times = std::move(source.times);
  run.read = std::move(source.read);
  run.scene_text = std::move(source.scene_text);
  if (recorded_format(run.file) != "scree-state") run.series = series_of(TrajectoryReader(run.file).measures());
  for (PlotSeries& s : read_series_csv(run.file.parent_path() / "series.csv")) run.series.push_back(std::move(s));
  return run;
}

void check_token(const std::string& token) {
  const bool plain = token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~") ==
                     std::string::npos;
  if (plain && (token.empty() || token.size() >= 8)) return;
  throw Error(ErrorKind::input, "--token",
              plain ? "is shorter than 8 characters" : "has characters that an address cannot",
              "use letters, digits, _ - . and ~; without --token one is made where it is needed");
}

void serve(const Options& o, ViewSession& session) {
  ServerOptions options{o.bind, o.port, o.token, view_page()};
  if (options.token.empty() && !is_loopback(o.bind)) options.token = random_token();
  ViewServer server(session, options);
  fmt::print("{}\n", server.url());
  std::fflush(stdout);
  say("scree: open this address in a browser; Ctrl-C ends the program\n");
  if (!o.no_open) open_browser(server.url());
  server.run(interrupted);
}

void write_html(const Options& o) {
  require_extension("--html", o.html, {".html", ".htm"});
  refuse_existing(o.html, "--html", o.force);
  const RecordedRun run = open_run(o.scene.file);
  const std::size_t chosen = (run.times.size() + most_html_frames - 1) / most_html_frames;
  const std::size_t every = o.every > 0 ? o.every : chosen;
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < run.times.size(); k += every) frames.push_back(k);
  ProgressLine line;
  const std::string html = html_of(view_page(), run, frames, [&](double done) {
    if (interrupted()) throw Interrupted();
    if (line.due()) line.show(done, "frames");
  });
  line.clear();
  write_atomic(o.html, html);
  say(fmt::format("scree: {} with {} of {} frames, {:.1f} MB\n", o.html, frames.size(), run.times.size(),
                  static_cast<double>(html.size()) / 1e6));
}

void view_scene(const Options& o) {
  Scene scene = o.scene.load();
  print_warnings(scene);
  if (o.threads >= 0) scene.step.threads = o.threads;
  {
    ThreadPool pool(scene.step.threads);
    ProgressLine line;
    attach_maps_shown(scene, o.scene.no_cache, pool, line);
  }
  LiveOptions live;
  live.title = scene.title.empty() ? fs::path(o.scene.file).stem().string() : scene.title;
  live.look = look_of_scene(scene.text);
  live.end = scene.run.duration;
  live.frame_interval = scene.run.frame_interval > 0 ? scene.run.frame_interval : scene.run.duration / 400;
  live.measures = scene.measures;
  live.paused = o.paused;
  LiveSession session(std::move(scene.world), scene.step, live);
  serve(o, session);
}

void view(const Options& o, const CLI::App& command) {
  check_token(o.token);
  const InterruptGuard guard;
  if (is_scene(o) && !o.html.empty())
    throw Error(ErrorKind::input, "--html", "takes a run, and " + o.scene.file + " is a scene",
                "`scree run` it first, then name its folder");
  if (is_scene(o)) return view_scene(o);
  for (const char* name : {"--set", "--no-cache", "--threads", "--paused"})
    if (command.get_option(name)->count() > 0)
      throw Error(ErrorKind::input, name, "goes with a scene only, and this is a recorded run", "leave it out");
  if (!o.html.empty()) return write_html(o);
  RecordedSession session([&] { return open_run(o.scene.file); });
  serve(o, session);
}

}  // namespace

void add_view_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("view", "look at a run, or at a scene as it runs, in a browser");
  c->add_option("input", o.scene.file,
                "folder of a run, a trajectory.h5 or a state.h5, finished or still being written;\n"
                "or a scene (.toml) to run and play with")
      ->required();
  CLI::Option* html = c->add_option("--html", o.html, "write the run into one HTML file to share, and serve nothing");
  html->type_name("FILE");
  c->add_option("--every", o.every, "every Nth frame in the HTML file (default: at most 300 frames)")
      ->needs(html)
      ->check(counting_number);
  c->add_flag("--force", o.force, "replace the HTML file")->needs(html);
  c->add_option("--port", o.port, "port to serve on (default: any that is free)")
      ->check(CLI::Range(0, 65535))
      ->excludes(html);
  c->add_option("--bind", o.bind,
                "address to serve on; others than loopback need a token, which is made if none is given")
      ->type_name("ADDRESS")
      ->capture_default_str()
      ->excludes(html);
  c->add_option("--token", o.token, "word that every request must bring, 8 characters or more")->excludes(html);
  c->add_flag("--no-open", o.no_open, "print the address and open no browser");
  o.scene.add_changes_to(*c);
  c->add_option("--threads", o.threads, "threads of the simulation (0: one per core)")
      ->check(CLI::Range(0, most_threads));
  c->add_flag("--paused", o.paused, "a scene waits for its first step");
  c->footer(
      "Examples:\n"
      "  scree view out/first                              a finished run, or one that is still running\n"
      "  scree view scenes/drum.toml                       a live session: pause, gravity, walls, drop grains\n"
      "  scree view out/first --html first.html            one file to share\n"
      "  scree view out/first --bind 0.0.0.0 --port 8000   for another machine; the address has a token\n\n"
      "Keys of the page: ? lists them. Guide: docs/viewer.md");
  c->callback([options, c] { view(*options, *c); });
}

}  // namespace scree::cli
