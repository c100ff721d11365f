#pragma once
// Which parts or nodes of two stars can touch before their points have moved by a margin. docs/stars.md.
#include <cmath>
#include <cstdint>

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

// Nodes of one side that may be inside of the other, as ranges of units by ascending number: bytes of `first` and
// `end`. There is no range where an end is 0.
struct NearNodes {
  static constexpr int most = 4;
  std::uint32_t first = 0, end = 0;

  SCREE_HD bool any() const { return end != 0; }
  SCREE_HD int ranges() const { return end == 0 ? 0 : end < 1u << 8 ? 1 : end < 1u << 16 ? 2 : end < 1u << 24 ? 3 : 4; }
  SCREE_HD int units() const {
    const std::uint32_t sizes = end - first, pairs = (sizes & 0xff00ffu) + (sizes >> 8 & 0xff00ffu);
    return static_cast<int>((pairs & 0xffffu) + (pairs >> 16));
  }
  // The units from one to before another, after those that are there. Ranges that are next to each other, or one too
  // many, become one with what is between.
  SCREE_HD void add(int from, int to) {
    const int count = ranges(), shift = 8 * (count - 1);
    const std::uint32_t last = count > 0 ? end >> shift : 0;
    if (count > 0 && (count == most || static_cast<std::uint32_t>(from) <= last + 1)) {
      end += (static_cast<std::uint32_t>(to) - last) << shift;
    } else {
      first |= static_cast<std::uint32_t>(from) << (8 * count);
      end |= static_cast<std::uint32_t>(to) << (8 * count);
    }
  }
  // The first range, which goes.
  struct Range {
    int first, end;
  };
  SCREE_HD Range take() {
    const Range range{static_cast<int>(first & 0xffu), static_cast<int>(end & 0xffu)};
    first >>= 8, end >>= 8;
    return range;
  }
};

// Whether a node is inside of the star that the steps are of, or may be when it has gone by `way`, which is no more
// than the star's near limit. `p`: from the centre of the star. While a point moves, f = rho - r changes by at most
// |grad f| = (1 + r'^2 / rho^2)^(1/2) of its way.
template <class T>
SCREE_HD inline bool star_node_may_enter(const StarStep<T>* steps, const float* steep2, Vec2<T> p, T way) {
  const T place = quick_star_place(p);
  const int entry = static_cast<int>(place);
  const T rho = norm(p), f = rho - (steps[entry].r + (place - T(entry)) * steps[entry].rise),
          left2 = (rho - way) * (rho - way);
  return f <= way || f * f * left2 <= way * way * (left2 + static_cast<T>(steep2[entry]));
}

// The parts that have such nodes.
template <class T>
SCREE_HD inline std::uint32_t parts_with(const StarSideView<T>& side, NearNodes nodes) {
  std::uint32_t parts = 0;
  while (nodes.any()) {
    const NearNodes::Range range = nodes.take();
    for (int k = range.first * side.nodes_a_unit; k < range.end * side.nodes_a_unit && k < side.node_count; ++k)
      parts |= 1u << k / side.nodes_a_part;
  }
  return parts;
}

}  // namespace scree
