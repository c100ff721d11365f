// `scree view`: a run, or a scene as it runs, in a browser.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "run_source.hpp"
#include "scree/base/error.hpp"
#include "scree/record/file_format.hpp"
#include "scree/view/recorded_session.hpp"
#include "scree/view/server.hpp"
#include "terminal.hpp"
#include "view_page.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string input;
  std::string bind = "127.0.0.1";
  unsigned short port = 0;
  std::string token;
  bool no_open = false;
};

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

void serve(const Options& o, ViewSession& session) {
  ServerOptions options{o.bind, o.port, o.token, view_page()};
  if (options.token.empty() && !is_loopback(o.bind)) options.token = random_token();
  ViewServer server(session, options);
  fmt::print("{}\n", server.url());
  std::fflush(stdout);
  say("scree: serving; Ctrl-C ends it\n");
  server.run(interrupted);
}

void view(const Options& o) {
  const InterruptGuard guard;
  RecordedSession session([&] { return open_run(o.input); });
  serve(o, session);
}

}  // namespace

void add_view_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("view", "look at a run, or at a scene as it runs, in a browser");
  c->add_option("input", o.input, "folder of a run, a trajectory.h5 or a state.h5; or a scene to run (.toml)")
      ->required();
  c->add_option("--port", o.port, "port to serve on (0: any that is free)")->capture_default_str();
  c->add_option("--bind", o.bind, "address to serve on")->type_name("ADDRESS")->capture_default_str();
  c->add_option("--token", o.token, "word that every request must bring");
  c->add_flag("--no-open", o.no_open, "only print the address");
  c->callback([options] { view(*options); });
}

}  // namespace scree::cli
