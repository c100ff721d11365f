#pragma once
// Contacts give no energy to the bodies: how many sweeps that takes, and how much of a rebound, as pure functions.
#include <algorithm>
#include <cmath>

#include "scree/base/macros.hpp"

namespace scree {

// Rigid sweeps take away the velocity that pushing overlap out has made. What two of them leave would lift a bed and
// shake it; and where much rests on little, of which a sweep hands on but little of a load, impulses that grew over
// many substeps would go on throwing up what they have stopped. Both is energy from nowhere, so there are more sweeps
// until contacts have given nothing: every sweep brings velocities nearer to those of the least energy.
inline constexpr int fewest_rigid_sweeps = 2;
inline constexpr int most_rigid_sweeps = 100;
inline constexpr double kinetic_rounding = 1e-6;  // velocities have single precision

// Of the kinetic energy where velocities go all the way, or a share of it: linear x + quadratic x^2.
struct KineticGain {
  double linear = 0, quadratic = 0;
  SCREE_HD void merge(const KineticGain& o) { linear += o.linear, quadratic += o.quadratic; }
};

// The share of it that takes no more than `absorbed` and the share of `driven`, work that is done along with it.
SCREE_HD inline double share_to_give(const KineticGain& gain, double absorbed, double driven) {
  const double linear = gain.linear - driven, most = absorbed > 0 ? absorbed : 0;
  if (linear + gain.quadratic <= most || !(gain.quadratic > 0)) return 1;
  return std::min(1.0, (std::sqrt(linear * linear + 4 * gain.quadratic * most) - linear) / (2 * gain.quadratic));
}

}  // namespace scree
