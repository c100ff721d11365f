// `scree reproduce`: run the experiments behind the papers' claims and write a page of verdicts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "build_info.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "reproduce/lab.hpp"
#include "reproduce/page.hpp"
#include "run_json.hpp"
#include "run_shown.hpp"
#include "scenes_folder.hpp"
#include "scree/base/error.hpp"
#include "scree/base/parallel.hpp"
#include "scree/base/text.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::vector<std::string> names;
  std::string folder, scenes;
  int threads = 0;
  bool quick = false, list = false, force = false, quiet = false;
};

std::vector<const Experiment*> chosen_experiments(const Options& o) {
  std::vector<std::string> known;
  for (const Experiment& e : experiments()) known.push_back(e.name);
  std::vector<const Experiment*> out;
  for (const std::string& name : o.names) {
    if (name != "all" && std::ranges::find(known, name) == known.end()) {
      const std::string near = nearest_name(name, known);
      throw Error(ErrorKind::input, "scree reproduce", "there is no experiment \"" + name + "\"",
                  (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: all, " + join(known));
    }
  }
  for (const Experiment& e : experiments()) {
    const auto asked = [&](const std::string& name) { return name == "all" || name == e.name; };
    if (std::ranges::any_of(o.names, asked)) out.push_back(&e);
  }
  return out;
}

void print_list() {
  TextTable table({"experiment", "claims", "what"});
  for (const Experiment& e : experiments()) table.row({e.name, std::to_string(e.claims.size()), e.title});
  fmt::print("{}", table.text());
}

std::string own_command(const Options& o, const std::string& name) {
  return fmt::format("scree reproduce {}{}", name, o.quick ? " --quick" : "");
}

KeptResult perform(const Experiment& e, const Options& o, const fs::path& folder, ProgressLine& line) {
  fs::create_directories(folder / e.name);
  Lab lab({folder / e.name, scenes_folder(o.scenes, "scree reproduce"), o.quick, o.threads, o.force}, line);
  KeptResult r;
  try {
    r.outcome = e.run(lab);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::system) throw;
    line.clear();
    for (const Claim& c : e.claims) r.outcome.findings.push_back({c.key, Verdict::not_run, "", error.what()});
  }
  r.experiment = e.name;
  r.quick = o.quick;
  r.version = version();
  r.commit = commit();
  r.cpu = cpu_model();
  r.threads = ThreadPool(o.threads).threads();
  r.finished = utc_now();
  r.seconds = lab.seconds();
  r.command = own_command(o, e.name);
  r.scenes = lab.scenes();
  write_result(folder / e.name, r);
  return r;
}

// A result of this size that this program reached with the scenes as they are now.
bool usable(const std::optional<KeptResult>& r, const Options& o) {
  if (!r || r->quick != o.quick || r->version != version() || r->commit != commit()) return false;
  if (std::ranges::any_of(r->outcome.findings, [](const Finding& f) { return f.verdict == Verdict::not_run; }))
    return false;
  const fs::path scenes = scenes_folder(o.scenes, "scree reproduce");
  return std::ranges::all_of(r->scenes, [&](const UsedScene& used) {
    return fs::exists(scenes / used.file) && scene_hash(load_scene(scenes / used.file, used.overrides)) == used.hash;
  });
}

void print_result(const Experiment& e, const KeptResult& r, bool kept) {
  fmt::print("{}: {}{}\n", e.name, e.title, kept ? " (kept)" : "");
  TextTable table({});
  for (const Finding& f : r.outcome.findings)
    table.row({verdict_text(f.verdict), f.claim, f.number.empty() ? f.reason : f.number});
  fmt::print("{}", table.text());
  std::fflush(stdout);
}

// Everything that was ever finished here, so that a page grows from command to command.
void write_page(const fs::path& folder) {
  std::vector<KeptResult> results;
  for (const Experiment& e : experiments()) {
    if (auto r = read_result(folder / e.name)) results.push_back(std::move(*r));
  }
  write_atomic(folder / "results.json", results_json(results));
  write_atomic(folder / "results.csv", results_csv(results));
  write_atomic(folder / "index.html", reproduce_page(experiments(), results, folder));
}

void reproduce(const Options& o) {
  if (o.list) return print_list();
  if (o.names.empty())
    throw Error(ErrorKind::input, "scree reproduce", "the name of an experiment is missing",
                "write all, or one of those that --list shows");
  const std::vector<const Experiment*> chosen = chosen_experiments(o);
  const fs::path folder = !o.folder.empty() ? o.folder : o.quick ? "runs/reproduce-quick" : "runs/reproduce";
  const InterruptGuard guard;
  ProgressLine line(o.quiet);
  for (const Experiment* e : chosen) {
    std::optional<KeptResult> result = read_result(folder / e->name);
    const bool kept = !o.force && usable(result, o);
    if (!kept) result = perform(*e, o, folder, line);
    write_page(folder);
    if (!o.quiet) print_result(*e, *result, kept);
  }
  fmt::print("{}\n", (folder / "index.html").string());
}

}  // namespace

void add_reproduce_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("reproduce", "test the papers' claims; write a page with numbers and verdicts");
  c->add_option("names", o.names, "experiments, or all; --list shows them")->type_name("NAME");
  c->add_flag("--quick", o.quick, "small versions: fewer grains, fewer seeds");
  c->add_option("-o,--output", o.folder, "folder for runs and page (default: runs/reproduce or runs/reproduce-quick)")
      ->type_name("FOLDER");
  c->add_option("--scenes", o.scenes, "folder of the scene files (default: ./scenes, or the program's own)")
      ->type_name("FOLDER");
  c->add_option("--threads", o.threads, "threads (0: one per core); never changes the results")
      ->check(CLI::Range(0, most_threads));
  c->add_flag("--force", o.force, "use nothing that an earlier command left in the folder");
  c->add_flag("--list", o.list, "list the experiments");
  c->add_flag("-q,--quiet", o.quiet, "no progress line and no table");
  c->footer(
      "Finished runs and experiments in the folder are used again, so an interrupted command goes on\n"
      "where it stopped. Files: index.html, results.json, results.csv, and a folder an experiment.\n\n"
      "Example:\n  scree reproduce all --quick -o out/reproduce");
  c->callback([options] { reproduce(*options); });
}

}  // namespace scree::cli
