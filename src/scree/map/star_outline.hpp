#pragma once
// The signed distance of points from the outline of a star, and its gradient: the true ones.
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

class StarOutline {
 public:
  struct Answer {
    double distance = 0;  // < 0 inside
    Vec2d gradient;       // unit
  };

  // Of a polygon that runs counter-clockwise and is star-shaped about `centre`, `scale` times as large.
  StarOutline(const Loop& loop, Vec2d centre, double scale);

  Answer at(Vec2d p) const;
  std::size_t bytes() const { return edges_.size() * (sizeof(Edge) + sizeof(double)); }

 private:
  struct Edge {
    Vec2d from, direction;
    double length = 0;
    Vec2d normal() const { return {direction.y, -direction.x}; }
    double distance2(Vec2d p, double& along) const;
  };
  std::size_t edge_towards(double angle) const;  // from the centre, [-pi, pi)

  Vec2d centre_;
  std::vector<Edge> edges_;
  std::vector<double> begin_;  // of each edge, the angle seen from the centre, ascending
};

}  // namespace scree
