#pragma once
// Soft constraints as pure functions. A row is a plane that the gap lies above: s = s0 + g.dq, ds/dt = g.v.
//
// Overlap is pushed back by a damped spring that is integrated implicitly: a row of inverse effective mass kappa is a
// spring of k = omega^2 / kappa, so under a force F it gives way by F kappa / omega^2. How stiff it can be is a matter
// of the substep h: omega h <= stiffest.
#include "scree/base/macros.hpp"

namespace scree {

inline constexpr double stiffest = 2 * 3.14159265358979323846 * 0.3;  // omega h
inline constexpr double soft_damping_ratio = 10;

template <class T>
struct Softness {
  T rate;           // 1 / time: speed of pushing out, of the overlap
  T mass_scale;     // of the effective mass
  T impulse_scale;  // share of the impulse that gives way
};

template <class T>
SCREE_HD inline Softness<T> soft_contact(T omega, T h) {
  const T turn = omega * h;
  const T a1 = 2 * T(soft_damping_ratio) + turn, a2 = turn * a1;
  return {omega / a1, a2 / (1 + a2), 1 / (1 + a2)};
}

}  // namespace scree
