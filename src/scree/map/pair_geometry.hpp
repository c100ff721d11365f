#pragma once
// A pair of outlines prepared for Minkowski sums with the second one turned by any angle.
#include <vector>

#include "scree/map/contact_map.hpp"

namespace scree {

// A directed edge of an outline; the solid lies to its left, so (d.y, -d.x) points out of it.
struct PairEdge {
  Vec2d from;
  Vec2d direction;  // unit
  double length = 0;
};

// A vertex where the outline turns left. Its normal cone holds every edge whose direction lies between the two.
struct ConvexVertex {
  Vec2d at;
  Vec2d before;  // direction of the edge that ends here, unit
  Vec2d after;   // direction of the edge that starts here, unit
};

struct PairSide {
  std::vector<PairEdge> edges;
  std::vector<ConvexVertex> vertices;
  std::vector<ConvexPiece> pieces;
};

// Sides of a pair: A as it is, and B scaled by the ratio. Self-contained: the shapes may go away.
struct PairGeometry {
  explicit PairGeometry(const ShapePair& pair);

  PairSide a;
  PairSide b;
  double ratio = 1;  // circumradius of B
  double reach = 2;
};

PairSide make_side(const Outline& outline, const std::vector<ConvexPiece>& pieces, double scale);
// -R(theta) B: turned by theta + pi.
PairSide mirrored(const PairSide& b, double theta);

}  // namespace scree
