#pragma once
// Poses in SE(2). q = (theta, x) maps a body point p to R(theta) p + x.
#include <cmath>
#include <numbers>

#include "scree/base/vec.hpp"

namespace scree {

// The representative of `angle` in [-pi, pi).
template <class T>
SCREE_HD inline T wrap_angle(T angle) {
  constexpr T turn = T(2) * std::numbers::pi_v<T>;
  T w = angle - turn * std::floor(angle / turn + T(0.5));
  return w >= std::numbers::pi_v<T> ? -std::numbers::pi_v<T> : w;
}

template <class T>
struct Pose {
  T theta{};
  Vec2<T> x{};

  SCREE_HD Vec2<T> operator*(Vec2<T> p) const { return Rotation<T>(theta) * p + x; }
};

using Pose2d = Pose<double>;

// q_AB: maps B-body points to A-body points. theta_AB = wrap(theta_B - theta_A), x_AB = R_A^T (x_B - x_A).
template <class T>
SCREE_HD inline Pose<T> relative_pose(Pose<T> a, Pose<T> b) {
  return {wrap_angle(b.theta - a.theta), Rotation<T>(a.theta).back(b.x - a.x)};
}

// q_BA from q_AB.
template <class T>
SCREE_HD inline Pose<T> inverse(Pose<T> q) {
  return {wrap_angle(-q.theta), -(Rotation<T>(q.theta).back(q.x))};
}

}  // namespace scree
