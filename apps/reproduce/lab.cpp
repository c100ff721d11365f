#include "reproduce/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "build_info.hpp"
#include "interrupt.hpp"
#include "run_shown.hpp"
#include "scree/base/hash.hpp"
#include "scree/record/scene_look.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

RunRecord record_of(const fs::path& folder, const Json& run) {
  const Json& end = run.at("end");
  RunRecord r;
  r.label = folder.filename().string();
  r.folder = folder;
  r.wall_seconds = end.value("wall_seconds", 0.0);
  r.time = end.value("time", 0.0);
  r.steps = end.value("steps", std::size_t{0});
  r.grains = end.value("grains", std::size_t{0});
  r.contacts = end.value("contacts", std::size_t{0});
  r.residual = end.at("ledger").value("relative_residual", 0.0);
  for (const Json& map : run.at("maps")) r.map_error = std::max(r.map_error, map.value("gap_rmse", 0.0));
  r.failure = end.value("failure", std::string{});
  return r;
}

Json read_json(const fs::path& file) {
  std::ifstream in(file);
  return Json::parse(in, nullptr, false);
}

[[noreturn]] void fail(const RunRecord& r) {
  // The failure is text of an Error already: where, what, remedy.
  throw Error(ErrorKind::physics, "run \"" + r.label + "\"", r.failure.substr(0, r.failure.find('\n')));
}

std::size_t index_of(const std::vector<MeasureColumn>& columns, const std::string& name) {
  const auto at = std::ranges::find(columns, name, &MeasureColumn::name);
  if (at == columns.end()) throw Error(ErrorKind::input, "measure", "has no column \"" + name + "\"");
  return static_cast<std::size_t>(at - columns.begin());
}

}  // namespace

std::vector<double> Readings::column(const std::string& name) const {
  const std::size_t c = index_of(m_.measure.columns, name);
  std::vector<double> out;
  for (const Reading& r : m_.readings) out.push_back(r.values[c].value_or(unknown));
  return out;
}

std::vector<double> Readings::table(const std::string& name) const {
  const std::size_t c = index_of(m_.measure.table, name);
  std::vector<double> out;
  for (const auto& row : m_.readings.back().rows) out.push_back(row[c].value_or(unknown));
  return out;
}

std::string scene_hash(const Scene& scene) { return to_hex(Hash().text(scene.text).value()); }

// Finished by this version of the program with this very scene.
std::optional<RunRecord> Lab::finished(const fs::path& folder, const std::string& scene_text) const {
  if (settings_.again || !fs::exists(folder / "run.json")) return {};
  const Json run = read_json(folder / "run.json");
  if (!run.is_object() || run.value("scene", "") != scene_text) return {};
  if (!run.contains("end") || !run["end"].is_object() || !run["end"].contains("ledger")) return {};
  if (run["end"].value("how", "") == "interrupted" || run["build"].value("version", "") != version()) return {};
  return record_of(folder, run);
}

RunRecord Lab::run(const std::string& label, const std::string& scene_name, const std::vector<std::string>& overrides,
                   bool may_fail) {
  const fs::path folder = settings_.folder / label;
  const std::string command = run_command("scenes/" + scene_name, label, overrides);
  Scene scene = load_scene(settings_.scenes / scene_name, overrides);
  used_.push_back({scene_name, overrides, scene_hash(scene), command});
  std::optional<RunRecord> done = finished(folder, scene.text);
  if (!done) {
    scene.step.threads = settings_.threads;
    const auto lock = prepare_folder(folder, scene, true);
    const RunResult result = run_shown(scene, {folder, {}, interrupted, command}, false, line_, label).result;
    if (result.end == RunEnd::interrupted) throw Interrupted();
    done = record_of(folder, read_json(folder / "run.json"));
  }
  seconds_ += done->wall_seconds;
  if (done->failed() && !may_fail) fail(*done);
  return *done;
}

Readings Lab::measure(const RunRecord& run, const std::string& spec, Frames frames) {
  Measured measured = measure_run(open_source(run.folder), parse_measure(spec), frames == Frames::last);
  if (!measured.defined())
    throw Error(ErrorKind::input, run.label + ", " + spec, measured.failure->problem(), measured.failure->remedy());
  return Readings(std::move(measured));
}

Figure Lab::picture(const RunRecord& run, const std::string& caption, std::optional<double> time, bool forces,
                    int width) const {
  const RunSource source = open_source(run.folder);
  PictureStyle style = look_of_scene(source.scene_text).style;
  if (style.height > 0) style.height = style.height * width / style.width;
  style.width = width;
  style.longer = 0;
  style.forces |= forces;
  style.legend = false;
  const std::size_t frame = time ? source.frame_at(*time) : source.times.size() - 1;
  const Picture picture(source.statics, style, find_scales(source.statics, source.times.size(), source.read));
  const std::string file = fmt::format("{}-{}{}.png", run.label, frame, forces ? "-forces" : "");
  write_png(picture.draw(source.read(frame)), settings_.folder / file);
  return {file, caption};
}

}  // namespace scree::cli
