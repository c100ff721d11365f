#include "run_json.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "build_info.hpp"
#include "scree/base/hash.hpp"
#include "scree/step/resolve.hpp"

namespace scree::cli {

namespace {

using Json = nlohmann::ordered_json;

Json map_entry(const MapUse& use) {
  return {{"shape_a", use.shape_a},
          {"shape_b", use.shape_b},
          {"ratio", use.ratio},
          {"key", use.key},
          {"kind", use.kind},
          {"from_cache", use.from_cache},
          {"seconds", use.seconds},
          {"bytes", use.bytes},
          {"gap_rmse", use.error.gap_rmse},
          {"gap_max", use.error.gap_max},
          {"gap_jump", use.error.gap_jump},
          {"angle_median_degrees", use.error.angle_median},
          {"arm_rmse", use.error.arm_rmse}};
}

Json map_settings(const MapSettings& m) {
  return {{"kind", m.kind},
          {"epsilon", m.epsilon},
          {"nodes", m.nodes},
          {"theta_nodes", m.theta_nodes},
          {"storage", m.storage == TableStorage::fp16 ? "fp16" : "fp32"},
          {"net", m.net},
          {"seed", m.seed},
          {"samples", m.samples},
          {"epochs", m.epochs},
          {"grid", m.grid},
          {"star_nodes", m.star_nodes},
          {"star_distance", m.star_distance == StarDistance::radial ? "radial" : "first-order"},
          {"clump_discs", m.clump_discs},
          {"clump_tolerance", m.clump_tolerance}};
}

Json ledger_entry(const Ledger& l) {
  return {{"kinetic", l.kinetic},
          {"gravity", l.gravity},
          {"elastic", l.elastic},
          {"normal_damping", l.normal_damping},
          {"friction", l.friction},
          {"rotational_damping", l.rotational_damping},
          {"wall_work", l.wall_work},
          {"gravity_work", l.gravity_work},
          {"inserted", l.inserted},
          {"initial", l.initial},
          {"moved", l.moved},
          {"residual", l.residual()},
          {"relative_residual", l.relative_residual()}};
}

Json end_entry(const RunResult& r) {
  const char* names[] = {"finished", "interrupted", "failed"};
  Json out = {{"how", names[static_cast<std::size_t>(r.end)]},
              {"at", utc_now()},
              {"time", r.last.time},
              {"steps", r.last.step},
              {"wall_seconds", r.last.wall_seconds},
              {"steps_per_second", r.last.steps_per_second},
              {"grains", r.last.grains},
              {"contacts", r.last.stats.contacts},
              {"frames", r.frames},
              {"state_hash", to_hex(r.state_hash)},
              {"ledger", ledger_entry(r.last.ledger)}};
  if (r.large_steps) out["overlap"] = r.large_steps->overlap;
  if (r.failure) out["failure"] = r.failure->what();
  return out;
}

// How the run began stays as it was recorded then.
void add_restart(Json& out, const Restart& restart) {
  const Json first = Json::parse(restart.record, nullptr, false);
  if (!first.is_object()) return;
  for (const char* key : {"command", "scene_file", "overrides", "started", "warnings", "insertion_seeds"}) {
    if (first.contains(key)) out[key] = first[key];
  }
  out["restarts"] = Json::array();
  if (first.contains("restarts") && first["restarts"].is_array()) out["restarts"] = first["restarts"];
  out["restarts"].push_back(
      {{"at", utc_now()}, {"command", restart.command}, {"time", restart.time}, {"step", restart.step}});
}

Json build_entry() { return {{"version", version()}, {"commit", commit()}, {"compiler", compiler()}}; }

Json machine_entry(const Scene& scene) {
  return {{"cpu", cpu_model()}, {"cores", cpu_threads()}, {"threads", ThreadPool(scene.step.threads).threads()}};
}

}  // namespace

std::string run_json(const Scene& scene, const std::vector<MapUse>& maps, const RunOptions& options,
                     const std::string& started, const std::vector<std::filesystem::path>& files,
                     const RunResult* result) {
  Json out = {{"program", "scree"}, {"format", 1}};
  out["build"] = build_entry();
  out["machine"] = machine_entry(scene);
  out["command"] = options.command;
  out["scene_file"] = scene.file.string();
  out["title"] = scene.title;
  out["overrides"] = scene.overrides;
  out["started"] = started;
  out["dt"] = scene.step.dt;
  out["duration"] = options.until.value_or(scene.run.duration);
  out["solver"] = scene.step.solver;
  out["device"] = scene.step.device;
  if (!is_implicit(scene.step.solver)) {
    out["integrator"] = scene.step.integrator;
    out["law"] = scene.step.law;
  }
  out["seed"] = scene.run.seed;
  out["insertion_seeds"] = Json::array();
  for (const Insertion& in : scene.world.insertions) out["insertion_seeds"].push_back(in.seed);
  out["map_settings"] = map_settings(scene.maps);
  out["maps"] = Json::array();
  for (const MapUse& use : maps) out["maps"].push_back(map_entry(use));
  out["warnings"] = scene.warnings;
  out["files"] = Json::array();
  for (const auto& file : files) out["files"].push_back(file.string());
  out["end"] = result ? end_entry(*result) : Json(nullptr);
  out["scene"] = scene.text;
  if (options.restart) add_restart(out, *options.restart);
  // Names come from files and may hold any bytes: replace what is not UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool recorded_end(const std::string& record) {
  const Json run = Json::parse(record, nullptr, false);
  return run.is_object() && run.contains("end") && !run["end"].is_null();
}

void record_failure(const std::filesystem::path& folder, const std::string& failure) {
  try {
    std::ifstream in(folder / "run.json");
    Json run = Json::parse(in, nullptr, false);
    if (!run.is_object() || !run.contains("end") || !run["end"].is_null()) return;
    run["end"] = {{"how", "failed"}, {"at", utc_now()}, {"failure", failure}};
    write_atomic(folder / "run.json", run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } catch (const std::exception&) {  // the error that ended the run is the one to tell
  }
}

}  // namespace scree::cli
