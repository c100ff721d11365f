#pragma once
// Walls as polygons, in their own frame.
#include "scree/shape/outline.hpp"
#include "scree/world/wall.hpp"

namespace scree {

// The boundary of a wall that has an end: circles as polygons of 256 sides, polylines at their true thickness with
// round ends and joints. The inside of a container is given as a hole. Empty for a half-plane.
Outline wall_outline(const Wall& wall);

}  // namespace scree
