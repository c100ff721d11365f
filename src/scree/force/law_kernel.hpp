#pragma once
// Contact laws as pure functions of one contact. Signs: gap < 0 is overlap, forces on B along the normal and t = S n.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "scree/base/macros.hpp"

namespace scree {

template <class T>
struct LawInput {
  T overlap;               // delta = max(0, -gap)
  T normal_speed;          // v_n = d gap / dt
  T tangential_speed;      // u_t of B against A
  T gradient;              // |d_x|
  T spring;                // s before the step, length
  T stiffness;             // k_n
  T normal_damping;        // c_n
  T tangential_stiffness;  // k_t
  T tangential_damping;    // c_t
  T friction;              // mu
  T dt;
};

template <class T>
struct LawForce {
  T normal;      // F >= 0
  T tangential;  // f_t
  T spring;      // s after the step
};

template <class T>
SCREE_HD inline T clamp_to(T v, T lo, T hi) {
  return v < lo ? lo : (v > hi ? hi : v);
}

// F = max(0, k_n delta - c_n v_n): without the clamp a contact would pull while it opens.
template <class T>
SCREE_HD inline T normal_force(const LawInput<T>& c) {
  const T force = c.stiffness * c.overlap - c.normal_damping * c.normal_speed;
  return force > T(0) ? force : T(0);
}

// "spring-clamp": spring and dashpot in parallel, the spring shortened so that the sum stays on the Coulomb cone.
// Passive: the spring is never lengthened by the clamp nor reversed, so it cannot create energy.
template <class T>
SCREE_HD inline LawForce<T> spring_clamp_law(const LawInput<T>& c) {
  const T normal = normal_force(c);
  const T limit = c.friction * normal * c.gradient;
  const T viscous = c.tangential_damping * c.tangential_speed;
  const T trial = c.spring + c.tangential_speed * c.dt;
  T s = clamp_to(trial, (-limit - viscous) / c.tangential_stiffness, (limit - viscous) / c.tangential_stiffness);
  if (s * trial <= T(0)) s = T(0);
  if (std::abs(s) > std::abs(trial)) s = trial;
  return {normal, clamp_to(-c.tangential_stiffness * s - viscous, -limit, limit), s};
}

// "algorithm-1": the friction of Wang et al., The Configurational Element Method, Algorithm 1, for comparison.
// PROJECTFACTOR scales the spring by lambda = (f_max - sign(s) b) / (k_t |s|) in [0, 1]. At the change from the viscous
// slip branch to the spring branch its force jumps; spring-clamp does not.
template <class T>
SCREE_HD inline LawForce<T> algorithm_1_law(const LawInput<T>& c) {
  const T normal = normal_force(c);
  const T limit = c.friction * normal * c.gradient;
  const T viscous = c.tangential_damping * c.tangential_speed;
  T s = c.spring + c.tangential_speed * c.dt;
  const T trial = -c.tangential_stiffness * s - viscous;
  if (std::abs(viscous) > limit) return {normal, c.tangential_speed > T(0) ? -limit : limit, T(0)};
  if (std::abs(trial) <= limit) return {normal, trial, s};
  const T sign = s > T(0) ? T(1) : T(-1);
  const T lambda = (limit - sign * viscous) / (c.tangential_stiffness * std::abs(s));
  s *= clamp_to(lambda, T(0), T(1));
  return {normal, -c.tangential_stiffness * s - viscous, s};
}

// The laws that scenes can name. A new one is a function as above, a struct here, and its place in the list.
struct SpringClampLaw {
  static constexpr const char* name = "spring-clamp";
  template <class T>
  SCREE_HD static LawForce<T> force(const LawInput<T>& c) {
    return spring_clamp_law(c);
  }
};

struct Algorithm1Law {
  static constexpr const char* name = "algorithm-1";
  template <class T>
  SCREE_HD static LawForce<T> force(const LawInput<T>& c) {
    return algorithm_1_law(c);
  }
};

using FrictionLaws = std::tuple<SpringClampLaw, Algorithm1Law>;

}  // namespace scree
