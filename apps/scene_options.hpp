#pragma once
// Options that `check`, `run` and others share: a scene file, overrides, where maps come from.
#include <optional>
#include <string>
#include <vector>

#include "scree/scene/maps.hpp"
#include "terminal.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace scree::cli {

struct SceneOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool no_cache = false;

  CLI::Option* add_to(CLI::App& command);  // returns the scene's, which is required
  void add_changes_to(CLI::App& command);  // all but the scene itself
  Scene load() const { return load_scene(file, overrides); }
};

// attach_maps with a progress line on stderr; Ctrl-C throws Interrupted.
std::vector<MapUse> attach_maps_shown(Scene& scene, bool no_cache, ThreadPool& pool, ProgressLine& line);

void print_warnings(const Scene& scene);

}  // namespace scree::cli
