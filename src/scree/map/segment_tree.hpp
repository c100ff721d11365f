#pragma once
// Nearest segment by a quadtree whose leaves list every segment that can be nearest to some point of the leaf:
// those with dist(centre, s) <= min dist(centre, .) + 2 half-diagonal. A query is one descent and a handful of
// distances.
#include <vector>

#include "scree/map/slice_boundary.hpp"

namespace scree {

struct NearestSegment {
  int index = -1;
  double along = 0;      // clamped to [0, length]
  double distance2 = 0;  // squared
};

// The nearest of the listed segments (all of them when `ids` is empty); the first of equals.
NearestSegment nearest_segment(const std::vector<BoundarySegment>& segments, std::span<const int> ids, Vec2d x);

class SegmentTree {
 public:
  SegmentTree() = default;
  // Covers |x|, |y| <= half. Keeps no reference to `segments`.
  SegmentTree(const std::vector<BoundarySegment>& segments, double half);

  bool empty() const { return nodes_.empty(); }
  // Ids of the segments that can be nearest to x.
  std::span<const int> candidates(Vec2d x) const;

 private:
  struct Node {
    int child = -1;          // first of four, or -1 for a leaf
    int begin = 0, end = 0;  // leaf: its ids
  };
  struct Scratch {  // a stack of candidate lists, one on top of its parent's
    std::vector<int> ids;
    std::vector<double> distance2;
  };
  // Fills `node` from the candidates scratch.ids[begin, end) of its parent.
  void refine(const std::vector<BoundarySegment>& segments, int node, Vec2d centre, double half, std::size_t begin,
              std::size_t end, int depth, Scratch& scratch);

  double half_ = 0;
  std::vector<Node> nodes_;
  std::vector<int> ids_;
};

}  // namespace scree
