#pragma once
// How a run is drawn, as options: what `scree render` and `scree export` share.
#include <string>

#include "run_source.hpp"
#include "scree/record/scene_look.hpp"

namespace CLI {
class App;
}

namespace scree::cli {

struct PictureOptions {
  std::string size, colour, view, theme, title, units;
  double fps = 0;  // 0: the scene's
  bool forces = false, no_legend = false, no_walls = false, no_time = false, no_scale_bar = false;
  bool colour_fixed = false;

  static constexpr const char* group = "Pictures";  // of these options in the help
  void add_to(CLI::App& command);
  // The scene's own [render] table, then what the options say. Error(input) names the option that is wrong.
  SceneLook look(const RunSource& source) const;
};

}  // namespace scree::cli
