#pragma once
// `--set path=value`: changes of a parsed scene file before it is checked. Inside scene/ only.
#include <toml++/toml.h>

#include <string>
#include <vector>

namespace scree {

// Path: keys joined by dots; an entry of a list by number or by its name in brackets: walls[0].tilt, walls[floor].tilt.
// Value: TOML, or a bare word taken as text. Entries and names that the file does not have are refused here; a wrong
// last key is refused by the reader like any other. Returns the paths, entries of lists by number.
std::vector<std::string> apply_overrides(toml::table& root, const std::vector<std::string>& overrides);

}  // namespace scree
