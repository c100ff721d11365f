// `scree measure`: numbers from a finished or growing run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "measure_output.hpp"
#include "run_scene.hpp"
#include "run_source.hpp"
#include "scree/base/error.hpp"
#include "scree/record/measure_csv.hpp"
#include "scree/record/part_file.hpp"
#include "scree/scene/scene.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string input, folder, frame;
  std::vector<std::string> measures;
  double time = -1;
  std::size_t every = 0;  // 0: not given, which is every frame
  bool list = false, json = false, csv = false, quiet = false;
};

// What is said about a run when nothing is asked for: measures that need no setting.
const std::vector<std::string> general = {"packing", "surface", "coordination", "stress", "forces", "chains", "energy"};

std::vector<MeasureSettings> chosen_measures(const Options& o, const RunSource& source) {
  std::vector<MeasureSettings> out;
  for (const std::string& text : o.measures) out.push_back(parse_measure(text));
  if (out.empty() && !source.scene_text.empty()) out = parse_scene_measures(source.scene_text, "the run's scene");
  if (out.empty()) {
    for (const std::string& kind : general) out.push_back(parse_measure(kind));
  }
  std::set<std::string> names;
  for (const MeasureSettings& m : out) {
    if (!names.insert(m.name).second)
      throw Error(ErrorKind::input, "--measure", "two measures are called \"" + m.name + "\"",
                  "name one of them, e.g. " + m.kind + ":name=second");
  }
  return out;
}

// Nothing in particular asked for, by a person: a page on how the run ended.
bool overview(const Options& o, const RunSource& source) {
  const bool scene_asks = !source.scene_text.empty() && !parse_scene_measures(source.scene_text, "").empty();
  const bool asked = !o.measures.empty() || scene_asks || o.time >= 0 || !o.frame.empty() || o.every > 0;
  return !asked && !o.json && !o.csv && o.folder.empty();
}

std::vector<std::size_t> chosen_frames(const Options& o, const RunSource& source) {
  if (o.time >= 0) return {source.frame_at(o.time)};
  if (!o.frame.empty()) return {source.frame_named(o.frame)};
  return source.frames_named("all", o.every);
}

std::vector<Measured> measure_frames(const std::vector<MeasureSettings>& settings, const RunSource& source,
                                     const std::vector<std::size_t>& frames, ProgressLine& line) {
  std::vector<Measured> out;
  for (const MeasureSettings& s : settings) out.push_back({s, make_measure(s), {}, {}, {}});
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (interrupted()) throw Interrupted();
    if (line.due()) line.show(double(k) / double(frames.size()), fmt::format("frame {}/{}", k, frames.size()));
    const Frame frame = source.read(frames[k]);
    const Snapshot snapshot = snapshot_of(source.statics, frame);
    for (Measured& m : out) m.add(snapshot);
  }
  line.clear();
  return out;
}

// One that is defined nowhere is an error when the user asked for it, and a note otherwise.
void refuse_undefined(std::vector<Measured>& measured, const Options& o) {
  for (const Measured& m : measured) {
    if (m.defined()) continue;
    const std::string where = "measure \"" + m.settings.name + "\"";
    if (!o.measures.empty() || measured.size() == 1)
      throw Error(ErrorKind::input, where, m.failure->problem(), m.failure->remedy());
    say(fmt::format("scree: {} is left out: {}\n", where, m.failure->problem()));
  }
  std::erase_if(measured, [](const Measured& m) { return !m.defined(); });
}

// A run's own measures are its record, and a run that is not over is still writing them.
void refuse_files_of_run(const std::vector<MeasureSettings>& settings, const fs::path& folder) {
  const std::vector<std::string> taken = recorded_files(folder);
  for (const MeasureSettings& m : settings) {
    for (const std::string& name : measure_file_names(m)) {
      if (std::ranges::count(taken, name) > 0)
        throw Error(ErrorKind::input, (folder / name).string(), "was written by the run itself",
                    "choose another folder with -o, or another name, e.g. -m " + m.kind + ":name=after");
    }
  }
}

// All tables are written before the first gets its name: a full disk leaves none of them.
void write_files(const std::vector<Measured>& measured, const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ErrorKind::system, folder.string(), "cannot be made: " + failed.message(),
                "choose another folder with -o");
  std::vector<fs::path> names;
  std::vector<PartText> files;
  for (const Measured& m : measured) {
    std::string text[2] = {csv_header(m.measure.columns), csv_header(m.measure.table)};
    for (std::size_t k = 0; k < m.times.size(); ++k) {
      text[0] += csv_line(m.times[k], m.readings[k].values);
      text[1] += csv_rows(m.times[k], m.readings[k].rows);
    }
    const std::vector<std::string> own = measure_file_names(m.settings);
    for (std::size_t k = 0; k < own.size(); ++k) {
      files.emplace_back(names.emplace_back(folder / own[k]));
      files.back().put(text[k]);
    }
  }
  for (PartText& file : files) file.commit();
  for (const fs::path& name : names) fmt::print("{}\n", name.string());
}

void print_kinds() {
  TextTable table({"kind", "what", "options"});
  for (const MeasureKind& kind : measure_kinds()) {
    std::string options;
    for (const std::string& option : kind.options) options += (options.empty() ? "" : ", ") + option;
    table.row({kind.name, kind.summary, options});
  }
  fmt::print("{}\nAll take name, x, y, groups, grains and driven. Definitions: docs/measures.md\n", table.text());
}

void run(const Options& o) {
  if (o.list) return print_kinds();
  if (o.input.empty())
    throw Error(ErrorKind::input, "scree measure", "a run is missing",
                "name its folder or file, or use --list for the kinds of measure");
  const RunSource source = open_source(o.input);
  const std::vector<MeasureSettings> settings = chosen_measures(o, source);
  if (!o.folder.empty()) refuse_files_of_run(settings, o.folder);
  const InterruptGuard guard;
  ProgressLine line(o.quiet);
  const bool brief = overview(o, source);
  const std::vector<std::size_t> frames =
      brief ? std::vector<std::size_t>{source.times.size() - 1} : chosen_frames(o, source);
  std::vector<Measured> measured = measure_frames(settings, source, frames, line);
  refuse_undefined(measured, o);
  if (!o.folder.empty()) return write_files(measured, o.folder);
  fmt::print("{}", o.json ? json_of(measured, source.file) : o.csv ? csv_of(measured) : text_of(measured, !brief));
  if (brief)
    fmt::print(
        "\nThe last of {} samples, without tables. All samples: --every 1, or --csv; one measure with its table: "
        "-m packing;\nmore measures: --list\n",
        source.times.size());
}

}  // namespace

void add_measure_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("measure", "measure a run: packing, angles, flow, contacts, stress, mixing");
  c->add_option("input", o.input, "folder of a run, a trajectory.h5 or a state.h5");
  c->add_option("-m,--measure", o.measures,
                "what to measure, e.g. repose or packing:x=[0,1],bins=5; may be given many times\n"
                "(default: [[measures]] of the scene, or a general set at the last sample)")
      ->type_name("KIND[:OPTION=VALUE,...]")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  auto* frame = c->add_option("--frame", o.frame, "only this frame: a number from 0, or last");
  c->add_option("--time", o.time, "only the frame nearest to this time")->excludes(frame)->check(not_negative_number);
  c->add_option("--every", o.every, "every Nth frame")->check(counting_number);
  auto* json = c->add_flag("--json", o.json, "print JSON");
  auto* csv = c->add_flag("--csv", o.csv, "print CSV, one block a measure")->excludes(json);
  c->add_option("-o,--output", o.folder, "folder for CSV files, as a run writes them")
      ->type_name("FOLDER")
      ->excludes(json)
      ->excludes(csv);
  c->add_flag("--list", o.list, "list the kinds of measure and their options");
  c->add_flag("-q,--quiet", o.quiet, "no progress line");
  c->footer(
      "Examples:\n"
      "  scree measure out/first                             what the scene asks for, or a general set at the end\n"
      "  scree measure out/first -m coordination --frame last   contacts a grain at the end\n"
      "  scree measure out/silo -m discharge:y=[0,9] --csv   grains that left the silo, over time");
  c->callback([options] { run(*options); });
}

}  // namespace scree::cli
