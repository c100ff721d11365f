#pragma once
// The force of one contact as pure functions of its geometry and the motion of its two sides. Geometry is anything with
// the fields of WorldGeometry (contact/contact_kernel.hpp): Contact is.
#include <cmath>

#include "scree/base/vec.hpp"
#include "scree/force/law_kernel.hpp"

namespace scree {

// Inverse mass, inertia and circumradius of a body: zero when it does not obey forces.
template <class T>
struct MobilityOf {
  T inverse_mass{};
  T inverse_inertia{};
  T inverse_radius{};
};

template <class T>
struct TwistOf {
  Vec2<T> v{};
  T omega{};
};

// Velocities seen by a contact: gap rate v_n, tangential speed u_t, relative spin.
template <class T>
struct ContactVelocityOf {
  T normal{};
  T tangential{};
  T spin{};
};

template <class Geometry, class T>
SCREE_HD inline ContactVelocityOf<T> contact_velocity(const Geometry& c, const TwistOf<T>& a, const TwistOf<T>& b) {
  const Vec2<T> relative = b.v - a.v;
  return {dot(c.gap_x, relative) + c.gap_theta_a * a.omega + c.gap_theta_b * b.omega,
          dot(perp(c.normal), relative) + c.arm_a * a.omega + c.arm_b * b.omega, b.omega - a.omega};
}

// kappa: inverse effective mass along a gradient of the gap.
template <class T>
SCREE_HD inline T inverse_mass_along(Vec2<T> gap_x, T gap_theta_a, T gap_theta_b, const MobilityOf<T>& a,
                                     const MobilityOf<T>& b) {
  return norm2(gap_x) * (a.inverse_mass + b.inverse_mass) + gap_theta_a * gap_theta_a * a.inverse_inertia +
         gap_theta_b * gap_theta_b * b.inverse_inertia;
}
template <class Geometry, class T>
SCREE_HD inline T contact_kappa(const Geometry& c, const MobilityOf<T>& a, const MobilityOf<T>& b) {
  return inverse_mass_along(c.gap_x, c.gap_theta_a, c.gap_theta_b, a, b);
}

template <class T>
SCREE_HD inline T effective_inertia(const MobilityOf<T>& a, const MobilityOf<T>& b) {
  const T inverse = a.inverse_inertia + b.inverse_inertia;
  return inverse > T(0) ? T(1) / inverse : T(0);
}

// Rolling resistance: torque on B against the relative spin, at most mu_r R_eff `load`, load = F |d_x|. Where that
// would stop the spin at once, it loses a quarter instead: contacts know nothing of each other, and eight on a grain
// must not shake it. None where dt is 0.
template <class T>
SCREE_HD inline T rolling_torque(T rolling_friction, T load, T spin, const MobilityOf<T>& a, const MobilityOf<T>& b,
                                 T dt) {
  const T curvature = a.inverse_radius + b.inverse_radius;
  if (!(curvature > T(0)) || !(dt > T(0))) return T(0);
  const T limit = rolling_friction * load / curvature;
  return clamp_to(-effective_inertia(a, b) * spin / (T(4) * dt), -limit, limit);
}

// c_n as stated, or 2 zeta sqrt(k_n / kappa).
template <class T>
SCREE_HD inline T normal_damping(T stated, T ratio, T stiffness, T kappa) {
  constexpr T least = sizeof(T) == 8 ? T(1e-300) : T(1e-37);
  const T critical = T(2) * ratio * std::sqrt(stiffness / (kappa > least ? kappa : least));
  return stated >= T(0) ? stated : critical;
}

// As PairParameters (world/material.hpp), in the precision of the device.
template <class T>
struct LawParameters {
  T stiffness{};
  T tangential_stiffness{};
  T friction{};
  T damping_ratio{};
  T normal_damping{};
  T tangential_damping_ratio{};
  T rotational_damping{};
  T rolling_friction{};
};

template <class T>
struct ContactForce {
  T normal{};      // F >= 0
  T tangential{};  // f_t on B along t = S normal
  T spring{};      // s after the step
  T rotational{};  // torque on B; minus that on A
};

// `spring`: before the step, turned with the normal.
template <class Law, class Geometry, class T>
SCREE_HD inline ContactForce<T> contact_force(const Geometry& c, const TwistOf<T>& a, const TwistOf<T>& b,
                                              const MobilityOf<T>& ma, const MobilityOf<T>& mb,
                                              const LawParameters<T>& p, T spring, T dt) {
  const ContactVelocityOf<T> v = contact_velocity(c, a, b);
  const T damping = normal_damping(p.normal_damping, p.damping_ratio, p.stiffness, contact_kappa(c, ma, mb));
  const T friction = c.normal == Vec2<T>{} ? T(0) : p.friction;
  const LawForce<T> f =
      Law::force(LawInput<T>{-c.gap, v.normal, v.tangential, norm(c.gap_x), spring, p.stiffness, damping,
                             p.tangential_stiffness, p.tangential_damping_ratio * damping, friction, dt});
  const bool frictionless = friction == T(0);
  T rotational = p.rotational_damping > T(0) ? -p.rotational_damping * effective_inertia(ma, mb) * v.spin : T(0);
  if (p.rolling_friction > T(0))
    rotational += rolling_torque(p.rolling_friction, f.normal * norm(c.gap_x), v.spin, ma, mb, dt);
  return {f.normal, frictionless ? T(0) : f.tangential, frictionless ? T(0) : f.spring, rotational};
}

}  // namespace scree
