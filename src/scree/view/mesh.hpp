#pragma once
// Outlines as triangles for the GPU, at several levels of detail.
#include <cstdint>
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

struct Mesh {
  double tolerance = 0;              // how far it may be from the outline, in its units
  std::vector<Vec2d> points;         // the corners of the outline
  std::vector<Vec2d> inward;         // per corner: moves by w of this shrink the solid by w all around
  std::vector<std::uint32_t> index;  // three a triangle, counter-clockwise
  std::vector<std::uint32_t> loops;  // the first point of each loop of the outline
};

Mesh mesh_of(const Outline& outline, double tolerance);
// From fine to coarse, in units of the circumradius, each with fewer triangles than the one before.
std::vector<Mesh> mesh_levels(const Outline& outline);

}  // namespace scree
