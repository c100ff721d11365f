#include "scree/scene/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace scree {

namespace {

std::string key_text(std::string_view key) {
  constexpr std::string_view bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (!key.empty() && key.find_first_not_of(bare) == std::string_view::npos) return std::string(key);
  std::ostringstream out;
  out << toml::value<std::string>(key);
  return out.str();
}

bool is_table_list(const toml::node& node) {
  const toml::array* array = node.as_array();
  return array && !array->empty() &&
         std::all_of(array->begin(), array->end(), [](const toml::node& n) { return n.is_table(); });
}

// Tables of tables get a header each, down to [materials.glass]; below that they are written in line.
constexpr int deepest_header = 2;

void write_table(const toml::table& table, const std::string& path, int depth, std::string& out) {
  const auto headed = [&](const toml::node& node) {
    return depth < deepest_header && (node.is_table() || (depth == 0 && is_table_list(node)));
  };
  for (const auto& [key, node] : table) {
    if (!headed(node)) out += fmt::format("{} = {}\n", key_text(key.str()), toml_value_text(node));
  }
  for (const auto& [key, node] : table) {
    if (!headed(node)) continue;
    const std::string name = path.empty() ? key_text(key.str()) : path + "." + key_text(key.str());
    if (const toml::table* inner = node.as_table()) {
      const bool only_tables =
          depth + 1 < deepest_header && !inner->empty() &&
          std::all_of(inner->begin(), inner->end(), [](const auto& e) { return e.second.is_table(); });
      if (!only_tables) out += fmt::format("\n[{}]\n", name);
      write_table(*inner, name, depth + 1, out);
    } else {
      for (const toml::node& item : *node.as_array()) {
        out += fmt::format("\n[[{}]]\n", name);
        write_table(*item.as_table(), name, deepest_header, out);
      }
    }
  }
}

}  // namespace

std::string toml_value_text(const toml::node& node) {
  if (const toml::array* array = node.as_array()) {
    std::string out;
    for (const toml::node& item : *array) out += (out.empty() ? "[" : ", ") + toml_value_text(item);
    return out.empty() ? "[]" : out + "]";
  }
  if (const toml::table* table = node.as_table()) {
    std::string out;
    for (const auto& [key, item] : *table) {
      out += fmt::format("{} {} = {}", out.empty() ? "{" : ",", key_text(key.str()), toml_value_text(item));
    }
    return out.empty() ? "{}" : out + " }";
  }
  if (const auto* real = node.as_floating_point()) {
    std::string text = fmt::format("{}", real->get());
    const bool integral = text.find_first_not_of("-0123456789") == std::string::npos;
    return integral ? text + ".0" : text;
  }
  std::ostringstream out;
  node.visit([&](const auto& v) { out << v; });
  return out.str();
}

std::string toml_text(const toml::table& root) {
  std::string out;
  write_table(root, "", 0, out);
  return out;
}

}  // namespace scree
