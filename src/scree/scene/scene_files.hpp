#pragma once
// Files that a scene refers to. Inside scene/ only.
#include <filesystem>
#include <string>

#include "scree/scene/builder.hpp"

namespace scree {

// Names in a scene are relative to its file.
std::filesystem::path beside_scene(const SceneBuilder& b, const std::string& file);
// The file that `field` names; Error(system) at the field when there is none.
std::filesystem::path existing_file(const SceneBuilder& b, const Fields& f, const std::string& field);
// Notes a file the scene refers to, and makes the reference in the text, `field` of `table`, one to a copy beside it.
void keep_file(SceneBuilder& b, toml::table* table, const std::string& field, const std::filesystem::path& path);

}  // namespace scree
