#pragma once
// Text inside HTML, SVG and XML.
#include <string>

namespace scree {

// & < > " and ' as entities: safe between tags and inside quoted attributes.
std::string escape_markup(const std::string& text);

}  // namespace scree
