#pragma once
// The exact contact geometry of a pair at one fixed theta: the signed distance of x to the configuration obstacle
// A + (-R(theta) B). Outside it is the distance of the two solids, inside minus the shortest translation that parts
// them. This is the reference for every other map.
#include <vector>

#include "scree/map/piece_sums.hpp"
#include "scree/map/segment_tree.hpp"
#include "scree/map/slice_boundary.hpp"

namespace scree {

// With y the nearest boundary point of the obstacle, n the gradient direction and R b from the label of y:
//   d_x = n,  d_theta = n . S R b,  c = (R b + y/2) . n   (contact point p = R b + (x + y)/2).
// At a corner that points into the obstacle two contacts act at once: n = alpha n1 + beta n2, and d_theta and the
// contact point are the alpha, beta combinations of the two.
class ExactSlice {
 public:
  // `indexed`: build the quadtree that makes queries fast; without it a query looks at every segment.
  ExactSlice(const PairGeometry& pair, double theta, bool indexed = true);

  ContactGeometry query(Vec2d x) const;
  bool overlaps(Vec2d x) const { return sums_.contains(x); }
  const std::vector<BoundarySegment>& boundary() const { return boundary_; }

 private:
  PieceSums sums_;
  std::vector<BoundarySegment> boundary_;
  SegmentTree tree_;
};

}  // namespace scree
