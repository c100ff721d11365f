#include "output_file.hpp"

#include <filesystem>

#include "scree/base/error.hpp"

namespace scree::cli {

void require_extension(const std::string& option, const std::string& file, const std::string& extension) {
  if (file.empty() || std::filesystem::path(file).extension() == extension) return;
  throw Error(ErrorKind::input, option + " " + file, "this kind of file cannot be written here",
              "use a name that ends in " + extension);
}

}  // namespace scree::cli
