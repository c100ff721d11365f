#pragma once
// Grains shaped like a character of a font (FreeType).
#include <string>

#include "scree/shape/shape.hpp"

namespace scree {

inline constexpr const char* default_font = "DejaVu Sans Bold";  // Debian package fonts-dejavu-core

// `utf8_character`: exactly one character. `font_file_or_name`: a font file, or a name such as "DejaVu Sans Bold",
// looked up in the usual font folders ("" is default_font). `tolerance`: of flattening, in units of the circumradius.
// `height`: length of the capital H of the font; all glyphs of one font and height keep their proportions.
//
// Contours that overlap are united. Throws Error(input) when the font, the character or its outline is missing.
Shape make_glyph(const std::string& utf8_character, const std::string& font_file_or_name = {}, double tolerance = 1e-3,
                 double height = 1);

// The file of a font given as for make_glyph. Throws Error(input) that lists the folders searched.
std::string find_font(const std::string& font_file_or_name);

}  // namespace scree
