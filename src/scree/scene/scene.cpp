#include "scree/scene/scene.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"
#include "scree/scene/overrides.hpp"
#include "scree/scene/toml_text.hpp"

namespace scree {

namespace {

constexpr std::uintmax_t largest_scene = 64u << 20;  // bytes; a scene is text, not data

std::string read_text(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) {
    throw Error(ErrorKind::system, file.string(), "there is no such file", "check the path of the scene");
  }
  if (!std::filesystem::is_regular_file(file, failed)) {
    throw Error(ErrorKind::system, file.string(), "is not a file that can be read", "check the path of the scene");
  }
  if (std::filesystem::file_size(file, failed) > largest_scene) {
    throw Error(ErrorKind::input, file.string(), "is larger than 64 MB, which no scene is");
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(ErrorKind::system, file.string(), "cannot be read", "check its permissions");
  return text.str();
}

// The parser follows a dotted key by recursion, so one of very many parts would overflow its stack.
void demand_short_keys(std::string_view text, const std::string& name) {
  constexpr std::string_view key = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.\"' \t[{";
  constexpr std::ptrdiff_t most_dots = 64;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view row = text.substr(0, text.find('\n'));
    const std::string_view start = row.substr(0, row.find_first_not_of(key));
    if (std::count(start.begin(), start.end(), '.') > most_dots) {
      throw Error(ErrorKind::input, cat(name, ":", line, ":1"), "a key of more than 64 parts",
                  "no field of a scene lies deeper than three");
    }
    text.remove_prefix(std::min(text.size(), row.size() + 1));
  }
}

// Line `number` of the text, counted from 1.
std::string line_of(const std::string& text, std::size_t number) {
  std::istringstream in(text);
  std::string line;
  for (std::size_t k = 0; k < number; ++k) std::getline(in, line);
  return line;
}

std::string toml_remedy(const std::string& text, const toml::parse_error& e) {
  const std::string line = line_of(text, e.source().begin.line);
  constexpr std::size_t longest = 200;  // characters: regular expressions need stack for each
  if (line.size() <= longest) {
    static const std::regex comma(R"(=\s*([+-]?\d+),(\d+)\s*(#.*)?$)");
    static const std::regex nothing(R"(^[^=#]*=\s*(#.*)?$)");
    std::smatch part;
    if (std::regex_search(line, part, comma)) return "write a decimal point: " + part.str(1) + "." + part.str(2);
    if (std::regex_search(line, nothing)) return "give a value after '=', or remove the line";
  }
  struct Known {
    std::string_view words, remedy;  // words of the parser
  };
  static constexpr std::array known{
      Known{"redefine", "a key or [table] stands twice: remove one, or write [[...]] for a list of tables"},
      Known{"table header", "a section is [name], one of a list of them [[name]]"},
      Known{"parsing string", "text ends with the quote that it began with, on the same line"},
      Known{"literal string", "text ends with the quote that it began with, on the same line"},
      Known{"inline table", "what begins with { ends with } on the same line"},
      Known{"parsing array", "what begins with [ ends with ], with commas in between"},
      Known{"expected '='", "a line is `key = value`"},
      Known{"comment or whitespace", "one value a line; remarks begin with #"},
      Known{"floating-point", "a number has digits on both sides of its point, and after its e: 0.5, 1e-4"},
      Known{"leading zeroes", "leave the zeros in front out"},
  };
  for (const Known& k : known)
    if (e.description().find(k.words) != std::string_view::npos) return std::string(k.remedy);
  return "see https://toml.io; text needs quotes";
}

void read_top(SceneBuilder& b) {
  const Fields top(b.root, "", "", b.source);
  b.scene.title = top.text("title");
  b.scene.units = top.text("units");
}

void read_all(SceneBuilder& b) {
  for (const auto read : {read_top, read_run, read_step, read_maps, read_surroundings, read_render, read_materials,
                          read_pairs, read_shapes, read_grains, read_bodies, read_arrays, read_insertions, read_walls,
                          read_motions, read_events, read_deletions, read_measures, finish_scene}) {
    read(b);
  }
}

}  // namespace

toml::table parse_scene_toml(const std::string& text, const std::string& name) {
  try {
    demand_short_keys(text, name);
    return toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    const toml::source_position at = e.source().begin;
    throw Error(ErrorKind::input, cat(name, ":", at.line, ":", at.column),
                "not valid TOML: " + std::string(e.description()), toml_remedy(text, e));
  }
}

Scene parse_scene(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  toml::table root = parse_scene_toml(text, name);
  const SceneSource source{name, apply_overrides(root, overrides)};
  Scene scene;
  scene.file = name;
  scene.overrides = overrides;
  SceneBuilder builder{root, source, scene, {}, {}, {}, {}, {}, {}, {}, {}};
  read_all(builder);
  // Only now, so that messages find the lines of the file.
  for (const FileReference& r : builder.references) r.table->insert_or_assign(r.field, r.name);
  // The user's own text, comments and all, as long as it says everything.
  scene.text = overrides.empty() && scene.files.empty() ? text : toml_text(root);
  return scene;
}

Scene parse_scene_look(const std::string& text, const std::string& name) {
  toml::table root = parse_scene_toml(text, name);
  Scene scene;
  const SceneSource source{name};
  SceneBuilder builder{root, source, scene, {}, {}, {}, {}, {}, {}, {}, {}};
  read_top(builder);
  read_render(builder);
  return scene;
}

Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_scene(read_text(file), file.string(), overrides);
}

Fields SceneBuilder::section(const std::string& name) const {
  static const toml::table nothing;
  const toml::node* node = root.get(name);
  if (node && !node->is_table()) {
    scene_error(source, *node, name, "must be a table, not " + shown(*node), "write [" + name + "]");
  }
  return Fields(node ? *node->as_table() : nothing, name, name, source);
}

void SceneBuilder::warn(const Fields& at, const std::string& text) {
  scene.warnings.push_back(source.where(at.table(), at.path()) + ": " + text);
}

int SceneBuilder::group(const std::string& name) {
  std::vector<std::string>& groups = world().groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] == name) return static_cast<int>(i);
  }
  groups.push_back(name);
  return static_cast<int>(groups.size()) - 1;
}

}  // namespace scree
