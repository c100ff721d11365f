#pragma once
// The scene format as one table: every section and field with type, default, unit, range and meaning. The reader takes
// defaults and checks from it, unknown keys are refused by it, and the reference in docs/scene-format.md is printed
// from it, so the three cannot disagree.
#include <limits>
#include <string>
#include <vector>

namespace scree {

enum class FieldType {
  real,
  angle,  // a number in rad, or text such as "16 deg"
  integer,
  boolean,
  text,
  word,      // one of `words`
  vector,    // [x, y]
  interval,  // [lo, hi] with lo < hi
  texts,     // ["a", "b"]; one text stands for a list of one
  numbers,   // [1, 2, 3]
  points,    // [[x, y], ...]
  loops,     // [[[x, y], ...], ...]
  table,     // read by its own section
  tables,    // a list of tables, read by its own section
  size,      // a number or a size distribution
};

inline constexpr double unlimited = std::numeric_limits<double>::infinity();

struct Range {
  double lowest = -unlimited;
  double highest = unlimited;
  bool open = false;  // `lowest` itself is not allowed

  bool contains(double v) const { return (open ? v > lowest : v >= lowest) && v <= highest; }
  std::string text() const;  // "> 0", "0 to 1", or "" when nothing is excluded
};
inline constexpr Range any_value{};
inline constexpr Range positive{0, unlimited, true};
inline constexpr Range not_negative{0, unlimited, false};

struct Field {
  std::string name;
  FieldType type = FieldType::real;
  std::string fallback;  // TOML text; "" when there is none; see `required`
  std::string unit;
  std::string meaning;
  Range range;
  std::vector<std::string> words;  // choices, or words accepted in place of a value ("auto")
  std::vector<std::string> only;   // values of the section's selector for which the field exists; empty: all
  bool required = false;
};

struct Section {
  std::string name;  // "run", "materials.NAME", "insert[]", ...
  std::string summary;
  std::string selector;  // the field that decides which others exist, e.g. "method"; "" for none
  std::vector<Field> fields;

  const Field* find(const std::string& field) const;
  std::vector<std::string> field_names(const std::string& selected = {}) const;
};

// All sections, in the order of the reference.
const std::vector<Section>& scene_schema();
const Section& schema_section(const std::string& name);

// The reference tables of docs/scene-format.md.
std::string schema_markdown();

}  // namespace scree
