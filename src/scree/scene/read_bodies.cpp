// [[bodies]] and [[arrays]]: grains that are there from the start.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

// [[x, y], [x, y, angle], ...]: poses; `angle` for those without.
std::vector<Pose2d> positions(const Fields& f, double angle) {
  const toml::node& node = *f.node("positions");
  const std::string wanted = "must be [[x, y], [x, y, angle], ...]";
  if (!node.is_array()) f.fail("positions", wanted + ", not " + shown(node));
  std::vector<Pose2d> out;
  for (const toml::node& item : *node.as_array()) {
    const toml::array* p = item.as_array();
    const bool sized = p && (p->size() == 2 || p->size() == 3);
    const bool numeric = sized && std::ranges::all_of(*p, [](const toml::node& n) {
                           return n.is_number() && std::isfinite(n.value_or(0.0));
                         });
    if (!numeric) {
      scene_error(f.source(), item, cat(f.path_of("positions"), "[", out.size(), "]"),
                  "must be [x, y] or [x, y, angle] of numbers, not " + shown(item), {});
    }
    const auto value = [&](std::size_t i) { return (*p)[i].value_or(0.0); };
    out.push_back({p->size() == 3 ? value(2) : angle, {value(0), value(1)}});
  }
  return out;
}

// A curve as nodes joined by straight lines.
struct Path {
  Loop nodes;  // a closed path repeats its first node at the end
  bool closed = false;

  double length() const {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) sum += norm(nodes[i + 1] - nodes[i]);
    return sum;
  }
  // Point at arc length s, and the angle of the tangent there.
  Pose2d at(double s) const {
    std::size_t i = 0;
    while (i + 2 < nodes.size() && s > norm(nodes[i + 1] - nodes[i])) {
      s -= norm(nodes[i + 1] - nodes[i]);
      ++i;
    }
    const Vec2d along = nodes[i + 1] - nodes[i];
    return {std::atan2(along.y, along.x), nodes[i] + (s / norm(along)) * along};
  }
};

// Grains along a curve of this length: `count`, or as many as keep them `spacing` apart or less.
std::size_t array_count(const Fields& f, double length, bool closed) {
  if (f.exactly_one({"count", "spacing"}) == "count") return f.large_integer("count");
  const double gaps = std::max(1.0, std::ceil(length / f.number("spacing") - 1e-9));
  if (gaps > 1e6) f.fail("spacing", cat("makes ", gaps, " grains"), "choose a larger spacing");
  return static_cast<std::size_t>(gaps) + (closed ? 0 : 1);
}

double step_of(double length, std::size_t count, bool closed) {
  const std::size_t gaps = closed ? count : count - 1;
  return gaps == 0 ? 0 : length / static_cast<double>(gaps);
}

std::vector<Pose2d> along_nodes(const Fields& f) {
  Path path;
  if (f.choice("along") == "line") {
    path.nodes = {f.vector("from"), f.vector("to")};
  } else {
    path.nodes = f.points("points");
    path.closed = f.boolean("closed");
    if (path.nodes.size() < 2) f.fail("points", "needs at least 2 points");
    if (path.closed) path.nodes.push_back(path.nodes.front());
  }
  for (std::size_t i = 0; i + 1 < path.nodes.size(); ++i) {
    if (path.nodes[i] == path.nodes[i + 1])
      f.fail(f.has("to") ? "to" : "points", cat("point ", i + 1, " repeats the one before"));
  }
  const std::size_t count = array_count(f, path.length(), path.closed);
  const double step = step_of(path.length(), count, path.closed);
  std::vector<Pose2d> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(path.at(step * static_cast<double>(i)));
  return out;
}

std::vector<Pose2d> along_circle(const Fields& f) {
  const bool closed = f.choice("along") == "ring";
  const double radius = f.number("radius");
  const double start = f.number("start");
  const double turn = closed ? 2 * std::numbers::pi : f.number("end") - start;
  if (turn == 0) f.fail("end", "is equal to start", "use along = \"ring\" for a whole circle");
  const std::size_t count = array_count(f, radius * std::abs(turn), closed);
  const double step = step_of(turn, count, closed);
  const double tangent = turn > 0 ? std::numbers::pi / 2 : -std::numbers::pi / 2;
  std::vector<Pose2d> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double phi = start + step * static_cast<double>(i);
    out.push_back({phi + tangent, f.vector("centre") + radius * Vec2d{std::cos(phi), std::sin(phi)}});
  }
  return out;
}

}  // namespace

void read_bodies(SceneBuilder& b) {
  const std::vector<TableEntry> entries = table_list(b.root, "bodies", "", b.source);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fields f(*entries[i].table, "bodies[]", entries[i].path, b.source);
    const std::string way = f.exactly_one({"position", "positions", "file"});
    if (way == "file") {
      read_body_file(b, f, b.root["bodies"][i].as_table());
      continue;
    }
    for (const std::string name : {"table", "time", "ignore"})
      if (f.has(name)) f.fail(name, "does not go with '" + way + "'", "it is for grains of a `file`");
    if (!f.has("grain")) f.fail("grain", "is required", "name a kind of grain");
    const int type = single_type(b, f, f.text("grain"));
    const double angle = f.number("angle");
    const std::vector<Pose2d> poses =
        way == "position" ? std::vector<Pose2d>{{angle, f.vector("position")}} : positions(f, angle);
    const BodyKind kind = body_kind(f);
    if (kind != BodyKind::moving && (f.has("velocity") || f.has("spin"))) {
      f.fail(f.has("velocity") ? "velocity" : "spin", "is only for moving grains", "use [[motions]] with a group");
    }
    const int group = b.group(f.text("group"));
    for (const Pose2d& q : poses) {
      b.world().add_body(type, group, kind, q.x, q.theta, f.vector("velocity"), f.number("spin"));
    }
  }
}

void read_arrays(SceneBuilder& b) {
  for (const TableEntry& entry : table_list(b.root, "arrays", "", b.source)) {
    const Fields f(*entry.table, "arrays[]", entry.path, b.source);
    const std::string along = f.choice("along");
    const bool straight = along == "line" || along == "polyline";
    const int type = single_type(b, f, f.text("grain"));
    const int group = b.group(f.text("group"));
    const double angle = f.number("angle");
    for (const Pose2d& q : straight ? along_nodes(f) : along_circle(f)) {
      b.world().add_body(type, group, body_kind(f), q.x, q.theta + angle);
    }
  }
}

}  // namespace scree
