#pragma once
// The boundary of the configuration obstacle A + (-R(theta) B) at one theta, as labelled segments.
//
// It is contained in the reduced convolution: edges of A shifted by convex vertices of C = -R B whose normal cone holds
// the edge's normal, and edges of C shifted by convex vertices of A (reflex vertices add nothing). The segments are
// split where they cross, and a part is kept when a point a hair outside it lies outside every sum of convex pieces.
// Free corridors narrower than that hair (1e-7 of A's circumradius) count as filled.
#include <vector>

#include "scree/map/pair_geometry.hpp"
#include "scree/map/piece_sums.hpp"

namespace scree {

struct BoundarySegment {
  Vec2d from;
  Vec2d direction;  // unit; the obstacle lies to the left
  double length = 0;
  Vec2d anchor;              // the vertex of the pair: of C when `edge_of_a`, else of A
  bool edge_of_a = true;     // the edge belongs to A, the vertex to B; or the other way round
  int next = -1, prev = -1;  // segments that go on at the end and at the start; -1: none or not unique
  int parent = 0;            // convolution segment this is a part of

  Vec2d normal() const { return {direction.y, -direction.x}; }
  Vec2d to() const { return from + length * direction; }
  // R b for B's witness point b when the obstacle's boundary point is y: p_A = y + R b, and p_B = x + R b.
  Vec2d witness(Vec2d y) const { return edge_of_a ? -anchor : anchor - y; }
};

std::vector<BoundarySegment> obstacle_boundary(const PairSide& a, const PairSide& c, const PieceSums& sums);

}  // namespace scree
