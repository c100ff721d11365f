#pragma once
// Star-shaped grains, as pure functions: whether a point is inside a boundary given as r(angle), and its distance.
// Derivations: docs/stars.md.
#include <cmath>
#include <cstddef>
#include <numbers>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

// The direction of p as a number in [0, 4) that grows with the angle, without a transcendental function. It is
// y/(|x| + |y|) in the first quadrant and likewise in the others, and du = p x dp / (|x| + |y|)^2 in all of them.
template <class T>
SCREE_HD inline T direction_number(Vec2<T> p) {
  const T sum = std::abs(p.x) + std::abs(p.y);
  if (!(sum > T(0))) return T(0);
  const T share = p.y / sum;
  if (p.x < T(0)) return T(2) - share;
  return share < T(0) ? T(4) + share : share;
}

// r and r'^2, r' = dr/dangle, at the direction numbers 4 k / size, k = 0 ... size; linear between them. The square,
// because only it enters a distance, and because at the tip of a spike r' jumps from one sign to the other while the
// square stays.
template <class T>
struct StarEntry {
  T r{};
  T slope2{};
};
template <class T>
struct StarTable {
  const StarEntry<T>* entries = nullptr;
  int size = 0;
};

// An entry with what the next one has more, for one look-up.
template <class T>
struct alignas(4 * sizeof(T)) StarStep {
  T r{};
  T rise{};
  T slope2{};
  T slope2_rise{};
};

inline constexpr int star_table_size = 2048;  // of a turn: r of the paper's cross is within 4e-6 of the curve between

template <class T>
struct StarRadius {
  T r{};
  T slope2{};
  T r_u{};  // derivatives by the direction number
  T slope2_u{};
};

template <class T>
SCREE_HD inline StarRadius<T> radius_at(StarTable<T> table, T u) {
  const T per_unit = T(table.size) / T(4);
  const T place = u * per_unit;
  int k = static_cast<int>(place);
  if (k >= table.size) k = table.size - 1;
  const T t = place - T(k);
  const StarEntry<T> low = table.entries[k], high = table.entries[k + 1];
  const T dr = high.r - low.r, ds = high.slope2 - low.slope2;
  return {low.r + t * dr, low.slope2 + t * ds, dr * per_unit, ds * per_unit};
}

// Signed distance to the boundary and its gradient by p.
template <class T>
struct StarDepth {
  T distance{};
  Vec2<T> gradient{};
};

// The entry of the table nearest to the direction of p.
template <class T>
SCREE_HD inline int nearest_entry(StarTable<T> table, Vec2<T> p) {
  const T place = direction_number(p) * (T(table.size) / T(4));
  int k = static_cast<int>(place);
  if (k >= table.size) k = table.size - 1;
  return k + (place - T(k) < T(0.5) ? 0 : 1);
}

// Below this share of r the slope counts as at it: nearer to the centre f/|grad f| would tend to 0 again.
template <class T>
inline constexpr T star_core = T(0.5);

// A true distance has a gradient of length 1. That of f/|grad f| has, near the boundary; deep inside it grows like
// 1/rho, and a contact would be stiffer than any time step allows. There the force keeps its direction and this length.
template <class T>
inline constexpr T star_steepest = T(1.5);

// With f = rho - r(angle):  radial: d = f;  first order (Taubin): d = f / |grad f|,
// |grad f|^2 = 1 + r'^2 / max(rho, core r)^2. The gradient is that of d itself, so forces have a potential; on the
// boundary it is the unit normal.
template <bool radial, class T>
SCREE_HD inline StarDepth<T> star_depth(Vec2<T> p, const StarRadius<T>& at) {
  const T rho = norm(p), sum = std::abs(p.x) + std::abs(p.y);
  const Vec2<T> outward = rho > T(0) ? (T(1) / rho) * p : Vec2<T>{T(1), T(0)};
  const Vec2<T> turning = sum > T(0) ? (T(1) / (sum * sum)) * perp(p) : Vec2<T>{};  // grad u
  const T f = rho - at.r;
  const Vec2<T> grad_r = at.r_u * turning;
  const Vec2<T> grad_f = outward - grad_r;
  if constexpr (radial) return {f, grad_f};
  const bool core = rho < star_core<T> * at.r;
  const T lever = core ? star_core<T> * at.r : rho;
  const Vec2<T> grad_lever = core ? star_core<T> * grad_r : outward;
  const T steep2 = at.slope2 / (lever * lever), n2 = T(1) + steep2, inverse = T(1) / std::sqrt(n2);
  const Vec2<T> half_grad_n2 = (T(0.5) * at.slope2_u / (lever * lever)) * turning - (steep2 / lever) * grad_lever;
  const Vec2<T> gradient = inverse * (grad_f - (f / n2) * half_grad_n2);
  const T length = norm(gradient), limit = length > star_steepest<T> ? star_steepest<T> / length : T(1);
  return {f * inverse, limit * gradient};
}

template <bool radial, class T>
SCREE_HD inline StarDepth<T> star_distance(StarTable<T> table, Vec2<T> p) {
  return star_depth<radial>(p, radius_at(table, direction_number(p)));
}

// The distance alone.
template <class T>
SCREE_HD inline T star_gap(Vec2<T> p, const StarRadius<T>& at, bool radial) {
  const T rho = norm(p), f = rho - at.r;
  const T core = star_core<T> * at.r, lever = rho < core ? core : rho;
  return radial ? f : f * (T(1) / std::sqrt(T(1) + at.slope2 / (lever * lever)));
}

// The same for many points, free of branches and with the look-up apart, so that compilers make vectors of it. Each has
// the bits of its function for one point. Whole blocks are computed: arrays must be as long as whole_blocks(count), and
// finite beyond count.
inline constexpr int star_block = 16;  // points at a time

inline constexpr std::size_t whole_blocks(std::size_t count) {
  return (count + star_block - 1) / star_block * star_block;
}

template <class T>
struct StarPlaces {
  int entry[star_block];  // of the table
  T within[star_block];   // 0 at the entry, 1 at the next
};

template <class T>
inline void find_places(int size, const T* x, const T* y, StarPlaces<T>& out) {
  const T per_unit = T(size) / T(4);
  const int last = size - 1;
  for (int k = 0; k < star_block; ++k) {
    const T share = y[k] / (std::abs(x[k]) + std::abs(y[k]) + T(1e-30));  // never 0 / 0
    const T right = share < T(0) ? T(4) + share : share;
    const T place = (x[k] < T(0) ? T(2) - share : right) * per_unit;
    const int cell = static_cast<int>(place);
    out.entry[k] = cell < last ? cell : last;
    out.within[k] = place - T(out.entry[k]);
  }
}

// r of an entry of the table, and what the next one has more.
template <class T>
struct StarRise {
  T r{};
  T rise{};
};

// rho^2 - r^2: negative inside.
template <class T>
inline void star_excess(const StarRise<T>* rises, int size, const T* x, const T* y, std::size_t count, T* excess) {
  StarPlaces<T> at;
  for (std::size_t begin = 0; begin < count; begin += star_block) {
    const T *px = x + begin, *py = y + begin;
    find_places(size, px, py, at);
    StarRise<T> rise[star_block];
    for (int k = 0; k < star_block; ++k) rise[k] = rises[at.entry[k]];
    T e[star_block];
    for (int k = 0; k < star_block; ++k) {
      const T r = rise[k].r + at.within[k] * rise[k].rise;
      e[k] = (px[k] * px[k] + py[k] * py[k]) - r * r;
    }
    for (int k = 0; k < star_block; ++k) excess[begin + static_cast<std::size_t>(k)] = e[k];
  }
}

// Distances alone.
template <bool radial, class T>
inline void star_distances(StarTable<T> table, const T* x, const T* y, std::size_t count, T* distance) {
  StarPlaces<T> at;
  for (std::size_t begin = 0; begin < count; begin += star_block) {
    const T *px = x + begin, *py = y + begin;
    find_places(table.size, px, py, at);
    T r[star_block], slope2[star_block], d[star_block];
    for (int k = 0; k < star_block; ++k) {
      const StarEntry<T> low = table.entries[at.entry[k]], high = table.entries[at.entry[k] + 1];
      r[k] = low.r + at.within[k] * (high.r - low.r);
      slope2[k] = low.slope2 + at.within[k] * (high.slope2 - low.slope2);
    }
    for (int k = 0; k < star_block; ++k) {
      const T rho = std::sqrt(px[k] * px[k] + py[k] * py[k]), f = rho - r[k];
      const T core = star_core<T> * r[k], lever = rho < core ? core : rho;
      d[k] = radial ? f : f * (T(1) / std::sqrt(T(1) + slope2[k] / (lever * lever)));
    }
    for (int k = 0; k < star_block; ++k) distance[begin + static_cast<std::size_t>(k)] = d[k];
  }
}

// Distances with their gradients, and the entry of the table nearest to each point's direction.
template <bool radial, class T>
inline void star_depths(StarTable<T> table, const T* x, const T* y, std::size_t count, StarDepth<T>* depth,
                        int* entry) {
  StarPlaces<T> at;
  const T per_unit = T(table.size) / T(4);
  for (std::size_t begin = 0; begin < count; begin += star_block) {
    const T *px = x + begin, *py = y + begin;
    find_places(table.size, px, py, at);
    T r[star_block], slope2[star_block], r_u[star_block], slope2_u[star_block];
    for (int k = 0; k < star_block; ++k) {
      const StarEntry<T> low = table.entries[at.entry[k]], high = table.entries[at.entry[k] + 1];
      const T dr = high.r - low.r, ds = high.slope2 - low.slope2;
      r[k] = low.r + at.within[k] * dr;
      slope2[k] = low.slope2 + at.within[k] * ds;
      r_u[k] = dr * per_unit;
      slope2_u[k] = ds * per_unit;
      entry[begin + static_cast<std::size_t>(k)] = at.entry[k] + (at.within[k] < T(0.5) ? 0 : 1);
    }
    T distance[star_block], gx[star_block], gy[star_block];
    for (int k = 0; k < star_block; ++k) {
      const StarDepth<T> d = star_depth<radial>({px[k], py[k]}, StarRadius<T>{r[k], slope2[k], r_u[k], slope2_u[k]});
      distance[k] = d.distance;
      gx[k] = d.gradient.x;
      gy[k] = d.gradient.y;
    }
    for (int k = 0; k < star_block; ++k) depth[begin + static_cast<std::size_t>(k)] = {distance[k], {gx[k], gy[k]}};
  }
}

}  // namespace scree
