#include "scree/scene/scene_files.hpp"

#include <algorithm>

#include "scree/base/error.hpp"

namespace scree {

namespace {

// Would a copy of this name stand in the way of the run's own files, their temporaries or its lock?
bool of_the_run(const std::string& name) {
  return name.starts_with('.') || name.starts_with(measure_file_prefix) || name.starts_with(table_file_prefix) ||
         std::ranges::any_of(run_file_names, [&](auto own) { return name.starts_with(own); });
}

}  // namespace

std::filesystem::path beside_scene(const SceneBuilder& b, const std::string& file) {
  const std::filesystem::path path(file);
  return path.is_absolute() ? path : b.scene.file.parent_path() / path;
}

std::filesystem::path existing_file(const SceneBuilder& b, const Fields& f, const std::string& field) {
  std::filesystem::path file = beside_scene(b, f.text(field));
  if (std::filesystem::is_regular_file(file)) return file;
  throw Error(ErrorKind::system, f.source().where(*f.node(field), f.path_of(field)),
              "there is no file " + file.string(), "paths are relative to the scene file");
}

void keep_file(SceneBuilder& b, toml::table* table, const std::string& field, const std::filesystem::path& path) {
  std::string name = path.filename().string();
  const auto same = [&](const SceneFile& f) { return f.source == path; };
  const auto known = std::ranges::find_if(b.scene.files, same);
  if (known != b.scene.files.end()) {
    name = known->name;
  } else {
    const auto taken = [&](const SceneFile& f) { return f.name == name; };
    while (std::ranges::any_of(b.scene.files, taken) || of_the_run(name)) name = "_" + name;
    b.scene.files.push_back({name, path});
  }
  b.references.push_back({table, field, name});
}

}  // namespace scree
