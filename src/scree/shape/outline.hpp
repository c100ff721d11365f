#pragma once
// The boundary of a grain: closed polygons, outer loops counter-clockwise, holes clockwise, so that the solid always
// lies to the left of a directed edge. Curves have been flattened when an Outline exists.
#include <string>
#include <vector>

#include "scree/base/vec.hpp"
#include "scree/shape/outline_kernel.hpp"

namespace scree {

using Loop = std::vector<Vec2d>;  // closed: the last vertex joins the first; no vertex is repeated

struct Outline {
  std::vector<Loop> loops;

  std::size_t vertex_count() const {
    std::size_t n = 0;
    for (const Loop& loop : loops) n += loop.size();
    return n;
  }
};

// Signed area: positive for counter-clockwise loops.
double signed_area(const Loop& loop);

struct MassProperties {
  double area = 0;          // length^2, holes subtracted
  Vec2d centroid;           // length
  double polar_moment = 0;  // length^4: integral of |x - centroid|^2 over the solid; times density = inertia
};
MassProperties mass_properties(const Outline& outline);

BoundaryPoint nearest_boundary(const Outline& outline, Vec2d p);

bool contains(const Outline& outline, Vec2d p);

// Checks an outline that a user gave and puts loops in the stated orientation (outer ccw, holes cw by nesting depth).
// Throws Error(input) naming `shape_name` and the vertex for: fewer than 3 vertices, non-finite or absurdly large
// coordinates (above 1e9), zero-length edges, spikes, zero area, self-intersection, loops that cross or touch, more
// than max_outline_vertices. A loop whose last vertex repeats its first is accepted; the repeat is dropped. Several
// outer loops are one rigid grain of several parts. Vertices and loops count from 0.
Outline checked_outline(Outline raw, const std::string& shape_name);
inline constexpr std::size_t max_outline_vertices = 20000;

Outline transformed(const Outline& outline, double scale, double angle, Vec2d shift);

}  // namespace scree
