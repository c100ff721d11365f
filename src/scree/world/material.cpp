#include "scree/world/material.hpp"

#include <cmath>

namespace scree {

double damping_ratio_for(double restitution) {
  if (restitution >= 1) return 0;
  double lo = 0;
  double hi = 1;
  while (restitution_of(hi) > restitution) hi *= 2;
  for (int i = 0; i < 200 && hi - lo > 1e-15 * hi; ++i) {
    const double mid = 0.5 * (lo + hi);
    (restitution_of(mid) > restitution ? lo : hi) = mid;
  }
  return 0.5 * (lo + hi);
}

namespace {

double geometric(double a, double b) { return a == b ? a : std::sqrt(a * b); }

// -1 when neither material states one.
double mixed_damping(const Material& a, const Material& b) {
  if (a.normal_damping && b.normal_damping) return geometric(*a.normal_damping, *b.normal_damping);
  return a.normal_damping ? *a.normal_damping : b.normal_damping.value_or(-1);
}

bool names(const PairOverride& o, int a, int b) {
  return (o.material_a == a && o.material_b == b) || (o.material_a == b && o.material_b == a);
}

}  // namespace

PairParameters mix(const Material& a, const Material& b, const std::vector<PairOverride>& overrides, int index_a,
                   int index_b) {
  double restitution = geometric(a.restitution, b.restitution);
  double tangential_ratio = geometric(a.tangential_ratio, b.tangential_ratio);
  PairParameters p;
  p.normal_damping = mixed_damping(a, b);
  p.stiffness = geometric(a.stiffness, b.stiffness);
  p.friction = geometric(a.friction, b.friction);
  p.tangential_damping_ratio = geometric(a.tangential_damping_ratio, b.tangential_damping_ratio);
  p.rotational_damping = geometric(a.rotational_damping, b.rotational_damping);
  p.rolling_friction = geometric(a.rolling_friction, b.rolling_friction);
  for (const PairOverride& o : overrides) {
    if (!names(o, index_a, index_b)) continue;
    if (o.restitution) p.normal_damping = -1;
    restitution = o.restitution.value_or(restitution);
    p.normal_damping = o.normal_damping.value_or(p.normal_damping);
    tangential_ratio = o.tangential_ratio.value_or(tangential_ratio);
    p.stiffness = o.stiffness.value_or(p.stiffness);
    p.friction = o.friction.value_or(p.friction);
    p.tangential_damping_ratio = o.tangential_damping_ratio.value_or(p.tangential_damping_ratio);
    p.rotational_damping = o.rotational_damping.value_or(p.rotational_damping);
    p.rolling_friction = o.rolling_friction.value_or(p.rolling_friction);
  }
  p.tangential_stiffness = tangential_ratio * p.stiffness;
  p.damping_ratio = damping_ratio_for(restitution);
  return p;
}

}  // namespace scree
