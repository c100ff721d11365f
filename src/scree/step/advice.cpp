// How small a step must be: the stiffest contact that can occur, from the types present and to come.
#include <algorithm>
#include <cmath>

#include "scree/step/simulation.hpp"

namespace scree {

namespace {

// 1/m + R^2/I: no contact can lie farther from the centroid than the circumradius, so kappa of any contact of this
// body is at most this.
double kappa_bound(const GrainType& type) { return 1 / type.mass + type.radius * type.radius / type.inertia; }

struct Stiffest {
  double omega2 = 0;
  double kappa = 0;
  std::string name;

  void consider(double stiffness, double kappa_sum, const std::string& who) {
    kappa = std::max(kappa, kappa_sum);
    if (stiffness * kappa_sum <= omega2 && !name.empty()) return;
    omega2 = stiffness * kappa_sum;
    name = who;
  }
};

}  // namespace

StepAdvice advise_step(const World& world) {
  const std::vector<TypeUse> use = type_use(world);
  Stiffest s;
  for (std::size_t i = 0; i < world.types.size(); ++i) {
    const GrainType& a = world.types[i];
    if (!use[i].moving) continue;
    for (const Wall& wall : world.walls) {
      s.consider(world.pair_parameters(wall.material, a.material).stiffness, kappa_bound(a),
                 a.name + " on wall " + wall.name);
    }
    for (std::size_t j = 0; j < world.types.size(); ++j) {
      if (!use[j].moving && !use[j].driven) continue;
      const GrainType& b = world.types[j];
      const double kappa = kappa_bound(a) + (use[j].moving ? kappa_bound(b) : 0);
      s.consider(world.pair_parameters(a.material, b.material).stiffness, kappa, a.name + " on " + b.name);
    }
  }
  StepAdvice advice;
  advice.omega_max = std::sqrt(s.omega2);
  advice.kappa_max = s.kappa;
  advice.stiffest = s.name;
  if (s.omega2 > 0) {
    advice.dt_advised = 0.33 / advice.omega_max;
    advice.dt_limit = 2 / advice.omega_max;
  }
  return advice;
}

}  // namespace scree
