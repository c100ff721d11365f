#pragma once
// A parsed scene file as text again. Inside scene/ only.
#include <toml++/toml.h>

#include <string>

namespace scree {

// TOML that parses to the same tree, tables under headers, numbers in their shortest exact form. (The formatter of
// toml++ 3.3 writes 0.1 as 0.10000000000000001.)
std::string toml_text(const toml::table& root);

// One value in a line, likewise.
std::string toml_value_text(const toml::node& node);

}  // namespace scree
