// The folder of a run before it starts.
#include <fstream>
#include <nlohmann/json.hpp>

#include "run_scene.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

// The names of the files that the run recorded in `folder` wrote; none when there is no such record.
std::vector<std::string> recorded_files(const fs::path& folder) {
  std::ifstream in(folder / "run.json");
  const nlohmann::json run = nlohmann::json::parse(in, nullptr, false);
  if (!run.is_object() || run.value("program", "") != "scree" || !run.contains("files")) return {};
  std::vector<std::string> names;
  for (const auto& name : run["files"]) {
    // A name with a folder in it was not written by a run.
    if (name.is_string() && !fs::path(name.get<std::string>()).has_parent_path()) names.push_back(name);
  }
  return names;
}

void refuse_own_scene(const fs::path& folder, const Scene& scene) {
  std::error_code none;
  if (fs::equivalent(folder / "scene.toml", scene.file, none)) {
    throw Error(ErrorKind::input, folder.string(), "holds the scene file itself, which the run would replace",
                "choose another folder with -o");
  }
}

}  // namespace

void prepare_folder(const fs::path& folder, const Scene& scene, bool force) {
  try {
    if (fs::exists(folder) && !fs::is_directory(folder)) {
      throw Error(ErrorKind::input, folder.string(), "is not a folder", "choose another one with -o");
    }
    fs::create_directories(folder);
    if (fs::is_empty(folder)) return;
    refuse_own_scene(folder, scene);
    const std::vector<std::string> old = recorded_files(folder);
    if (!force) {
      throw Error(
          ErrorKind::input, folder.string(), "is not empty",
          "choose another folder with -o" + std::string(old.empty() ? "" : ", or replace the run in it with --force"));
    }
    if (old.empty()) {
      throw Error(ErrorKind::input, folder.string(),
                  "is not empty and holds no run of scree, so --force leaves it alone",
                  "choose another folder with -o");
    }
    for (const std::string& name : old) fs::remove(folder / name);
  } catch (const fs::filesystem_error& e) {
    throw Error(ErrorKind::system, folder.string(), "cannot be used: " + e.code().message(),
                "check the path and its permissions");
  }
}

}  // namespace scree::cli
