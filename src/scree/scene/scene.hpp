#pragma once
// A scene file, read and checked: everything a run needs, except the contact maps (attach_maps, scene/maps.hpp).
// The format: docs/scene-format.md, generated from scene/schema.hpp.
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scree/map/settings.hpp"
#include "scree/measure/measure.hpp"
#include "scree/scene/render_settings.hpp"
#include "scree/step/simulation.hpp"
#include "scree/world/world.hpp"

namespace scree {

struct RunSettings {
  double duration = 0;         // time
  double frame_interval = 0;   // time between trajectory frames
  double series_interval = 0;  // time between lines of the series
  double state_interval = 0;   // time between restart states
  std::uint64_t seed = 1;
};

inline constexpr double most_steps = 1e10;      // of a run
inline constexpr double most_size_ratio = 1e6;  // of two grains

// What a run writes beside scene.toml: no file that the scene refers to is copied there under one of these names.
inline constexpr std::array<std::string_view, 6> run_file_names = {"run.json",   "scene.toml", "trajectory.h5",
                                                                   "series.csv", "state.h5",   "failed-state.h5"};

// Files of a measure begin with these: numbers over time, and tables.
inline constexpr std::string_view measure_file_prefix = "measure-";
inline constexpr std::string_view table_file_prefix = "table-";

// A file the scene refers to. Its name in Scene::text is `name`: a copy of the file under that name beside the text
// makes the text complete.
struct SceneFile {
  std::string name;
  std::filesystem::path source;
};

struct Scene {
  std::string title;
  std::string units;
  std::filesystem::path file;          // as given
  std::string text;                    // TOML after overrides; reads back to the same scene
  std::vector<std::string> overrides;  // as given
  std::vector<SceneFile> files;
  World world;        // grains of [[insert]] are left to World::insertions
  StepSettings step;  // dt resolved
  MapSettings maps;
  RunSettings run;
  RenderSettings render;
  std::vector<MeasureSettings> measures;
  StepAdvice advice;
  std::vector<std::string> warnings;
};

// `overrides`: "path=value" each, e.g. "materials.default.friction=0.3", "insert[1].count=50", "walls[floor].tilt=0.1".
// Throws Error(input) "file:line:column: field: problem" for the first thing that is wrong, Error(system) when the file
// cannot be read.
Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
// The same from text; `name` stands for the file in messages, and files are looked up beside it.
Scene parse_scene(const std::string& text, const std::string& name, const std::vector<std::string>& overrides = {});

// Title, units and [render] of a scene's text alone: what a picture of a kept run needs, without the shapes and files
// the text names. Throws as parse_scene does.
Scene parse_scene_look(const std::string& text, const std::string& name);

// [[measures]] of a scene's text alone; `every` is 0 where the scene leaves it to the run. Throws as parse_scene does.
std::vector<MeasureSettings> parse_scene_measures(const std::string& text, const std::string& name);
// [[events]] of a text alone, in order of time; targets are looked up in `world`. Throws as parse_scene does.
std::vector<Event> parse_scene_events(const std::string& text, const std::string& name, const World& world);
// A measure as an option of the command line: "packing", "packing:bins=5,x=[0,1]", with the fields of [[measures]].
MeasureSettings parse_measure(const std::string& text);

}  // namespace scree
