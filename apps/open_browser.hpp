#pragma once
#include <string>

namespace scree::cli {

// Asks the desktop to show an address. Does nothing where there is no desktop.
void open_browser(const std::string& url);

}  // namespace scree::cli
