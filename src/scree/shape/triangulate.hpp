#pragma once
// Triangles of an outline with holes. Internal step of the convex decomposition.
#include <array>
#include <cstddef>
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

struct Triangulation {
  std::vector<Vec2d> points;                          // all vertices of the outline, loop after loop
  std::vector<std::array<std::size_t, 3>> triangles;  // indices into `points`, counter-clockwise
};

// Ear clipping after joining each hole to the loop around it by a bridge (D. Eberly, "Triangulation by Ear Clipping").
// The outline must be one that checked_outline returned.
Triangulation triangulate(const Outline& outline);

}  // namespace scree
