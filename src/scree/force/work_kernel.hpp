#pragma once
// What a contact does to the energy while its two sides move on, as pure functions. Geometry is anything with the
// fields of WorldGeometry (contact/contact_kernel.hpp).
#include <cmath>

#include "scree/force/contact_force_kernel.hpp"

namespace scree {

struct ContactWork {
  double normal_damping = 0;  // dissipated
  double friction = 0;        // dissipated, or stored in the spring
  double rotational = 0;      // dissipated
  double driving = 0;         // done by sides that do not obey forces
  double moved = 0;           // sum of |work|
  double springs = 0;         // energy that the tangential spring holds
  SCREE_HD ContactWork& operator+=(const ContactWork& o) {
    normal_damping += o.normal_damping;
    friction += o.friction;
    rotational += o.rotational;
    driving += o.driving;
    moved += o.moved;
    springs += o.springs;
    return *this;
  }
};

// A side of a contact in the middle of a kick.
struct WorkSide {
  TwistOf<double> twist;
  bool driven = false;  // does not obey forces
};

template <class Geometry>
SCREE_HD inline ContactWork contact_work(const Geometry& c, const ContactForce<double>& f, const WorkSide& a,
                                         const WorkSide& b, double stiffness, double tangential_stiffness, double dt) {
  const ContactVelocityOf<double> v = contact_velocity(c, a.twist, b.twist);
  const double elastic_force = stiffness * -c.gap;
  ContactWork w;
  w.normal_damping = -(f.normal - elastic_force) * v.normal * dt;
  w.friction = -f.tangential * v.tangential * dt;
  w.rotational = -f.rotational * v.spin * dt;
  w.moved = std::abs(f.normal * v.normal * dt) + std::abs(w.friction) + std::abs(w.rotational);
  w.springs = 0.5 * tangential_stiffness * f.spring * f.spring;
  const Vec2d force = f.normal * c.gap_x + f.tangential * perp(c.normal);
  double power = 0;
  if (a.driven) {
    const double torque = f.normal * c.gap_theta_a + f.tangential * c.arm_a - f.rotational;
    power += dot(force, a.twist.v) - torque * a.twist.omega;
  }
  if (b.driven) {
    const double torque = f.normal * c.gap_theta_b + f.tangential * c.arm_b + f.rotational;
    power -= dot(force, b.twist.v) + torque * b.twist.omega;
  }
  w.driving = power * dt;
  return w;
}

}  // namespace scree
