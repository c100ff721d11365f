#pragma once
// How a scene wants to be drawn: the [render] table, title and units of a scene's text, as kept in a trajectory or
// state.
#include <string>

#include "scree/record/picture.hpp"

namespace scree {

struct SceneLook {
  PictureStyle style;
  double fps = 30;
  std::string units;  // the scene's own words
};

// From the text of a scene; what it does not say keeps its default, and a text that cannot be read says nothing: it was
// checked when the scene ran. `units = "SI ..."` labels axes with m, s and N.
SceneLook look_of_scene(const std::string& scene_text);
// The scene's text inside run.json; empty when there is none.
std::string scene_text_of(const std::string& run_json);

// "SI", "none" or "length,time,force" such as "mm,s,N"; Error(input) otherwise.
void set_units(PictureStyle& style, const std::string& units);

}  // namespace scree
