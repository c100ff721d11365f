#include "scree/scene/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

std::vector<std::string> key_names(const toml::table& table) {
  std::vector<std::string> names;
  for (const auto& [key, node] : table) names.emplace_back(key.str());
  return names;
}

toml::table parse_defaults(const Section& section) {
  std::string text;
  for (const Field& f : section.fields) {
    if (!f.fallback.empty()) text += f.name + " = " + f.fallback + "\n";
  }
  return toml::parse(text);
}

// How to write the number that `field` wants instead of `node`, which is none.
std::string as_number(const toml::node& node, const Field& field) {
  if (node.is_array()) return "one number, without brackets";
  std::istringstream in(node.value_or(std::string{}));
  double v = 0;
  if (!(in >> v)) return "a number, without quotes";
  const std::string text = fmt::format("{}", v);
  if (field.type == FieldType::angle) return "\"" + text + " deg\", or a number in rad without quotes";
  return "a number without quotes or unit: " + field.name + " = " + text;
}

// Range::text() in words.
std::string in_words(const Range& range) {
  if (range.lowest == 0 && range.highest == unlimited) return range.open ? "a number above zero" : "zero or more";
  if (range.highest == unlimited) return cat("at least ", range.lowest);
  return cat(range.open ? "above " : "from ", range.lowest, " to ", range.highest);
}

}  // namespace

std::string remedy(const std::string& advice, const Field& field) {
  return advice + " (" + field.name + ": " + field.meaning + ")";
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  if (known.empty()) return "there are none";
  const std::string near = nearest_name(word, known);
  return (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(known);
}

Fields::Fields(const toml::table& table, const std::string& section, std::string path, const SceneSource& source,
               const std::vector<std::string>& more)
    : table_(table),
      section_(schema_section(section)),
      path_(std::move(path)),
      source_(source),
      defaults_(parse_defaults(section_)) {
  if (!section_.selector.empty()) {
    // A misspelt selector key is the likelier mistake than a forgotten one.
    if (!has(section_.selector)) {
      for (const std::string& key : key_names(table_)) {
        if (!section_.find(key)) check_keys(more);
      }
      fail(section_.selector, "is required", "give one of: " + join(spec(section_.selector).words));
    }
    selected_ = text(section_.selector);
  }
  check_keys(more);
  check_required();
}

void Fields::check_keys(const std::vector<std::string>& more) const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::ranges::count(more, name) > 0) continue;
    const Field* field = section_.find(name);
    if (field && exists(*field)) continue;
    if (field) {
      fail(name, "does not apply to " + section_.selector + " \"" + selected_ + "\", only to: " + join(field->only),
           "remove it; known here: " + join(section_.field_names(selected_)));
    }
    std::vector<std::string> known = section_.field_names(selected_);
    known.insert(known.end(), more.begin(), more.end());
    fail(name, "unknown key", suggestion(name, known));
  }
}

void Fields::check_required() const {
  for (const Field& field : section_.fields) {
    if (field.required && exists(field) && !has(field.name)) {
      fail(field.name, "is required", field.meaning + (field.unit.empty() ? "" : ", in units of " + field.unit));
    }
  }
}

bool Fields::exists(const Field& field) const {
  return field.only.empty() || selected_.empty() || std::ranges::count(field.only, selected_) > 0;
}

void Fields::fail(const std::string& name, const std::string& problem, const std::string& remedy) const {
  const toml::node* at = table_.get(name);
  scene_error(source_, at ? *at : static_cast<const toml::node&>(table_), path_of(name), problem, remedy);
}

std::string Fields::at_most_one(const std::vector<std::string>& names) const {
  std::string found;
  for (const std::string& name : names) {
    if (!has(name)) continue;
    if (!found.empty()) fail(name, "cannot stand beside '" + found + "'", "give only one of: " + join(names));
    found = name;
  }
  return found;
}

std::string Fields::exactly_one(const std::vector<std::string>& names) const {
  std::string found = at_most_one(names);
  if (found.empty()) fail(names.front(), "is missing", "give one of: " + join(names));
  return found;
}

const Field& Fields::spec(const std::string& name) const {
  const Field* field = section_.find(name);
  if (!field) throw std::logic_error("the scene schema has no field '" + section_.name + "." + name + "'");
  return *field;
}

const toml::node& Fields::value(const std::string& name) const {
  spec(name);
  if (const toml::node* given = table_.get(name)) return *given;
  if (const toml::node* fallback = defaults_.get(name)) return *fallback;
  throw std::logic_error("no value and no default for '" + path_of(name) + "'");
}

double Fields::number(const std::string& name) const { return number_of(value(name), spec(name), path_of(name)); }

double Fields::number_of(const toml::node& node, const Field& field, const std::string& path) const {
  std::optional<double> v = node.is_number() ? node.value<double>() : std::nullopt;
  if (!v && field.type == FieldType::angle && node.is_string()) {
    std::istringstream in(node.value_or(std::string{}));
    double degrees = 0;
    std::string unit, rest;
    if (in >> degrees >> unit && unit == "deg" && !(in >> rest)) v = degrees * std::numbers::pi / 180;
  }
  if (!v) {
    const std::string wanted =
        field.type == FieldType::angle ? "a number in rad or text such as \"16 deg\"" : "a number";
    const std::string words = field.words.empty() ? "" : " or \"" + join(field.words, "\" or \"") + "\"";
    scene_error(source_, node, path, "must be " + wanted + words + ", not " + shown(node),
                remedy(as_number(node, field), field));
  }
  if (!std::isfinite(*v)) {
    scene_error(source_, node, path, "must be a finite number, not " + shown(node),
                remedy("nan and inf are no values here", field));
  }
  if (!field.range.contains(*v)) {
    scene_error(source_, node, path, "must be " + field.range.text() + ", not " + shown(node),
                remedy(in_words(field.range), field));
  }
  return *v;
}

std::uint64_t Fields::large_integer(const std::string& name) const {
  const toml::node& node = value(name);
  const Field& field = spec(name);
  if (!node.is_integer())
    fail(name, "must be a whole number, not " + shown(node),
         remedy("digits alone, without point, exponent or quotes", field));
  const auto v = node.value<std::int64_t>().value_or(0);
  if (v < 0 || !field.range.contains(static_cast<double>(v))) {
    fail(name, "must be " + field.range.text() + ", not " + shown(node), remedy(in_words(field.range), field));
  }
  return static_cast<std::uint64_t>(v);
}

bool Fields::boolean(const std::string& name) const {
  const toml::node& node = value(name);
  if (!node.is_boolean())
    fail(name, "must be true or false, not " + shown(node),
         remedy(name + " = true or " + name + " = false, without quotes", spec(name)));
  return node.value_or(false);
}

std::string Fields::text(const std::string& name) const {
  const toml::node& node = value(name);
  const Field& field = spec(name);
  if (!node.is_string())
    fail(name, "must be text in quotes, not " + shown(node),
         remedy("write it in quotes: " + name + " = \"...\"", field));
  std::string v = node.value_or(std::string{});
  if (field.type == FieldType::word && std::ranges::count(field.words, v) == 0) {
    fail(name, "unknown value \"" + v + "\"", suggestion(v, field.words));
  }
  return v;
}

bool Fields::is_word(const std::string& name) const {
  const Field& field = spec(name);
  if (!has(name) && field.fallback.empty()) return true;
  const toml::node& node = value(name);
  return node.is_string() && std::ranges::count(field.words, node.value_or(std::string{})) > 0;
}

std::optional<double> Fields::maybe_number(const std::string& name) const {
  return is_word(name) ? std::nullopt : std::optional(number(name));
}

std::optional<int> Fields::maybe_integer(const std::string& name) const {
  return is_word(name) ? std::nullopt : std::optional(integer(name));
}

std::optional<std::string> Fields::maybe_text(const std::string& name) const {
  if (!has(name) && spec(name).fallback.empty()) return {};
  return text(name);
}

}  // namespace scree
