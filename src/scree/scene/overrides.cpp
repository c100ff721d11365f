#include "scree/scene/overrides.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/fields.hpp"

namespace scree {

namespace {

struct Step {
  std::string text;
  bool bracket = false;  // an entry of a list
};

[[noreturn]] void refuse(const std::string& override_text, const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::input, "--set " + override_text, problem, remedy);
}

std::vector<Step> split_path(const std::string& path, const std::string& whole) {
  std::vector<Step> steps;
  std::size_t i = 0;
  while (i < path.size()) {
    const bool bracket = path[i] == '[';
    if (bracket || (path[i] == '.' && !steps.empty())) ++i;
    const std::size_t end = std::min(bracket ? path.find(']', i) : path.find_first_of(".[", i), path.size());
    steps.push_back({path.substr(i, end - i), bracket});
    if (steps.back().text.empty() || (bracket && end == path.size())) {
      refuse(whole, "the path is not well formed", "write e.g. materials.default.friction=0.3 or walls[0].tilt=0.1");
    }
    i = bracket ? end + 1 : end;
  }
  return steps;
}

// Families of tables whose names the user chose: a new name there is a typing error, not a wish.
bool is_family(const std::string& key) { return key == "materials" || key == "shapes" || key == "grains"; }

std::vector<std::string> keys_of(const toml::table& table) {
  std::vector<std::string> names;
  for (const auto& [key, node] : table) names.emplace_back(key.str());
  return names;
}

// As the readers name entry `i` of these lists when it does not say; "" for lists whose entries have no names.
std::string default_name(const std::string& list, const toml::table& entry, std::size_t i) {
  if (list == "walls" || list == "motions") return cat(list.substr(0, list.size() - 1), i + 1);
  if (list == "measures") return entry["kind"].value_or(std::string{});
  return list == "insert" || list == "delete" ? cat(list, i + 1) : std::string{};
}

// `path`: of the list.
std::size_t list_entry(const toml::array& list, const std::string& entry, const std::string& path,
                       const std::string& whole) {
  std::size_t index = list.size();
  const auto [end, failed] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  const bool numeric = failed == std::errc{} && end == entry.data() + entry.size();
  if (numeric && index < list.size()) return index;
  if (numeric)
    refuse(whole, cat("there is no entry [", entry, "]"), cat("entries count from 0; there are ", list.size()));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const toml::table* table = list[i].as_table();
    const bool nameless = table && !table->contains("name");
    const std::string name = nameless ? default_name(path, *table, i)
                             : table  ? (*table)["name"].value_or(std::string{})
                                      : "";
    if (name == entry) return i;
    if (!name.empty()) names.push_back(name);
  }
  refuse(whole, "no entry is called \"" + entry + "\"", suggestion(entry, names));
}

// `family`: the table is [materials], [shapes] or [grains] itself; "" elsewhere.
toml::node& table_entry(toml::table& table, const std::string& key, const std::string& family,
                        const std::string& whole) {
  if (toml::node* node = table.get(key)) return *node;
  // The material `default` exists even in a scene that does not write it.
  const bool built_in = family == "materials" && key == "default";
  if (!family.empty() && !built_in) {
    std::vector<std::string> names = keys_of(table);
    if (family == "materials" && !table.contains("default")) names.emplace_back("default");
    refuse(whole, "unknown name \"" + key + "\"", suggestion(key, names));
  }
  return table.insert(key, toml::table{}).first->second;
}

void require_table(const toml::node& node, const Step& step, const std::string& whole) {
  if (node.is_table()) return;
  if (node.is_array()) refuse(whole, "a list needs an entry before \"" + step.text + "\"", "write e.g. walls[0].tilt");
  refuse(whole, "\"" + step.text + "\" is not inside a table", "check the path");
}

void append(std::string& path, const std::string& key) { path += (path.empty() ? "" : ".") + key; }

// The table or list that the last step changes; `path`: how the reader will call it.
toml::node& walk(toml::table& root, const std::vector<Step>& steps, const std::string& whole, std::string& path) {
  toml::node* at = &root;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.bracket) {
      if (!at->is_array()) refuse(whole, "[" + step.text + "] does not follow a list", "leave the brackets out");
      const std::size_t index = list_entry(*at->as_array(), step.text, path, whole);
      at = &(*at->as_array())[index];
      path += cat("[", index, "]");
    } else {
      require_table(*at, step, whole);
      append(path, step.text);
      if (i == 0 && steps[1].bracket && !root.contains(step.text)) {
        refuse(whole, "the scene has no list \"" + step.text + "\"", suggestion(step.text, keys_of(root)));
      }
      at = &table_entry(*at->as_table(), step.text, i == 1 && is_family(steps[0].text) ? steps[0].text : std::string{},
                        whole);
    }
  }
  return *at;
}

// The value as the table {v = value}, so that any TOML type can be moved on.
toml::table parse_value(const std::string& value, const std::string& whole) {
  try {
    return toml::parse("v = " + value);
  } catch (const toml::parse_error& e) {
    const bool quoted = value.find_first_of("[]{}\"'\n=") != std::string::npos;
    if (value.empty() || quoted) refuse(whole, "the value is not TOML: " + std::string(e.description()), {});
    toml::table out;
    out.insert("v", value);
    return out;
  }
}

// A copied node loses its source position, so that errors point to --set and not to a line of the file.
void put(toml::node& parent, const Step& last, const toml::node& value, const std::string& whole, std::string& path) {
  value.visit([&](const auto& v) {
    auto copy = v;
    if (last.bracket) {
      if (!parent.is_array()) refuse(whole, "[" + last.text + "] does not follow a list", "leave the brackets out");
      toml::array& list = *parent.as_array();
      const std::size_t index = list_entry(list, last.text, path, whole);
      list.replace(list.begin() + static_cast<std::ptrdiff_t>(index), std::move(copy));
      path += cat("[", index, "]");
    } else {
      require_table(parent, last, whole);
      parent.as_table()->insert_or_assign(last.text, std::move(copy));
      append(path, last.text);
    }
  });
}

}  // namespace

std::vector<std::string> apply_overrides(toml::table& root, const std::vector<std::string>& overrides) {
  std::vector<std::string> paths;
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      refuse(text, "is not key=value", "write e.g. --set materials.default.friction=0.3");
    }
    const std::vector<Step> steps = split_path(text.substr(0, equals), text);
    const toml::table value = parse_value(text.substr(equals + 1), text);
    std::string path;
    toml::node& parent = walk(root, steps, text, path);
    put(parent, steps.back(), *value.get("v"), text, path);
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace scree
