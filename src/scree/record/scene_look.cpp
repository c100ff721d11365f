#include "scree/record/scene_look.hpp"

#include <toml++/toml.h>

#include <nlohmann/json.hpp>

#include "scree/base/error.hpp"

namespace scree {

namespace {

template <class T>
void take(const toml::node_view<const toml::node>& node, T& value) {
  if (const auto found = node.value<T>()) value = *found;
}

std::optional<Box> view_of(const toml::table& root) {
  const auto at = [&](const char* axis, std::size_t k) { return root["render"][axis][k].value<double>(); };
  if (!at("x", 0) || !at("x", 1) || !at("y", 0) || !at("y", 1)) return {};
  return Box{{*at("x", 0), *at("y", 0)}, {*at("x", 1), *at("y", 1)}};
}

void read_look(const toml::table& root, SceneLook& look) {
  PictureStyle& style = look.style;
  const auto render = root["render"];
  std::string colour = "type", background = "white", units;
  take(root["units"], units);
  take(render["colour"], colour);
  take(render["background"], background);
  take(render["width"], style.width);
  take(render["height"], style.height);
  take(render["fps"], look.fps);
  take(render["forces"], style.forces);
  take(render["walls"], style.walls);
  take(render["legend"], style.legend);
  take(render["scale_bar"], style.scale_bar);
  take(render["time"], style.time);
  style.colour = parse_colour_by(colour);
  style.theme = background == "black" ? dark_theme() : theme_on(parse_colour(background));
  style.view = view_of(root);
  if (units.rfind("SI", 0) == 0) set_units(style, "SI");
}

}  // namespace

SceneLook look_of_scene(const std::string& scene_text) {
  SceneLook look;
  look.style.width = 1280;
  look.style.height = 0;
  try {
    read_look(toml::parse(scene_text), look);
  } catch (const toml::parse_error&) { return look; }
  return look;
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
