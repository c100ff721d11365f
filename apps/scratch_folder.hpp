#pragma once
// A folder for what a benchmark needs for a while.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "scree/base/error.hpp"

namespace scree::cli {

// Goes with its name.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "scree-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(ErrorKind::system, name, "cannot make a folder for the maps");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace scree::cli
