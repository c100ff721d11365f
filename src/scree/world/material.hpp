#pragma once
// Materials and what a contact between two of them obeys.
#include <optional>
#include <string>
#include <vector>

#include "scree/world/restitution_kernel.hpp"

namespace scree {

struct Material {
  std::string name;
  double density = 1;                     // mass / length^2 (plane grains of unit depth)
  double friction = 0.5;                  // mu
  double restitution = 0.3;               // e in (0, 1]: ratio of normal speeds after and before a free impact
  std::optional<double> normal_damping;   // c_n, force / speed; replaces restitution when given
  double stiffness = 0;                   // k_n, force / length
  double tangential_ratio = 0.5;          // k_t / k_n
  double tangential_damping_ratio = 0.5;  // c_t / c_n
  double rotational_damping = 0;          // 1 / time: contact torque -rate * I_eff * (omega_B - omega_A)
  double rolling_friction = 0;            // mu_r: contact torque against the relative spin, at most mu_r R_eff F
};

// Parameters of a contact, resolved from two materials (geometric means; densities apart) or stated for the pair.
struct PairParameters {
  double stiffness = 0;                   // k_n
  double tangential_stiffness = 0;        // k_t
  double friction = 0;                    // mu
  double damping_ratio = 0;               // zeta: c_n = 2 zeta sqrt(k_n / kappa), used when normal_damping < 0
  double normal_damping = -1;             // c_n when >= 0
  double tangential_damping_ratio = 0.5;  // c_t / c_n
  double rotational_damping = 0;          // 1 / time
  double rolling_friction = 0;            // mu_r
  bool operator==(const PairParameters&) const = default;
};

// A pair of materials whose parameters the user states; unset fields keep the mixed value.
struct PairOverride {
  int material_a = 0;
  int material_b = 0;
  std::optional<double> friction, restitution, normal_damping, stiffness, tangential_ratio, tangential_damping_ratio,
      rotational_damping, rolling_friction;
};

// Damping ratio zeta that makes a free normal impact of the clamped linear spring-dashpot (force never pulls) return
// the fraction `restitution` of the speed. Inverts the closed form of Schwager & Poeschel, Granular Matter 9 (2007)
// 465.
double damping_ratio_for(double restitution);

PairParameters mix(const Material& a, const Material& b, const std::vector<PairOverride>& overrides, int index_a,
                   int index_b);

}  // namespace scree
