#pragma once
// Clumps of discs, as pure functions: every overlapping pair of discs is a contact.
#include <cmath>
#include <cstdint>

#include "scree/base/macros.hpp"
#include "scree/base/pose.hpp"
#include "scree/map/contact_geometry.hpp"
#include "scree/shape/clump.hpp"

namespace scree {

// Discs of both grains in units of A's circumradius, each in its grain's frame.
template <class T>
struct ClumpView {
  const ClumpDiscOf<T>* a = nullptr;
  int a_count = 0;
  const ClumpDiscOf<T>* b = nullptr;
  int b_count = 0;
  T reach_b{};  // no point of B's discs is farther from its centroid; with some slack for rounding
};

// Two discs of the grains, B's centre already in A's frame. The contact point is in the middle of the overlap.
template <class T>
SCREE_HD inline ContactGeometryOf<T> disc_pair(const ClumpDiscOf<T>& a, const ClumpDiscOf<T>& b, Vec2<T> centre_b,
                                               Vec2<T> x) {
  const Vec2<T> apart = centre_b - a.centre;
  const T distance = norm(apart);
  const Vec2<T> n = distance > T(0) ? (T(1) / distance) * apart : Vec2<T>{T(1), T(0)};
  ContactGeometryOf<T> g;
  g.gap = distance - a.radius - b.radius;
  g.gap_x = n;
  g.gap_theta = cross(centre_b - x, n);
  g.arm = dot(a.centre + (a.radius + T(0.5) * g.gap) * n - T(0.5) * x, n);
  return g;
}

// Calls sink(PairContactOf<T>) for every pair of discs that overlap, B turned by `turn` and at x in A's frame, by
// ascending feature: (index in A) 2^16 + index in B.
template <class T, class Sink>
SCREE_HD inline void clump_touching(const ClumpView<T>& clumps, Rotation<T> turn, Vec2<T> x, Sink&& sink) {
  for (int i = 0; i < clumps.a_count; ++i) {
    const ClumpDiscOf<T> a = clumps.a[i];
    // Most of A's discs are on the other side.
    const T most = a.radius + clumps.reach_b;
    if (norm2(x - a.centre) >= most * most) continue;
    for (int j = 0; j < clumps.b_count; ++j) {
      const ClumpDiscOf<T> b = clumps.b[j];
      const Vec2<T> centre = turn * b.centre + x;
      const T reach = a.radius + b.radius;
      if (norm2(centre - a.centre) >= reach * reach) continue;
      const ContactGeometryOf<T> g = disc_pair(a, b, centre, x);
      if (g.gap < T(0)) sink(PairContactOf<T>{g, static_cast<std::uint32_t>(i) << 16 | static_cast<std::uint32_t>(j)});
    }
  }
}

template <class T, class Sink>
SCREE_HD inline void clump_touching(const ClumpView<T>& clumps, const Pose<T>& q, Sink&& sink) {
  clump_touching(clumps, Rotation<T>(q.theta), q.x, sink);
}

}  // namespace scree
