#pragma once
// State files: everything of a World that changes, and what fixes it, at full precision. Layout: docs/files.md.
#include <filesystem>
#include <string>
#include <vector>

#include "scree/scene/scene.hpp"

namespace scree {

// What a live measure of the run remembers (measure/memory.hpp).
struct MeasureMemory {
  std::string name;
  std::vector<double> values;
};

// Writes a temporary file beside `file`, flushes it to the disk and renames it: `file` is the old state or the whole
// new one. `settings` with dt resolved; `scene_text` is the scene as it was run. Error(system) when the disk fails.
void write_state(const std::filesystem::path& file, const World& world, const StepSettings& settings,
                 const std::string& scene_text, const std::vector<MeasureMemory>& measures = {});

struct SavedState {
  World world;  // without maps and map_table: the scene's [maps] section and the cache bring those back
  StepSettings settings;
  std::string scene_text;
  std::vector<MeasureMemory> measures;
};
// Error(input) for anything that is not a complete and undamaged state file.
SavedState read_state(const std::filesystem::path& file);

// The scene of a state, its world as it was saved; maps are still to come. Files that the scene refers to lie beside
// `file`, the state's own. Error(input) when scene and world do not fit.
Scene continued_scene(SavedState state, const std::filesystem::path& file);

// Of the files that this program writes, and the only one it reads.
std::int32_t state_version();

}  // namespace scree
