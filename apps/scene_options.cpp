#include "scene_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "interrupt.hpp"

namespace scree::cli {

CLI::Option* SceneOptions::add_to(CLI::App& command) {
  CLI::Option* scene = command.add_option("scene", file, "scene file (TOML)")->required();
  add_changes_to(command);
  return scene;
}

void SceneOptions::add_changes_to(CLI::App& command) {
  command
      .add_option("--set", overrides,
                  "change a value of the scene, e.g. materials.default.friction=0.3, insert[0].count=50,\n"
                  "walls[floor].tilt=0.1; may be given many times")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command.add_flag("--no-cache", no_cache, "build every contact map anew and store none");
}

std::vector<MapUse> attach_maps_shown(Scene& scene, bool no_cache, ThreadPool& pool, ProgressLine& line) {
  const MapCache cache(no_cache ? std::filesystem::path{} : MapCache::default_folder());
  const auto progress = [&](std::size_t map, std::size_t maps, double fraction, const std::string& pair,
                            const std::string& stage) {
    if (interrupted()) throw Interrupted();
    if (!line.due()) return;
    const double all = (static_cast<double>(map) + fraction) / static_cast<double>(maps);
    line.show(all, fmt::format("map {} of {}, {}: {}", map + 1, maps, pair, stage));
  };
  std::vector<MapUse> uses = attach_maps(scene, &cache, pool, progress);
  line.clear();
  return uses;
}

void print_warnings(const Scene& scene) {
  for (const std::string& warning : scene.warnings) say("warning: " + warning + "\n");
}

}  // namespace scree::cli
