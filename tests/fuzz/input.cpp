#include "input.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace scree::fuzz {

namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("scree-fuzz-" + std::to_string(static_cast<long>(getpid())));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

const std::filesystem::path& folder() {
  static const Folder own;
  return own.path;
}

std::filesystem::path as_file(const std::filesystem::path& name, std::string_view content) {
  const std::filesystem::path file = folder() / name;
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

}  // namespace scree::fuzz
