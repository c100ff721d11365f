#include "scree/record/file_format.hpp"

#include "scree/base/h5.hpp"

namespace scree {

std::string recorded_format(const std::filesystem::path& file) {
  const h5::Handle id = h5::open_file(file, "");
  return h5::read_attribute(id, "format", file);
}

}  // namespace scree
