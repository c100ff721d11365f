#pragma once
// Stars as plain views of arrays that live elsewhere, and where two of them are: what the pure functions of
// star_pair_kernel.hpp and star_near_kernel.hpp work on, on either device. Lengths in units of A's circumradius.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "scree/base/device_kernel.hpp"
#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"
#include "scree/map/contact_geometry.hpp"
#include "scree/map/star_kernel.hpp"

namespace scree {

inline constexpr int most_star_nodes = 10000;
inline constexpr int most_star_parts = 32;       // of a side: half of NearParts
inline constexpr int star_group = 4;             // parts are whole groups of nodes
inline constexpr int most_star_units = 255;      // of a side: NearNodes
inline constexpr double star_near_limit = 0.01;  // of a circumradius, the largest margin that steep2 holds for
inline constexpr float far_away = 1e15f;         // from any star of any size; its square is still finite

// Of one side, the parts that may touch.
SCREE_HD inline std::uint32_t parts_of(NearParts parts, bool of_a) {
  return static_cast<std::uint32_t>(of_a ? parts : parts >> most_star_parts);
}

SCREE_HD inline int lowest_bit(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

template <class T>
struct StarCircleOf {
  Vec2<T> centre;
  T radius{};
};

// Consecutive nodes, and a circle that holds the boundary from the first of them to the one after the last.
template <class T>
struct StarPartOf {
  int first = 0;
  int end = 0;  // one past the last
  StarCircleOf<T> circle;
};

// How far the boundary is at least from points of a grid, which is square and about the centroid.
template <class T>
struct StarClearance {
  const float* at = nullptr;  // rows of y
  int points = 0;             // a side
  T half{};                   // from the centroid to the last of them
  T spacing{};
};

// For distances of many nodes.
template <class T>
struct alignas(16) TwoStarNodes {
  T x[2], y[2];
};
template <class T>
struct alignas(16) StarSight {
  const TwoStarNodes<T>* nodes = nullptr;  // whole groups
  const StarStep<T>* steps = nullptr;      // star_table_size + 1; of slope 0 where distances are radial
};

// One star. What the arrays hold: StarSide.
template <class T>
struct StarSideView {
  Vec2<T> centre;
  const Vec2<T>* nodes = nullptr;
  int node_count = 0;
  StarTable<T> table;
  const std::uint16_t* node_at = nullptr;
  const StarPartOf<T>* parts = nullptr;
  int part_count = 0;
  int nodes_a_part = 0;  // of all but the last
  StarClearance<T> clearance;
  StarSight<T> sight;             // its own nodes and steps, if it has such
  T parts_reach{};                // no point of the circles of the parts is farther from the centroid
  int nodes_a_unit = 2;           // of all but the last
  const float* steep2 = nullptr;  // by entry of the table, the last included, the largest r'^2 within the limit
  T near_limit{};

  // Where it has steps, they are nearer at hand.
  SCREE_HD Vec2<T> node(int k) const {
    if (!sight.nodes) return nodes[k];
    const TwoStarNodes<T> both = load_whole(sight.nodes + k / 2);
    return {k % 2 == 0 ? both.x[0] : both.x[1], k % 2 == 0 ? both.y[0] : both.y[1]};
  }
  SCREE_HD StarRadius<T> radius(T direction) const {
    if (!sight.steps) return radius_at(table, direction);
    constexpr T per_unit = T(star_table_size / 4);
    const T place = direction * per_unit;
    const int entry = static_cast<int>(place);
    const T within = place - T(entry);
    const StarStep<T> step = load_whole(sight.steps + entry);
    return {step.r + within * step.rise, step.slope2 + within * step.slope2_rise, step.rise * per_unit,
            step.slope2_rise * per_unit};
  }
  SCREE_HD int unit_count() const { return (node_count + nodes_a_unit - 1) / nodes_a_unit; }
  SCREE_HD std::uint32_t all_parts() const { return part_count < most_star_parts ? (1u << part_count) - 1 : ~0u; }
};

template <class T>
struct StarPairView {
  StarSideView<T> a, b;
  bool radial = false;     // the radial distance, else the first-order one
  T error_a{}, error_b{};  // how far rho^2 - r^2 may be wrong in single precision, at nodes of A and of B
  T rounding{};            // how far a distance of two points may be wrong; 0 in double precision

  SCREE_HD const StarSideView<T>& side(bool of_a) const { return of_a ? a : b; }
  SCREE_HD T error(bool of_a) const { return of_a ? error_a : error_b; }
};

inline constexpr struct SeenAlready {
} seen_already;

// Where B is, and what every node needs of it: nodes of either side go to the other's star centre by one turn and one
// shift.
template <class T>
struct StarPlacementOf {
  Rotation<T> turn;          // of B in A's frame
  Vec2<T> x;                 // of B's centroid, likewise
  Vec2<T> shift_a, shift_b;  // of nodes of A into the frame of B's star, and back

  SCREE_HD StarPlacementOf(Rotation<T> turn_b, Vec2<T> x_b, Vec2<T> centre_a, Vec2<T> centre_b)
      : turn(turn_b), x(x_b), shift_a(-turn_b.back(x_b) - centre_b), shift_b(x_b - centre_a) {}
  SCREE_HD StarPlacementOf(Rotation<T> turn_b, Vec2<T> x_b, Vec2<T> shift_of_a, Vec2<T> shift_of_b, SeenAlready)
      : turn(turn_b), x(x_b), shift_a(shift_of_a), shift_b(shift_of_b) {}
  SCREE_HD bool finite() const { return std::isfinite(shift_a.x + shift_a.y + turn.c); }
  SCREE_HD Vec2<T> from_b(Vec2<T> p) const { return turn * p + x; }
  // From the centre of the other star, in its frame.
  SCREE_HD Vec2<T> seen(bool of_a, Vec2<T> node) const {
    return of_a ? turn.back(node) + shift_a : turn * node + shift_b;
  }
};

// False: node k of one side is outside of the other, whatever the rounding.
template <class T>
SCREE_HD inline bool star_node_is_near(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a, int k) {
  const Vec2<T> p = at.seen(of_a, pair.side(of_a).nodes[k]);
  const T r = radius_at(pair.side(!of_a).table, direction_number(p)).r;
  return norm2(p) - r * r < pair.error(of_a);
}

// Distance of node k of one side from the other's boundary.
template <class T>
SCREE_HD inline T star_node_gap(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a, int k) {
  const Vec2<T> p = at.seen(of_a, pair.side(of_a).nodes[k]);
  return star_gap(p, radius_at(pair.side(!of_a).table, direction_number(p)), pair.radial);
}

// direction_number() as a place in the steps, to within its rounding and with fewer operations.
template <class T>
SCREE_HD inline T quick_star_place(Vec2<T> p) {
  const T share = quick_quotient(p.y, std::abs(p.x) + std::abs(p.y) + T(1e-30));
  const T right = share < T(0) ? T(4) + share : share;
  return (p.x < T(0) ? T(2) - share : right) * T(star_table_size / 4);
}

// star_gap() likewise. `p`: from the centre of the star that the steps are of.
template <class T>
SCREE_HD inline T quick_star_gap(const StarStep<T>* steps, Vec2<T> p) {
  const T place = quick_star_place(p);
  const int entry = static_cast<int>(place);
  const T within = place - T(entry);
  const StarStep<T> step = load_whole(steps + entry);
  const T r = step.r + within * step.rise, slope2 = step.slope2 + within * step.slope2_rise;
  const T rho = norm(p), core = star_core<T> * r, lever = rho < core ? core : rho;
  return (rho - r) * (lever * inverse_root(lever * lever + slope2));
}

// The contact at a node of the given depth. The node is a point fixed to its grain: moving B by (dtheta, dx) moves a
// node of B by dx + dtheta S r_B in A's frame, and a node of A by the opposite in B's; either way gap_theta = r_B x
// gap_x, a force through the node.
template <class T>
SCREE_HD inline ContactGeometryOf<T> star_geometry(const StarPlacementOf<T>& at, bool of_a, Vec2<T> node,
                                                   const StarDepth<T>& depth) {
  const Vec2<T> p = of_a ? node : at.from_b(node);
  ContactGeometryOf<T> g;
  g.gap = depth.distance;
  g.gap_x = of_a ? -(at.turn * depth.gradient) : depth.gradient;
  g.gap_theta = cross(p - at.x, g.gap_x);
  const T length = norm(g.gap_x);
  g.arm = length > T(0) ? dot(p - T(0.5) * at.x, g.gap_x) / length : T(0);
  return g;
}

// Feature of a contact: the nodes nearest to it on A and on B.
SCREE_HD inline std::uint32_t star_feature(int on_a, int on_b) {
  return static_cast<std::uint32_t>(on_a) << 16 | static_cast<std::uint32_t>(on_b);
}

inline constexpr double farthest_star_move = 0.25;  // turns

// How far a contact moved over the grains, in turns; infinitely far beyond a quarter of one.
template <class T>
SCREE_HD inline T star_feature_distance(std::uint32_t before, std::uint32_t now, int nodes_a, int nodes_b) {
  const auto turns = [](std::uint32_t s, std::uint32_t t, int n) {
    const int apart = std::abs(static_cast<int>(s) - static_cast<int>(t));
    return static_cast<T>(apart < n - apart ? apart : n - apart) / T(n);
  };
  const T on_a = turns(before >> 16, now >> 16, nodes_a), on_b = turns(before & 0xffff, now & 0xffff, nodes_b);
  const T moved = on_a < on_b ? on_b : on_a;
  return moved <= T(farthest_star_move) ? moved : std::numeric_limits<T>::infinity();
}

}  // namespace scree
