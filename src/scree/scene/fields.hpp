#pragma once
// One table of a scene file, read by the schema: unknown, missing and misplaced keys are refused when it is opened;
// getters check type and range and fall back to the schema's default. Inside scene/ only.
#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scree/base/vec.hpp"
#include "scree/scene/schema.hpp"
#include "scree/shape/outline.hpp"

namespace scree {

// Where the text came from.
struct SceneSource {
  std::string name;                          // file name for messages
  std::vector<std::string> overridden = {};  // paths that --set gave a value, entries of lists by number

  // "file:line:column: path", "--set path" for a value that an override put there, "file: path" for what is not there.
  std::string where(const toml::node& node, const std::string& path) const;
};

[[noreturn]] void scene_error(const SceneSource& source, const toml::node& node, const std::string& path,
                              const std::string& problem, const std::string& remedy);

// "did you mean 'x'? known: a, b, c"
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

// "advice (name: meaning)"
std::string remedy(const std::string& advice, const Field& field);

class Fields {
 public:
  // `more`: keys that exist beside the section's own (parameters of a shape recipe), to be read with node().
  Fields(const toml::table& table, const std::string& section, std::string path, const SceneSource& source,
         const std::vector<std::string>& more = {});

  bool has(const std::string& name) const { return table_.contains(name); }

  double number(const std::string& name) const;  // number or angle
  int integer(const std::string& name) const { return static_cast<int>(large_integer(name)); }
  std::uint64_t large_integer(const std::string& name) const;
  bool boolean(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::string choice(const std::string& name) const { return text(name); }
  Vec2d vector(const std::string& name) const;
  std::array<double, 2> interval(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  std::vector<double> numbers(const std::string& name) const;
  Loop points(const std::string& name) const;
  std::vector<Loop> loops(const std::string& name) const;

  // Nothing when the field is absent without a default, or holds a word such as "auto".
  std::optional<double> maybe_number(const std::string& name) const;
  std::optional<int> maybe_integer(const std::string& name) const;
  std::optional<std::string> maybe_text(const std::string& name) const;
  std::optional<std::array<double, 2>> maybe_interval(const std::string& name) const;

  const toml::node* node(const std::string& name) const { return table_.get(name); }
  const toml::table& table() const { return table_; }
  const SceneSource& source() const { return source_; }
  const std::string& path() const { return path_; }
  std::string path_of(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  // Stops with an error at the field (or at the table when the field is absent).
  [[noreturn]] void fail(const std::string& name, const std::string& problem, const std::string& remedy = {}) const;
  // At most one of these fields may be given; returns it, or "" when there is none.
  std::string at_most_one(const std::vector<std::string>& names) const;
  std::string exactly_one(const std::vector<std::string>& names) const;

 private:
  void check_keys(const std::vector<std::string>& more) const;
  void check_required() const;
  bool exists(const Field& field) const;
  bool is_word(const std::string& name) const;  // or absent without a default
  const Field& spec(const std::string& name) const;
  const toml::node& value(const std::string& name) const;
  double number_of(const toml::node& node, const Field& field, const std::string& path) const;
  Vec2d point_of(const toml::node& node, const Field& field, const std::string& path) const;
  Loop points_of(const toml::node& node, const Field& field, const std::string& path) const;
  const toml::array& array_of(const toml::node& node, const std::string& path, const std::string& wanted) const;

  const toml::table& table_;
  const Section& section_;
  std::string path_;
  const SceneSource& source_;
  std::string selected_;  // value of the section's selector
  toml::table defaults_;
};

// The tables of a list `[[name]]` of `parent`, with their paths "name[0]", ...; empty when absent.
struct TableEntry {
  const toml::table* table;
  std::string path;
};
std::vector<TableEntry> table_list(const toml::table& parent, const std::string& name, const std::string& parent_path,
                                   const SceneSource& source);
// The tables of `[name.*]`, in order of their names, which must be words.
struct NamedTable {
  std::string name;
  const toml::table* table;
  std::string path;
};
std::vector<NamedTable> named_tables(const toml::table& parent, const std::string& name, const SceneSource& source);

// Text of a TOML value for messages: `"abc"`, `[1, 2]`, cut when long.
std::string shown(const toml::node& node);

}  // namespace scree
