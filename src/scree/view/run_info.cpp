#include "scree/view/run_info.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "scree/base/text.hpp"
#include "scree/record/colours.hpp"
#include "scree/record/wall_outline.hpp"
#include "scree/view/mesh.hpp"
#include "scree/view/session.hpp"

namespace scree {

namespace {

using Json = nlohmann::json;

constexpr int ramp_colours = 64;
constexpr int most_partners = 8;  // top of the scale of coordination

unsigned hex(Colour c) {
  const auto byte = [](double v) { return static_cast<unsigned>(std::lround(255 * std::clamp(v, 0.0, 1.0))); };
  return byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

template <class Ramp>
Json ramp_json(Ramp ramp, int count = ramp_colours) {
  Json out;
  for (const bool dark : {false, true}) {
    Json colours = Json::array();
    for (int k = 0; k < count; ++k) colours.push_back(hex(ramp(static_cast<double>(k) / (count - 1), dark)));
    out[dark ? "dark" : "light"] = std::move(colours);
  }
  return out;
}

Json theme_json(const Theme& t) {
  return {
      {"ground", hex(t.ground)},      {"ink", hex(t.ink)},         {"faint", hex(t.faint_ink)}, {"wall", hex(t.wall)},
      {"wallLine", hex(t.wall_line)}, {"neutral", hex(t.neutral)}, {"force", hex(t.force)}};
}

// Seven digits: more than a pixel of any screen.
double rounded(double v) { return std::isfinite(v) ? std::strtod(cat(v).c_str(), nullptr) : 0; }

Json flat(const std::vector<Vec2d>& points) {
  Json out = Json::array();
  for (const Vec2d p : points) out.push_back(rounded(p.x)), out.push_back(rounded(p.y));
  return out;
}

Json mesh_json(const Mesh& mesh) {
  return {{"tolerance", mesh.tolerance},
          {"points", flat(mesh.points)},
          {"inward", flat(mesh.inward)},
          {"index", mesh.index},
          {"loops", mesh.loops}};
}

Json shape_json(const Shape& shape) {
  Json levels = Json::array();
  for (const Mesh& mesh : mesh_levels(shape.outline)) levels.push_back(mesh_json(mesh));
  return {{"name", shape.name}, {"thinnest", shape.thinnest}, {"disc", shape.is_disc}, {"levels", levels}};
}

const char* kind_name(WallKind kind) {
  switch (kind) {
    case WallKind::half_plane:
      return "half-plane";
    case WallKind::circle_inside:
      return "container";
    case WallKind::circle_outside:
      return "disc";
    case WallKind::polyline:
      return "polyline";
    case WallKind::outline:
      return "outline";
  }
  return "";
}

Json wall_json(const Wall& wall, std::size_t index) {
  Json out{{"name", wall.name.empty() ? "wall " + std::to_string(index) : wall.name}, {"kind", kind_name(wall.kind)}};
  if (wall.kind == WallKind::half_plane) {
    out["normal"] = {wall.normal.x, wall.normal.y};
    return out;
  }
  const Outline outline = wall_outline(wall);
  out["loops"] = Json::array();
  for (const Loop& loop : outline.loops) out["loops"].push_back(flat(loop));
  if (wall.kind == WallKind::circle_inside) out["radius"] = wall.radius;
  return out;
}

Json type_json(const GrainType& type, Colour colour) {
  return {{"name", type.name},
          {"shape", type.shape},
          {"radius", type.radius},
          {"mass", type.mass},
          {"colour", hex(colour)}};
}

Json periodic_json(const Periodic& p) {
  return {{"x", p.x}, {"y", p.y}, {"box", {p.box.lo.x, p.box.lo.y, p.box.hi.x, p.box.hi.y}}};
}

const char* colour_name(ColourBy colour) {
  constexpr const char* names[] = {"type", "group", "speed", "force", "angle"};
  return names[static_cast<std::size_t>(colour)];
}

Json look_json(const SceneLook& look) {
  return {{"colour", colour_name(look.style.colour)},
          {"forces", look.style.forces},
          {"dark", look.style.theme.dark},
          {"fps", look.fps},
          {"units", {look.style.length_unit, look.style.time_unit, look.style.force_unit}}};
}

}  // namespace

Json json_of(const Scales& s) {
  return {{"view", {s.view.lo.x, s.view.lo.y, s.view.hi.x, s.view.hi.y}},
          {"speed", s.speed},
          {"force", s.grain_force},
          {"contact", s.contact_force},
          {"types", s.types},
          {"groups", s.groups}};
}

Json json_of(const std::vector<PlotSeries>& series, std::size_t first) {
  Json out = Json::array();
  for (const PlotSeries& s : series) {
    Json times = Json::array(), values = Json::array();
    for (std::size_t k = first; k < s.times.size(); ++k) {
      times.push_back(s.times[k]);
      values.push_back(std::isfinite(s.values[k]) ? Json(s.values[k]) : Json());
    }
    out.push_back({{"name", s.name}, {"unit", s.unit}, {"measure", s.measure}, {"times", times}, {"values", values}});
  }
  return out;
}

Json hello_of(const RunInfo& info) {
  const Statics& s = info.statics;
  const std::vector<Colour> colours = type_colours(s, info.scales.types, info.look.style.colours);
  const std::vector<Colour> group_colours = spread_palette(s.groups.size(), info.scales.groups);
  Json types = Json::array(), groups = Json::array(), shapes = Json::array(), walls = Json::array();
  for (std::size_t k = 0; k < s.types.size(); ++k) types.push_back(type_json(s.types[k], colours[k]));
  for (std::size_t k = 0; k < s.groups.size(); ++k)
    groups.push_back({{"name", s.groups[k]}, {"colour", hex(group_colours[k])}});
  for (const Shape& shape : s.shapes) shapes.push_back(shape_json(shape));
  for (std::size_t w = 0; w < s.walls.size(); ++w) walls.push_back(wall_json(s.walls[w], w));
  const auto partners = [](double t, bool dark) { return error_ramp(0.12 + 0.88 * t, dark); };
  return {{"type", "hello"},
          {"version", 1},
          {"title", info.title},
          {"live", false},
          {"look", look_json(info.look)},
          {"scales", json_of(info.scales)},
          {"origin", {info.origin.x, info.origin.y}},
          {"themes", {{"light", theme_json(light_theme())}, {"dark", theme_json(dark_theme())}}},
          {"ramps",
           {{"speed", ramp_json(speed_ramp)},
            {"force", ramp_json(force_ramp)},
            {"angle", ramp_json([](double t, bool) { return cyclic_ramp(t); })},
            {"coordination", ramp_json(partners, most_partners + 1)}}},
          {"shapes", shapes},
          {"types", types},
          {"groups", groups},
          {"walls", walls},
          {"periodic", periodic_json(s.periodic)}};
}

std::vector<PlotSeries> series_of(const std::vector<MeasureSamples>& measures) {
  std::vector<PlotSeries> out;
  for (const MeasureSamples& m : measures) {
    for (std::size_t c = 0; c < m.measure.columns.size(); ++c) {
      PlotSeries& s = out.emplace_back();
      s.name = m.measure.columns[c].name;
      s.unit = m.measure.columns[c].unit;
      s.measure = m.measure.name;
      s.times = m.times;
      for (const Reading& r : m.readings) s.values.push_back(r.values[c].value_or(std::nan("")));
    }
  }
  return out;
}

std::string error_message(const Error& error, std::optional<std::uint32_t> request) {
  Json out{{"type", "error"}, {"where", error.where()}, {"problem", error.problem()}, {"remedy", error.remedy()}};
  if (request) out["request"] = *request;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string note_message(const std::string& text) {
  return Json{{"type", "note"}, {"text", text}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace scree
