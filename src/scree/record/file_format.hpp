#pragma once
// Which of Scree's HDF5 files a file is.
#include <filesystem>
#include <string>

namespace scree {

// "scree-trajectory" or "scree-state". Error(input) when it is none of them.
std::string recorded_format(const std::filesystem::path& file);

}  // namespace scree
