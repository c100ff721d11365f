#pragma once
// Contact geometry in world coordinates, as pure functions. Formulas: docs/conventions.md.
#include <cmath>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

// A contact before its forces, in the world frame. The same fields as in Contact (world/contact.hpp).
template <class T>
struct WorldGeometry {
  T gap{};
  Vec2<T> gap_x{};
  T gap_theta_a{};
  T gap_theta_b{};
  Vec2<T> normal{};
  T arm_a{};
  T arm_b{};
};

// From a map's answer in A's frame. `scale` is A's circumradius, x_ab = R_A^T (x_B - x_A) in lengths of the world.
//   g_B = (d_theta, R_A d_x);  g_A = (-d_theta - x_AB x d_x, -R_A d_x)
//   proj r_A = -x_AB.n/2 - c;  proj r_B = -x_AB.n/2 + c
template <class T>
SCREE_HD inline WorldGeometry<T> world_geometry(T gap, T gap_theta, Vec2<T> gap_x, T arm, T scale, Vec2<T> x_ab,
                                                Rotation<T> rotation_a) {
  WorldGeometry<T> w;
  w.gap = scale * gap;
  w.gap_theta_b = scale * gap_theta;
  w.gap_theta_a = -w.gap_theta_b - cross(x_ab, gap_x);
  w.gap_x = rotation_a * gap_x;
  const T length = norm(gap_x);
  if (length < T(1e-6)) return w;
  w.normal = (T(1) / length) * w.gap_x;
  const T along = dot(x_ab, gap_x) / length;
  w.arm_a = T(-0.5) * along - scale * arm;
  w.arm_b = T(-0.5) * along + scale * arm;
  return w;
}

// A point contact of grain B against a wall A: unit `normal` from the wall to the grain, `from_a` and `from_b` the
// contact point as seen from both.
template <class T>
SCREE_HD inline WorldGeometry<T> point_geometry(T gap, Vec2<T> normal, Vec2<T> from_a, Vec2<T> from_b) {
  WorldGeometry<T> w;
  w.gap = gap;
  w.gap_x = normal;
  w.normal = normal;
  w.gap_theta_a = -cross(from_a, normal);
  w.gap_theta_b = cross(from_b, normal);
  w.arm_a = -dot(from_a, normal);
  w.arm_b = dot(from_b, normal);
  return w;
}

}  // namespace scree
