// [[walls]].
#include <algorithm>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

void add_wall(SceneBuilder& b, const std::string& name, Wall wall) {
  wall.anchor = wall.pose;
  b.walls[name].push_back(static_cast<int>(b.world().walls.size()));
  b.world().walls.push_back(std::move(wall));
}

void half_plane(const Fields& f, Wall& wall) {
  const Vec2d n = f.vector("normal");
  if (!(norm(n) > 0)) f.fail("normal", "is zero", "give a direction, e.g. [0, 1]");
  wall.kind = WallKind::half_plane;
  wall.normal = Rotation2d(f.number("tilt")) * ((1 / norm(n)) * n);
  wall.pose.x = f.vector("point");
}

void circle(const Fields& f, Wall& wall) {
  wall.kind = f.choice("kind") == "circle-inside" ? WallKind::circle_inside : WallKind::circle_outside;
  wall.radius = f.number("radius");
  wall.pose.x = f.vector("centre");
}

void chain(const Fields& f, Wall& wall) {
  const bool segment = f.choice("kind") == "segment";
  wall.kind = WallKind::polyline;
  wall.points = segment ? Loop{f.vector("from"), f.vector("to")} : f.points("points");
  wall.closed = !segment && f.boolean("closed");
  wall.radius = f.number("thickness") / 2;
  const std::string field = segment ? "to" : "points";
  const std::size_t n = wall.points.size();
  if (n < (wall.closed ? 3u : 2u)) f.fail(field, cat("needs at least ", wall.closed ? 3 : 2, " points"));
  for (std::size_t i = 0; i + 1 < n + (wall.closed ? 1 : 0); ++i) {
    if (wall.points[i] == wall.points[(i + 1) % n])
      f.fail(field, cat("point ", (i + 1) % n, " repeats the one before"));
  }
  // The frame's origin is in the middle of the chain, so that a rotation "about itself" means what it says.
  Vec2d lo = wall.points[0], hi = wall.points[0];
  for (const Vec2d p : wall.points) {
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
  }
  wall.pose.x = 0.5 * (lo + hi);
  for (Vec2d& p : wall.points) p -= wall.pose.x;
}

void outline(SceneBuilder& b, const Fields& f, Wall& wall) {
  wall.kind = WallKind::outline;
  wall.pose = {f.number("angle"), f.vector("position")};
  if (f.exactly_one({"shape", "loops"}) == "loops") {
    if (f.has("size")) f.fail("size", "does not go with 'loops'", "scale the coordinates");
    try {
      wall.outline = checked_outline({f.loops("loops")}, wall.name);
    } catch (const Error& e) { f.fail("loops", e.where() + ": " + e.problem(), e.remedy()); }
    return;
  }
  const int index = shape_of(b, f, "shape", f.text("shape"));
  const Shape& shape = *b.world().shapes[static_cast<std::size_t>(index)];
  wall.outline = transformed(shape.outline, f.maybe_number("size").value_or(shape.natural_radius), 0, {});
}

void box(SceneBuilder& b, const Fields& f, const Wall& common) {
  const auto x = f.interval("x");
  const auto y = f.interval("y");
  struct Side {
    std::string name;
    Vec2d point;
    Vec2d normal;
  };
  const std::vector<Side> all = {{"left", {x[0], y[0]}, {1, 0}},
                                 {"right", {x[1], y[0]}, {-1, 0}},
                                 {"bottom", {x[0], y[0]}, {0, 1}},
                                 {"top", {x[0], y[1]}, {0, -1}}};
  const std::vector<std::string> wanted = f.texts("sides");
  for (const std::string& side : wanted) {
    const bool known = std::ranges::any_of(all, [&](const Side& s) { return s.name == side; });
    if (!known) f.fail("sides", "unknown side \"" + side + "\"", suggestion(side, {"left", "right", "bottom", "top"}));
    if (std::ranges::count(wanted, side) > 1) f.fail("sides", "names \"" + side + "\" twice", "name each side once");
  }
  if (wanted.empty()) f.fail("sides", "is empty", "name at least one side");
  for (const Side& side : all) {
    if (std::ranges::count(wanted, side.name) == 0) continue;
    Wall wall = common;
    wall.name = common.name + "." + side.name;
    wall.pose.x = side.point;
    wall.normal = side.normal;
    if (b.walls.contains(wall.name)) f.fail("name", "\"" + wall.name + "\" is taken", "choose another name");
    b.walls[common.name].push_back(static_cast<int>(b.world().walls.size()));
    add_wall(b, wall.name, wall);
  }
}

}  // namespace

void read_walls(SceneBuilder& b) {
  const std::vector<TableEntry> entries = table_list(b.root, "walls", "", b.source);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fields f(*entries[i].table, "walls[]", entries[i].path, b.source);
    const std::string kind = f.choice("kind");
    Wall wall;
    wall.name = entry_name(f, "wall", i, b.walls);
    wall.material = material_of(b, f);
    wall.active = f.boolean("active");
    if (kind == "box") {
      box(b, f, wall);
      continue;
    }
    if (kind == "half-plane") half_plane(f, wall);
    if (kind == "circle-inside" || kind == "circle-outside") circle(f, wall);
    if (kind == "segment" || kind == "polyline") chain(f, wall);
    if (kind == "outline") outline(b, f, wall);
    add_wall(b, wall.name, wall);
  }
}

}  // namespace scree
