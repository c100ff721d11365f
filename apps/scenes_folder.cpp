#include "scenes_folder.hpp"

#include "scree/base/error.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

fs::path scenes_folder(const std::string& stated, const std::string& command) {
  if (!stated.empty()) {
    if (fs::is_directory(stated)) return stated;
    throw Error(ErrorKind::input, "--scenes", stated + " is not a folder", "name the folder scenes of Scree");
  }
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& candidate :
       {fs::path("scenes"), program / "../share/scree/scenes", program / "../../../scenes"}) {
    if (fs::exists(candidate / "column-collapse.toml")) return candidate;
  }
  throw Error(ErrorKind::input, command, "the folder of scenes is not found",
              "name it with --scenes, or run from the folder that holds scenes/");
}

}  // namespace scree::cli
