#pragma once
// Shapes named on the command line:
//   hash                       a recipe of the library
//   box:width=2,height=1       a recipe with parameters
//   glyph:G                    a character of the default font
//   glyph:G,font=DejaVu Serif  of another font, by name or file
//   svg:leaf.svg, svg:leaf.svg#outline   everything an SVG file fills, or one element
#include <string>

#include "scree/shape/shape.hpp"

namespace scree::cli {

// The shape; its name is `text`, so that a map file remembers how to make it again. Error(input) for anything else.
Shape shape_argument(const std::string& text);

inline constexpr const char* shape_argument_help = "recipe[:param=value,...], glyph:X[,font=F] or svg:FILE[#id]";

}  // namespace scree::cli
