#pragma once
// Where the scene files of Scree are, for commands that run them by name.
#include <filesystem>
#include <string>

namespace scree::cli {

// `stated` (--scenes) where it is not empty; else here, beside the installed program, or of the source tree it was
// built in. Error(input) in the name of `command` when there is none.
std::filesystem::path scenes_folder(const std::string& stated, const std::string& command);

}  // namespace scree::cli
