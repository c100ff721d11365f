// Fields that hold lists, and the walk over lists and families of tables.
#include <algorithm>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/fields.hpp"
#include "scree/scene/toml_text.hpp"

namespace scree {

std::string SceneSource::where(const toml::node& node, const std::string& path) const {
  const toml::source_position at = node.source().begin;
  if (at.line != 0) return cat(name, ":", at.line, ":", at.column, path.empty() ? "" : ": ", path);
  const bool by_override = std::ranges::any_of(overridden, [&](const std::string& o) {
    return path.starts_with(o) && (path.size() == o.size() || path[o.size()] == '.' || path[o.size()] == '[');
  });
  return (by_override ? "--set " : name + (path.empty() ? "" : ": ")) + path;
}

void scene_error(const SceneSource& source, const toml::node& node, const std::string& path, const std::string& problem,
                 const std::string& remedy) {
  throw Error(ErrorKind::input, source.where(node, path), problem, remedy);
}

std::string shown(const toml::node& node) {
  std::string text = toml_value_text(node);
  std::ranges::replace(text, '\n', ' ');
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

const toml::array& Fields::array_of(const toml::node& node, const std::string& path, const std::string& wanted) const {
  const toml::array* array = node.as_array();
  if (!array) scene_error(source_, node, path, "must be " + wanted + ", not " + shown(node), "write it in brackets");
  return *array;
}

Vec2d Fields::point_of(const toml::node& node, const Field& field, const std::string& path) const {
  const std::string wanted = field.type == FieldType::interval ? "[lo, hi]" : "[x, y]";
  if (!node.is_array() || node.as_array()->size() != 2) {
    const bool lone = node.is_number() && field.type == FieldType::vector;
    scene_error(source_, node, path, "must be " + wanted + ", not " + shown(node),
                remedy("two numbers in brackets" + (lone ? ", e.g. " + field.name + " = [0, " + shown(node) + "]"
                                                         : ": " + field.name + " = " + wanted),
                       field));
  }
  const toml::array& array = *node.as_array();
  return {number_of(array[0], field, path + "[0]"), number_of(array[1], field, path + "[1]")};
}

Vec2d Fields::vector(const std::string& name) const { return point_of(value(name), spec(name), path_of(name)); }

std::array<double, 2> Fields::interval(const std::string& name) const {
  const Vec2d ends = vector(name);
  if (!(ends.x < ends.y)) {
    const toml::array& given = *value(name).as_array();
    fail(name, "must be [lo, hi] with lo < hi, not " + shown(given),
         remedy(ends.x > ends.y ? "the lower end first: [" + shown(given[1]) + ", " + shown(given[0]) + "]"
                                : "two ends that differ",
                spec(name)));
  }
  return {ends.x, ends.y};
}

std::optional<std::array<double, 2>> Fields::maybe_interval(const std::string& name) const {
  if (!has(name)) return {};
  return interval(name);
}

std::vector<std::string> Fields::texts(const std::string& name) const {
  const toml::node& node = value(name);
  if (node.is_string()) return {node.value_or(std::string{})};
  std::vector<std::string> out;
  for (const toml::node& item : array_of(node, path_of(name), "a list of text")) {
    if (!item.is_string()) {
      scene_error(source_, item, cat(path_of(name), "[", out.size(), "]"), "must be text in quotes, not " + shown(item),
                  remedy("write it in quotes: \"" + shown(item) + "\"", spec(name)));
    }
    out.push_back(item.value_or(std::string{}));
  }
  return out;
}

std::vector<double> Fields::numbers(const std::string& name) const {
  std::vector<double> out;
  for (const toml::node& item : array_of(value(name), path_of(name), "a list of numbers")) {
    out.push_back(number_of(item, spec(name), cat(path_of(name), "[", out.size(), "]")));
  }
  return out;
}

Loop Fields::points_of(const toml::node& node, const Field& field, const std::string& path) const {
  Loop out;
  for (const toml::node& item : array_of(node, path, "a list of points [[x, y], ...]")) {
    out.push_back(point_of(item, field, cat(path, "[", out.size(), "]")));
  }
  return out;
}

Loop Fields::points(const std::string& name) const { return points_of(value(name), spec(name), path_of(name)); }

std::vector<Loop> Fields::loops(const std::string& name) const {
  std::vector<Loop> out;
  for (const toml::node& item : array_of(value(name), path_of(name), "a list of outlines [[[x, y], ...], ...]")) {
    out.push_back(points_of(item, spec(name), cat(path_of(name), "[", out.size(), "]")));
  }
  return out;
}

std::vector<TableEntry> table_list(const toml::table& parent, const std::string& name, const std::string& parent_path,
                                   const SceneSource& source) {
  const toml::node* node = parent.get(name);
  if (!node) return {};
  const std::string path = parent_path.empty() ? name : parent_path + "." + name;
  const toml::array* array = node->as_array();
  if (!array) {
    scene_error(source, *node, path, "must be a list of tables", "write each entry under [[" + name + "]]");
  }
  std::vector<TableEntry> out;
  for (const toml::node& item : *array) {
    const std::string item_path = cat(path, "[", out.size(), "]");
    if (!item.is_table())
      scene_error(source, item, item_path, "must be a table, not " + shown(item),
                  "write { name = value, ... }, or each entry under [[" + name + "]]");
    out.push_back({item.as_table(), item_path});
  }
  return out;
}

std::vector<NamedTable> named_tables(const toml::table& parent, const std::string& name, const SceneSource& source) {
  const toml::node* node = parent.get(name);
  if (!node) return {};
  const std::string remedy = "write [" + name + ".some_name]";
  if (!node->is_table()) scene_error(source, *node, name, "must hold named tables", remedy);
  std::vector<NamedTable> out;
  for (const auto& [key, item] : *node->as_table()) {
    const std::string item_name(key.str());
    const std::string path = name + "." + item_name;
    if (!item.is_table()) scene_error(source, item, path, "must be a table, not " + shown(item), remedy);
    if (item_name.empty() || item_name.find_first_of(":.[]") != std::string::npos) {
      scene_error(source, item, path, "is not a usable name", "leave out ':', '.', '[' and ']'");
    }
    out.push_back({item_name, item.as_table(), path});
  }
  return out;
}

}  // namespace scree
