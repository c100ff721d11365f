#include "scree/map/exact_slice.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"

namespace scree {
namespace {

constexpr double on_boundary = 1e-13;  // nearer than this the direction to the boundary is rounding

// The slack past reach covers the table's outermost nodes.
constexpr double domain = 1.1;

ContactGeometry single(const BoundarySegment& s, Vec2d y, double gap, Vec2d n) {
  const Vec2d rb = s.witness(y);
  return {gap, dot(n, perp(rb)), n, dot(rb + 0.5 * y, n)};
}

ContactGeometry corner(const BoundarySegment& s, const BoundarySegment& t, Vec2d y, double gap, Vec2d n) {
  const Vec2d ns = s.normal(), nt = t.normal();
  const double det = cross(ns, nt);
  const double alpha = std::max(0.0, cross(n, nt) / det);
  const double beta = std::max(0.0, cross(ns, n) / det);
  const Vec2d rs = s.witness(y), rt = t.witness(y);
  const Vec2d rb = (1 / (alpha + beta)) * (alpha * rs + beta * rt);
  return {gap, alpha * dot(ns, perp(rs)) + beta * dot(nt, perp(rt)), n, dot(rb + 0.5 * y, n)};
}

}  // namespace

ExactSlice::ExactSlice(const PairGeometry& pair, double theta, bool indexed) {
  const PairSide c = mirrored(pair.b, theta);
  sums_ = PieceSums(pair.a.pieces, c.pieces, domain * pair.reach);
  boundary_ = obstacle_boundary(pair.a, c, sums_);
  if (boundary_.empty())
    throw Error(ErrorKind::input, "contact map", "the pair of shapes has no contact boundary",
                "check the convex pieces of both shapes");
  if (indexed) tree_ = SegmentTree(boundary_, domain * pair.reach);
}

ContactGeometry ExactSlice::query(Vec2d x) const {
  const std::span<const int> ids = tree_.empty() ? std::span<const int>{} : tree_.candidates(x);
  const NearestSegment near = nearest_segment(boundary_, ids, x);
  const BoundarySegment& s = boundary_[static_cast<std::size_t>(near.index)];
  const Vec2d y = s.from + near.along * s.direction;
  const Vec2d w = x - y;
  const bool at_end = near.along >= s.length;
  if ((!at_end && near.along > 0) || near.distance2 < on_boundary * on_boundary)
    return single(s, y, dot(w, s.normal()), s.normal());

  const int other = at_end ? s.next : s.prev;
  const double distance = std::sqrt(near.distance2);
  if (other < 0) {  // several corners meet here
    const double sign = sums_.contains(x) ? -1 : 1;
    return single(s, y, sign * distance, (sign / distance) * w);
  }
  const BoundarySegment& t = boundary_[static_cast<std::size_t>(other)];
  const double turn = at_end ? cross(s.direction, t.direction) : cross(t.direction, s.direction);
  if (std::abs(turn) < 1e-9) return single(s, y, std::copysign(distance, dot(w, s.normal())), s.normal());
  if (turn > 0) return single(s, y, distance, (1 / distance) * w);
  return corner(s, t, y, -distance, (-1 / distance) * w);
}

}  // namespace scree
