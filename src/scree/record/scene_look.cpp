#include "scree/record/scene_look.hpp"

#include <nlohmann/json.hpp>

#include "scree/base/error.hpp"
#include "scree/scene/scene.hpp"

namespace scree {

namespace {

SceneLook look_of(const Scene& scene) {
  const RenderSettings& render = scene.render;
  SceneLook look;
  PictureStyle& style = look.style;
  style.width = render.width;
  style.height = render.height;
  style.longer = render.sized ? 0 : render.width;
  style.colour = parse_colour_by(render.colour);
  for (const auto& [grain, colour] : render.colours) style.colours[grain] = parse_colour(colour);
  style.forces = render.forces;
  style.walls = render.walls;
  style.legend = render.legend;
  style.scale_bar = render.scale_bar;
  style.time = render.time;
  style.theme = render.background == "black" ? dark_theme() : theme_on(parse_colour(render.background));
  style.view = render.view;
  style.lens = render.lens;
  if (scene.units.rfind("SI", 0) == 0) set_units(style, "SI");
  look.fps = render.fps;
  look.units = scene.units;
  return look;
}

}  // namespace

SceneLook look_of_scene(const std::string& scene_text) {
  try {
    return look_of(parse_scene_look(scene_text, "scene of the run"));
  } catch (const Error&) { return look_of(Scene{}); }
}

std::string scene_text_of(const std::string& run_json) {
  const nlohmann::json run = nlohmann::json::parse(run_json, nullptr, false);
  return run.is_object() && run.contains("scene") && run["scene"].is_string() ? run["scene"].get<std::string>() : "";
}

void set_units(PictureStyle& style, const std::string& units) {
  if (units == "SI") return set_units(style, "m,s,N");
  if (units == "none") return set_units(style, ",,");
  const std::size_t a = units.find(','), b = units.find(',', a == std::string::npos ? a : a + 1);
  if (a == std::string::npos || b == std::string::npos || units.find(',', b + 1) != std::string::npos)
    throw Error(ErrorKind::input, "units", "\"" + units + "\" is not understood",
                "write SI, none, or three names such as mm,s,N for length, time and force");
  style.length_unit = units.substr(0, a);
  style.time_unit = units.substr(a + 1, b - a - 1);
  style.force_unit = units.substr(b + 1);
}

}  // namespace scree
