#pragma once
// The page of `scree view`: one HTML file, inside the program.
#include <string>

namespace scree::cli {

std::string view_page();

}  // namespace scree::cli
