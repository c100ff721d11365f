#pragma once
// Restitution of the clamped linear spring-dashpot, Schwager & Poeschel, Granular Matter 9 (2007) 465.
#include <cmath>
#include <numbers>

#include "scree/base/macros.hpp"

namespace scree {

// For damping ratios zeta in [0, inf).
SCREE_HD inline double restitution_of(double zeta) {
  if (zeta <= 0) return 1;
  // In units of the undamped frequency: beta = zeta, omega^2 = 1 - zeta^2. The impact ends when the force would pull.
  if (zeta < 1 - 1e-9) {
    const double omega = std::sqrt(1 - zeta * zeta);
    const double phase = std::numbers::pi - std::atan2(2 * zeta * omega, omega * omega - zeta * zeta);
    return std::exp(-zeta / omega * phase);
  }
  if (zeta < 1 + 1e-9) return std::exp(-2.0);
  const double omega = std::sqrt(zeta * zeta - 1);
  return std::exp(-zeta / omega * std::log((zeta + omega) / (zeta - omega)));
}

}  // namespace scree
