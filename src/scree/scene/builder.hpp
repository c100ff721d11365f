#pragma once
// The scene being built, and the readers of its sections in the order they run. Inside scene/ only.
#include <map>
#include <string>
#include <vector>

#include "scree/scene/fields.hpp"
#include "scree/scene/scene.hpp"

namespace scree {

// A field that names a file, and the name of the copy that a run keeps of it.
struct FileReference {
  toml::table* table;
  std::string field;
  std::string name;
};

struct SceneBuilder {
  toml::table& root;
  const SceneSource& source;
  Scene& scene;

  // Names, to indices in the world.
  std::map<std::string, int> shapes, materials, motions, insertions;
  std::map<std::string, std::vector<MixtureEntry>> grains;  // a size distribution has several types
  std::map<std::string, std::vector<int>> walls;            // a box has four
  std::vector<int> auto_stiffness;                          // materials whose k_n follows from dt
  std::vector<FileReference> references;                    // to be rewritten, so that the text is complete

  World& world() { return scene.world; }
  // An optional table [name], opened with the schema; an empty one stands in when absent.
  Fields section(const std::string& name) const;
  void warn(const Fields& at, const std::string& text);
  // Index of the group, made when it is new.
  int group(const std::string& name);
};

inline constexpr double most_records = 1e6;  // of one file of a run

// Error(input) with the place for text that is not TOML.
toml::table parse_scene_toml(const std::string& text, const std::string& name);

// Settings
void read_run(SceneBuilder& b);
void read_step(SceneBuilder& b);
void read_maps(SceneBuilder& b);
void read_surroundings(SceneBuilder& b);  // gravity, periodic, bounds
void read_render(SceneBuilder& b);
// Matter
void read_materials(SceneBuilder& b);
void read_pairs(SceneBuilder& b);
void read_shapes(SceneBuilder& b);
void read_grains(SceneBuilder& b);
// Things
void read_bodies(SceneBuilder& b);
void read_body_file(SceneBuilder& b, const Fields& f, toml::table* entry);  // [[bodies]] with `file`
void read_arrays(SceneBuilder& b);
void read_insertions(SceneBuilder& b);
void read_walls(SceneBuilder& b);
// Time
void read_motions(SceneBuilder& b);
void read_events(SceneBuilder& b);
void read_deletions(SceneBuilder& b);
void read_measures(SceneBuilder& b);
// Step advice, automatic stiffness and step, warnings.
void finish_scene(SceneBuilder& b);

// The value of `name` in `known`, or an error at `at.field` that suggests one.
template <class Value>
const Value& reference(const Fields& at, const std::string& field, const std::string& what, const std::string& name,
                       const std::map<std::string, Value>& known) {
  const auto it = known.find(name);
  if (it != known.end()) return it->second;
  std::vector<std::string> names;
  for (const auto& [key, value] : known) names.push_back(key);
  at.fail(field, "unknown " + what + " \"" + name + "\"", suggestion(name, names));
}

// Index of the material of a grain or wall: field `material`, or the only one, or "default".
int material_of(const SceneBuilder& b, const Fields& at);
// The shape called `name`: of [shapes], or of the library with default parameters. Index in World::shapes.
int shape_of(SceneBuilder& b, const Fields& at, const std::string& field, const std::string& name);
// The one type of a grain; a size distribution needs one of its classes.
int single_type(const SceneBuilder& b, const Fields& at, const std::string& name);
BodyKind body_kind(const Fields& at);
// Name of an entry of a list: field `name`, or `word` with its number; must be new.
template <class Value>
std::string entry_name(const Fields& at, const std::string& word, std::size_t index,
                       const std::map<std::string, Value>& taken) {
  std::string name = at.has("name") ? at.text("name") : word + std::to_string(index + 1);
  if (name.empty() || name.find_first_of("[]=") != std::string::npos) at.fail("name", "is not a usable name");
  if (taken.contains(name)) at.fail("name", "\"" + name + "\" is taken", "choose another name");
  return name;
}

}  // namespace scree
