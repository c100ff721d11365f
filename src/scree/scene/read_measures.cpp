// [[measures]].
#include <algorithm>
#include <cmath>
#include <set>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"
#include "scree/scene/overrides.hpp"

namespace scree {

namespace {

template <class Value>
Value word_of(const Fields& f, const std::string& name, const std::map<std::string, Value>& values) {
  return values.at(f.choice(name));
}

void check_resolved(const Fields& f, const std::string& name, double width, double scale, const char* beside) {
  if (width < finest * scale)
    f.fail(name, cat("is too small to resolve beside ", beside), "choose a value that is larger by far");
}

Selection read_selection(const Fields& f) {
  Selection s;
  for (const std::string name : {"x", "y"}) {
    const auto side = f.maybe_interval(name);
    if (!side) continue;
    check_resolved(f, name, (*side)[1] - (*side)[0], std::max(std::abs((*side)[0]), std::abs((*side)[1])),
                   "its own ends");
  }
  if (const auto x = f.maybe_interval("x")) s.region.lo.x = (*x)[0], s.region.hi.x = (*x)[1];
  if (const auto y = f.maybe_interval("y")) s.region.lo.y = (*y)[0], s.region.hi.y = (*y)[1];
  s.groups = f.texts("groups");
  s.grains = f.texts("grains");
  s.driven = f.boolean("driven");
  return s;
}

// Fields that the kind does not take hold their defaults; `hold` has none.
void read_options(const Fields& f, MeasureSettings& m) {
  m.axis = word_of<Axis>(f, "axis", {{"x", Axis::x}, {"y", Axis::y}});
  m.bins = f.integer("bins");
  m.surface.column = f.maybe_number("column").value_or(0);
  m.surface.touching = f.boolean("touching");
  m.flank = word_of<Flank>(f, "flank", {{"both", Flank::both}, {"left", Flank::left}, {"right", Flank::right}});
  m.band_lo = f.interval("band")[0], m.band_hi = f.interval("band")[1];
  m.span = f.number("span");
  m.from = f.number("from");
  m.window = f.number("window");
  if (f.has("hold")) m.hold = f.number("hold");
  if (const auto x = f.maybe_interval("opening")) m.opening = Vec2d{(*x)[0], (*x)[1]};
  m.side = word_of<RunoutSide>(f, "side",
                               {{"both", RunoutSide::both}, {"left", RunoutSide::left}, {"right", RunoutSide::right}});
  m.origin = f.maybe_number("origin");
  m.start_radius = f.maybe_number("start_radius");
  m.gap = f.maybe_number("gap").value_or(0);
  m.walls = f.boolean("walls");
  m.rattlers = f.integer("rattlers");
  m.angle = f.number("angle");
  m.least = f.integer("least");
  m.average = f.boolean("average");
  m.by = word_of<Species>(f, "by", {{"grain", Species::grain}, {"group", Species::group}, {"start", Species::start}});
  m.cell = f.maybe_number("cell").value_or(0);
  m.floor = f.number("floor");
}

constexpr std::size_t longest_name = 100;  // file systems take 255, with what stands before and after it

// The name becomes a part of file names.
void check_name(const Fields& f, const std::string& name, const std::set<std::string>& taken) {
  const bool usable = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  });
  if (!usable) f.fail("name", "\"" + name + "\" is not a usable name", "use letters, digits, '-', '_' and '.'");
  if (name.size() > longest_name)
    f.fail("name", cat("has ", name.size(), " characters"), cat("choose one of at most ", longest_name));
  if (taken.contains(name)) f.fail("name", "\"" + name + "\" is taken", "give each measure its own name");
}

std::vector<MeasureSettings> read_list(const toml::table& root, const SceneSource& source) {
  std::vector<MeasureSettings> out;
  std::set<std::string> taken;
  for (const TableEntry& entry : table_list(root, "measures", "", source)) {
    const Fields f(*entry.table, "measures[]", entry.path, source);
    MeasureSettings m;
    m.kind = f.choice("kind");
    m.name = f.maybe_text("name").value_or(m.kind);
    check_name(f, m.name, taken);
    taken.insert(m.name);
    m.every = f.maybe_number("every").value_or(0);
    m.selection = read_selection(f);
    read_options(f, m);
    out.push_back(std::move(m));
  }
  return out;
}

// Grains by name, without the classes of a size distribution.
std::map<std::string, int> names_of(const SceneBuilder& b, const std::string& field) {
  std::map<std::string, int> names;
  if (field == "groups") {
    for (const std::string& group : b.scene.world.groups) names[group] = 0;
  } else {
    for (const auto& [name, types] : b.grains) names[name] = 0;
  }
  return names;
}

// Kinds that divide by the area of the region, or by its width, and so do not count an image twice.
bool needs_one_period(const std::string& kind) {
  const std::set<std::string> kinds = {"packing", "stress", "surface", "repose", "surface-angle", "velocity", "mixing"};
  return kinds.contains(kind);
}

// The narrowest that any grain of the scene can be, in any direction.
double thinnest_grain(const World& world) {
  double least = open_side;
  for (const GrainType& t : world.types) least = std::min(least, t.thinnest);
  return std::isfinite(least) ? least : 0;
}

// The least width that the columns of a surface have to fill.
double least_width(const MeasureSettings& m, const World& world) {
  const Box& region = m.selection.region;
  if (std::isfinite(region.lo.x)) return region.hi.x - region.lo.x;
  return world.periodic.x ? world.periodic.box.hi.x - world.periodic.box.lo.x : thinnest_grain(world);
}

void check_region(const Fields& f, const MeasureSettings& m, const World& world) {
  const Box &region = m.selection.region, &cell = world.periodic.box;
  const auto check = [&](const char* name, double width, bool periodic, double period) {
    if (!f.has(name)) return;
    check_resolved(f, name, width, thinnest_grain(world), "the grains");
    if (periodic && needs_one_period(m.kind) && width > (1 + 1e-9) * period)
      f.fail(name, "is wider than the periodic cell", cat("choose at most ", period));
  };
  check("x", region.hi.x - region.lo.x, world.periodic.x, cell.hi.x - cell.lo.x);
  check("y", region.hi.y - region.lo.y, world.periodic.y, cell.hi.y - cell.lo.y);
  const bool apart = m.opening && (m.opening->x > region.hi.x || m.opening->y < region.lo.x);
  if (apart && !world.periodic.x) f.fail("opening", "lies outside x", "choose an opening below the region");
}

// Settings that would leave every cell of the files empty.
void check_lengths(const Fields& f, const MeasureSettings& m, const World& world) {
  if (const double column = m.surface.column; column > 0 && least_width(m, world) / column > most_columns + 1)
    f.fail("column", "makes more than a million columns", "choose a wider column");
  const double grain = thinnest_grain(world);
  if (m.cell > 0) check_resolved(f, "cell", m.cell, grain, "the grains");
  if (m.start_radius) check_resolved(f, "start_radius", *m.start_radius, grain, "the grains");
}

// "bins=5,x=[0,1]" as "bins=5" and "x=[0,1]".
std::vector<std::string> split_options(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::exchange(part, {}));
    } else {
      part += c;
    }
  }
  parts.push_back(part);
  return parts;
}

}  // namespace

void read_measures(SceneBuilder& b) {
  std::vector<MeasureSettings>& measures = b.scene.measures = read_list(b.root, b.source);
  const std::vector<TableEntry> entries = table_list(b.root, "measures", "", b.source);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    MeasureSettings& m = measures[i];
    const Fields f(*entries[i].table, "measures[]", entries[i].path, b.source);
    if (!(m.every > 0)) m.every = b.scene.run.series_interval;
    if (b.scene.run.duration / m.every > most_records)
      f.fail("every", cat("makes ", b.scene.run.duration / m.every, " records"),
             cat("choose at least ", b.scene.run.duration / most_records));
    check_region(f, m, b.scene.world);
    check_lengths(f, m, b.scene.world);
    for (const std::string& name : m.selection.groups) reference(f, "groups", "group", name, names_of(b, "groups"));
    for (const std::string& name : m.selection.grains) reference(f, "grains", "grain", name, names_of(b, "grains"));
  }
}

std::vector<MeasureSettings> parse_scene_measures(const std::string& text, const std::string& name) {
  const toml::table root = parse_scene_toml(text, name);
  return read_list(root, SceneSource{name});
}

MeasureSettings parse_measure(const std::string& text) {
  const std::size_t colon = text.find(':');
  toml::table entry;
  entry.insert("kind", text.substr(0, colon));
  toml::array list;
  list.push_back(std::move(entry));
  toml::table root;
  root.insert("measures", std::move(list));
  const std::string prefix = "measures[0]";
  try {
    std::vector<std::string> overrides;
    if (colon != std::string::npos) {
      for (const std::string& part : split_options(text.substr(colon + 1))) {
        if (part.find('=') == std::string::npos || part.starts_with('='))
          throw Error(ErrorKind::input, "", "\"" + part + "\" is not OPTION=VALUE",
                      "write e.g. packing:bins=5,x=[0,1]");
        overrides.push_back(prefix + "." + part);
      }
    }
    const SceneSource source{"--measure", apply_overrides(root, overrides)};
    return read_list(root, source).front();
  } catch (const Error& e) {
    // The reader speaks of the scene that stands in for the option.
    const std::size_t at = e.where().find(prefix + ".");
    const std::string field = at == std::string::npos ? "" : ": " + e.where().substr(at + prefix.size() + 1);
    throw Error(e.kind(), "--measure " + text + field, e.problem(), e.remedy());
  }
}

}  // namespace scree
