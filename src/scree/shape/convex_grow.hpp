#pragma once
// Growing a convex cell into a large convex part of a solid. Internal step of the convex decomposition.
#include <vector>

#include "scree/shape/edge_grid.hpp"
#include "scree/shape/shape.hpp"

namespace scree {

struct Line {
  Vec2d normal;  // unit, to the left of the direction the line was drawn in
  double offset;

  double side(Vec2d p) const { return dot(normal, p) - offset; }  // > 0 on the left
  Line flipped() const { return {-normal, -offset}; }
};
Line line_through(Vec2d a, Vec2d b);

// The part of a convex polygon on the left of a line; fewer than 3 vertices when nothing is left.
ConvexPiece clipped(const ConvexPiece& piece, const Line& line);
// Without collinear or doubled vertices.
ConvexPiece strictly_convex(ConvexPiece piece);
// Does `outer` hold every vertex of `inner`, up to rounding?
bool convex_contains(const ConvexPiece& outer, const ConvexPiece& inner);

// Convex polygons inside the solid (edges: its boundary, solid on the left) that contain `cell`, which must itself lie
// in the solid. Several, since growth in different orders ends in different parts.
std::vector<ConvexPiece> grow_convex(const std::vector<OutlineEdge>& edges, const ConvexPiece& cell);

}  // namespace scree
