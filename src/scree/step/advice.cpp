// How small a step must be: the stiffest contact that can occur, from the types present and to come.
#include <algorithm>
#include <cmath>

#include "scree/implicit/pace_kernel.hpp"
#include "scree/step/simulation.hpp"

namespace scree {

namespace {

// 1/m + R^2/I: no contact can lie farther from the centroid than the circumradius, so kappa of any contact of this
// body is at most this.
double kappa_bound(const GrainType& type) { return 1 / type.mass + type.radius * type.radius / type.inertia; }

// Takes in one kind of contact after another. With damping ratio zeta the explicit step of v' = -omega^2 x - 2 zeta
// omega v is stable for omega dt < 2 (sqrt(1 + zeta^2) - zeta): 2 without damping, 1 / zeta with much of it.
void consider(const PairParameters& p, double kappa, const std::string& who, StepAdvice& advice) {
  const double omega = std::sqrt(std::max(p.stiffness, p.tangential_stiffness) * kappa);
  advice.kappa_max = std::max(advice.kappa_max, kappa);
  advice.omega_max = std::max(advice.omega_max, omega);
  if (!(omega > 0)) return;
  const double zeta = p.normal_damping >= 0 ? 0.5 * p.normal_damping * kappa / omega : p.damping_ratio;
  const double limit = 2 * (std::sqrt(1 + zeta * zeta) - zeta) / omega;
  const double advised = std::min(0.33 / omega, 0.5 * limit);
  if (advice.dt_advised == 0 || advised < advice.dt_advised) {
    advice.dt_advised = advised;
    advice.stiffest = who;
  }
  advice.dt_limit = advice.dt_limit == 0 ? limit : std::min(advice.dt_limit, limit);
}

}  // namespace

StepAdvice advise_step(const World& world) {
  const std::vector<TypeUse> use = type_use(world);
  StepAdvice advice;
  for (std::size_t i = 0; i < world.types.size(); ++i) {
    const GrainType& a = world.types[i];
    if (!use[i].moving) continue;
    for (const Wall& wall : world.walls) {
      consider(world.pair_parameters(wall.material, a.material), kappa_bound(a), a.name + " on wall " + wall.name,
               advice);
    }
    for (std::size_t j = 0; j < world.types.size(); ++j) {
      if (!use[j].moving && !use[j].driven) continue;
      const GrainType& b = world.types[j];
      const double kappa = kappa_bound(a) + (use[j].moving ? kappa_bound(b) : 0);
      consider(world.pair_parameters(a.material, b.material), kappa, a.name + " on " + b.name, advice);
    }
  }
  return advice;
}

double advise_large_step(const World& world) {
  double smallest = 0;
  for (const GrainType& type : world.types) smallest = smallest == 0 ? type.radius : std::min(smallest, type.radius);
  const double g = norm(world.gravity.at(world.time));
  return large_step_of(smallest, g);
}

std::string why_no_large_step(const World& world) {
  return world.types.empty() ? "there are no grains" : "there is no gravity to compare it with";
}

}  // namespace scree
