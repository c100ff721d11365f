#pragma once
// run.json: everything needed to repeat a run, and how it ended. Fields: docs/cli.md.
#include <string>
#include <vector>

#include "run_scene.hpp"
#include "scree/record/part_file.hpp"

namespace scree::cli {

// The record of a run that has begun (`result` null) or ended.
std::string run_json(const Scene& scene, const std::vector<MapUse>& maps, const RunOptions& options,
                     const std::string& started, const std::vector<std::filesystem::path>& files,
                     const RunResult* result);

// Whether the text of a run.json says how its run ended.
bool recorded_end(const std::string& record);

// Gives the run.json of a run that ended by an error its end. Does nothing when that cannot be written either.
void record_failure(const std::filesystem::path& folder, const std::string& failure);

}  // namespace scree::cli
