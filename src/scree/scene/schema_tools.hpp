#pragma once
// Shorthand for writing the schema: one line a field. Inside scene/ only.
#include <utility>

#include "scree/scene/schema.hpp"

namespace scree::schema {

using Words = std::vector<std::string>;

inline Field field(FieldType type, std::string name, std::string fallback, std::string unit, std::string meaning,
                   Range range = any_value) {
  Field f;
  f.name = std::move(name);
  f.type = type;
  f.required = fallback == "required";
  if (!f.required) f.fallback = std::move(fallback);
  f.unit = std::move(unit);
  f.meaning = std::move(meaning);
  f.range = range;
  return f;
}

inline Field number(std::string name, std::string fallback, std::string unit, std::string meaning,
                    Range range = any_value) {
  return field(FieldType::real, std::move(name), std::move(fallback), std::move(unit), std::move(meaning), range);
}

inline Field choice(std::string name, std::string fallback, Words words, std::string meaning) {
  const bool quoted = !fallback.empty() && fallback != "required";
  Field f = field(FieldType::word, std::move(name), quoted ? '"' + fallback + '"' : fallback, "", std::move(meaning));
  f.words = std::move(words);
  return f;
}

// The field exists only for these values of the section's selector.
inline Field only(Words selected, Field f) {
  f.only = std::move(selected);
  return f;
}

// A word may stand in place of the value.
inline Field or_word(std::string word, Field f) {
  f.words.push_back(std::move(word));
  return f;
}

// Parts of the schema, one file each.
std::vector<Section> run_sections();
std::vector<Section> matter_sections();
std::vector<Section> body_sections();
std::vector<Section> wall_sections();
std::vector<Section> time_sections();
std::vector<Section> measure_sections();

}  // namespace scree::schema
