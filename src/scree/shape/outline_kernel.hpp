#pragma once
// Points and the edges of an outline, as pure functions: the solid lies to the left of every edge.
#include <cmath>
#include <limits>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

// Does a ray from p to the right cross edge ab? Half-open in y, so that a vertex on the ray counts once: p is inside of
// an outline if an odd number of its edges are crossed.
SCREE_HD inline bool ray_crosses(Vec2d a, Vec2d b, Vec2d p) {
  if ((a.y > p.y) == (b.y > p.y)) return false;
  return (cross(b - a, p - a) > 0) == (b.y > a.y);
}

// Point of segment ab nearest to p.
SCREE_HD inline Vec2d nearest_on_segment(Vec2d a, Vec2d b, Vec2d p) {
  const Vec2d ab = b - a;
  const double length2 = norm2(ab);
  if (length2 == 0) return a;
  const double t = dot(p - a, ab) / length2;
  if (t <= 0) return a;
  return t >= 1 ? b : a + t * ab;
}

// Nearest point of the boundary and the signed distance (negative inside the solid) of a point.
struct BoundaryPoint {
  double distance = 0;  // signed
  Vec2d point;          // on the boundary
  Vec2d normal;         // unit, outward: the gradient of the signed distance at the point
};

// The nearest point of a boundary whose edges are shown one after the other.
class BoundarySearch {
 public:
  SCREE_HD explicit BoundarySearch(Vec2d p) : p_(p) {}

  SCREE_HD void look_at(Vec2d a, Vec2d b) {
    if (ray_crosses(a, b, p_)) inside_ = !inside_;
    const Vec2d q = nearest_on_segment(a, b, p_);
    const double d2 = norm2(p_ - q);
    if (d2 > best_) return;
    const Vec2d normal = (-1 / norm(b - a)) * perp(b - a);
    edge_normal_ = d2 < best_ ? normal : edge_normal_ + normal;
    best_ = d2;
    point_ = q;
  }

  SCREE_HD BoundaryPoint found() const {
    const double sign = inside_ ? -1.0 : 1.0;
    const double distance = std::sqrt(best_);
    // Below this the difference p - q is rounding noise and says nothing about the direction.
    const double noise = 1e-14 * (norm(p_) + norm(point_));
    const Vec2d along = distance > noise ? sign * (p_ - point_) : edge_normal_;
    const double length = norm(along);
    return {sign * distance, point_, length > 0 ? (1 / length) * along : Vec2d{1, 0}};
  }

 private:
  Vec2d p_;
  bool inside_ = false;
  double best_ = std::numeric_limits<double>::infinity();
  Vec2d point_;
  Vec2d edge_normal_;  // sum over the edges that share the nearest point: decides when p lies on the boundary
};

}  // namespace scree
