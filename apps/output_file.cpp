#include "output_file.hpp"

#include <algorithm>
#include <filesystem>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree::cli {

void require_extension(const std::string& option, const std::string& file, const std::vector<std::string>& extensions) {
  const std::string own = std::filesystem::path(file).extension();
  if (file.empty() || std::ranges::count(extensions, own) > 0) return;
  throw Error(ErrorKind::input, option + " " + file, "this kind of file cannot be written here",
              "use a name that ends in " + join(extensions, " or "));
}

}  // namespace scree::cli
