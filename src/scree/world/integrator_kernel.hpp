#pragma once
// Parts of the integrators, as pure functions of one body.
//   symplectic Euler:  a_n -> v += dt a_n;  x += dt v
//   velocity Verlet:   v += dt/2 a_n;  x += dt v;  a_{n+1} (with the half-step v);  v += dt/2 a_{n+1}
#include "scree/base/vec.hpp"

namespace scree {

template <class T>
SCREE_HD inline void kick(Vec2<T>& v, T& omega, Vec2<T> force, T torque, T inverse_mass, T inverse_inertia, T dt) {
  v += (dt * inverse_mass) * force;
  omega += (dt * inverse_inertia) * torque;
}

template <class T>
SCREE_HD inline void drift(Vec2<T>& x, T& theta, Vec2<T> v, T omega, T dt) {
  x += dt * v;
  theta += dt * omega;
}

}  // namespace scree
