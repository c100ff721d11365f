#pragma once
// Grains drawn in an SVG file (pugixml, Clipper).
#include <optional>
#include <string>

#include "scree/shape/shape.hpp"

namespace scree {

// Everything the file fills, united: path, polygon, polyline, rect, circle and ellipse, with the transforms of all
// groups around them. With `element_id` only that element and what it contains. Lengths are SVG user units; the y axis
// is turned to point up. `tolerance`: of flattening, in units of the circumradius.
//
// Each element is filled by its fill-rule. Elements with fill="none" or display="none", and what stands in defs, count
// only when used or named by `element_id`. Throws Error(input) naming file, element and fault.
Shape make_svg_shape(const std::string& path, const std::optional<std::string>& element_id = std::nullopt,
                     double tolerance = 1e-3);

}  // namespace scree
