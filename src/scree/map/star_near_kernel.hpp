#pragma once
// Which parts of two stars can touch before their points have moved by a margin. docs/stars.md.
#include <cmath>

#include "scree/map/star_view.hpp"

namespace scree {

// p from the centroid is at least this far from the boundary: as far as the nearest point of the grid, less the way to
// that.
template <class T>
SCREE_HD inline T clearance_at(const StarSideView<T>& star, Vec2<T> p) {
  const StarClearance<T>& c = star.clearance;
  if (!(std::abs(p.x) <= c.half && std::abs(p.y) <= c.half)) return norm(p) - star.parts_reach;
  const int i = static_cast<int>((p.x + c.half) / c.spacing + T(0.5));
  const int j = static_cast<int>((p.y + c.half) / c.spacing + T(0.5));
  const Vec2<T> nearest{T(i) * c.spacing - c.half, T(j) * c.spacing - c.half};
  return static_cast<T>(c.at[j * c.points + i]) - norm(p - nearest);
}

// The nodes of part i of one side are at least this far from the other's boundary; less than `enough` is not looked
// into.
template <class T>
SCREE_HD inline T part_clearance(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a, int i,
                                 T enough) {
  const StarSideView<T>&own = pair.side(of_a), &other = pair.side(!of_a);
  const StarPartOf<T> part = own.parts[i];
  const Vec2<T> centre = at.seen(of_a, part.circle.centre) + other.centre;
  T least = norm(centre) - other.parts_reach - part.circle.radius - pair.rounding;
  if (!(least < enough)) return least;
  least = std::numeric_limits<T>::infinity();
  for (int k = part.first; k < part.end && !(least < enough); ++k) {
    const T here = clearance_at(other, at.seen(of_a, own.nodes[k]) + other.centre) - pair.rounding;
    if (here < least) least = here;
  }
  return least;
}

// Whether a node of part i of one side may be within the margin of the other's boundary.
template <class T>
SCREE_HD inline bool part_meets(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a, int i, T margin) {
  return part_clearance(pair, at, of_a, i, margin) < margin;
}

// Whether a node of part i of one side may be inside of the other.
template <class T>
SCREE_HD inline bool part_inside(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a, int i) {
  const StarPartOf<T>& part = pair.side(of_a).parts[i];
  for (int k = part.first; k < part.end; ++k)
    if (star_node_is_near(pair, at, of_a, k)) return true;
  return false;
}

// Of one part: on a GPU the lanes of a warp can take one each. Poses must be finite.
template <class T>
SCREE_HD inline bool part_is_near(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a, int i,
                                  T margin) {
  return part_inside(pair, at, of_a, i) || part_meets(pair, at, of_a, i, margin);
}

// As ContactMap::near_parts: bits 0 to 31 are the parts of A, the others those of B.
template <class T>
SCREE_HD inline NearParts star_near_parts(const StarPairView<T>& pair, const StarPlacementOf<T>& at, T margin) {
  if (!at.finite()) return all_parts;
  NearParts near = 0;
  for (int i = 0; i < pair.a.part_count; ++i)
    if (part_is_near(pair, at, true, i, margin)) near |= NearParts{1} << i;
  for (int i = 0; i < pair.b.part_count; ++i)
    if (part_is_near(pair, at, false, i, margin)) near |= NearParts{1} << (most_star_parts + i);
  return near;
}

}  // namespace scree
