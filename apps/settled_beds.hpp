#pragma once
// Settled beds for `scree bench scenes`: made once from a scene, kept as state files, tiled to any size.
#include <filesystem>
#include <string>
#include <vector>

#include "scree/step/simulation.hpp"
#include "terminal.hpp"

namespace scree::cli {

// A scene run to the end of its duration, then on with other settings.
struct BedRecipe {
  std::string scene;                   // file name within the folder of scenes
  std::vector<std::string> overrides;  // as of --set, for settling
  std::vector<std::string> then;       // more of them, for the map it is replayed with
  double relax = 0;                    // time to run on with those
};

struct Bed {
  World world;
  StepSettings settings;
};

// The settled bed of a recipe with its maps, from `folder` where it was kept before; the file's name holds a hash of
// scene and recipe.
Bed settled_bed(const BedRecipe& recipe, const std::filesystem::path& scenes, const std::filesystem::path& folder,
                ProgressLine& line);

// The same bed `tiles` times side by side along its periodic x, springs and all. Bodies are numbered row by row, as a
// lattice of that width would have been.
void tile(World& world, int tiles);

}  // namespace scree::cli
