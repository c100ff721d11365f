#pragma once
// How many substeps a step takes and how stiff its rows are, as pure functions; docs/implicit-theory.md derives them.
#include <algorithm>
#include <cmath>

#include "scree/base/vec.hpp"
#include "scree/implicit/settings.hpp"
#include "scree/implicit/soft_kernel.hpp"

namespace scree {

// In units of the smallest moving grain's circumradius.
namespace large_step {
inline constexpr double below = 0.002;    // of planes under the gap that say nothing
inline constexpr double turnover = 0.01;  // way in which another contact of a pair may become its deepest
inline constexpr double offset = 0.001;   // between surfaces
inline constexpr double renewal = 0.002;  // travel after which planes are taken anew
inline constexpr double quiet = 0.006;    // way within which a grain stays that may sleep
inline constexpr double stride = 0.045;   // way of two bodies towards each other in a substep
inline constexpr double push = 0.00625;   // overlap that is pushed out in a substep
inline constexpr double margin = 0.01;    // room of a body that nothing comes upon
inline constexpr double fall = 0.0027;    // twice what a grain falls in a step that the solver chooses
inline constexpr double farthest = 2;     // way of two bodies towards each other until the horizon: lists stay short
}  // namespace large_step

inline constexpr int fewest_substeps = 8;
inline constexpr double rest_speed = 2;    // of what gravity gives in a step: slower impacts do not rebound
inline constexpr double load_share = 0.8;  // of the tolerated overlap; the rest is the map's error
inline constexpr double too_deep = 4;      // times the tolerated overlap: more substeps are needed than was thought
inline constexpr double room_share = 0.5;  // of the way that others come upon a body
inline constexpr double watched_stride = 0.05;   // of a stride: bodies that come that far in a substep are watched
inline constexpr double stretched_stride = 1.5;  // and this far they may come before substeps get shorter
inline constexpr double list_margin = 1.4;       // lists reach farther than they must, and last longer

// What is known of the moving grains beforehand.
struct GrainScales {
  double radius = 1;      // of the smallest
  double mass_ratio = 1;  // of the heaviest to the lightest
  double stride = 0;      // way of two bodies towards each other in a substep, length
};

// What a step is paced by. Depths are along gravity, times its strength.
struct LoadSum {
  double lowest = 1e300;
  double height = 0;    // sum over moving bodies
  double bodies = 0;    // moving
  double squares = 0;   // sum of (F kappa)^2 over contacts
  double contacts = 0;  // number
  double deepest = 0;   // overlap, length

  SCREE_HD void merge(const LoadSum& o) {
    lowest = lowest < o.lowest ? lowest : o.lowest;
    height += o.height;
    bodies += o.bodies;
    squares += o.squares;
    contacts += o.contacts;
    deepest = deepest > o.deepest ? deepest : o.deepest;
  }
};

// The largest of the forces in a bed of so many grains, times their mean. Large forces are rarer by exp(-1.75 f), so
// that one in 6,300 is above five.
SCREE_HD inline double load_peak(double bodies) {
  constexpr double least = 5, rarer = 1.75;
  return std::max(least, std::log(bodies) / rarer);
}

// The largest F kappa to be expected of a bed under gravity, an acceleration. It follows from the depth, which is twice
// the mean height; kappa is about four times the inverse mass. The heaviest grain may lie on the lightest.
SCREE_HD inline double bed_load(const LoadSum& sum, double gravity, const GrainScales& grains) {
  return sum.bodies > 0
             ? 4 * load_peak(sum.bodies) *
                   (grains.mass_ratio * gravity + 2 * (sum.height / sum.bodies - sum.lowest) / (1.5 * grains.radius))
             : 0;
}

// Loads far above that of the bed show in the contacts, and count in powers of four: a stiffness that followed them
// would shake the bed.
SCREE_HD inline double expected_load(const LoadSum& sum, double of_bed, double radius, double dt) {
  const double of_contacts = 4 * std::sqrt(sum.squares / (sum.contacts > 1 ? sum.contacts : 1));
  if (of_contacts <= 4 * of_bed) return of_bed;
  const double base = of_bed > 0 ? of_bed : radius / (dt * dt);
  return base * std::pow(4.0, std::ceil(std::log2(of_contacts / base) / 2 - 0.5));
}

// How many times as many substeps it takes, in powers of two, because contacts are too deep: thin features, or links of
// a chain that pass on what many others push.
SCREE_HD inline double haste_of(double deepest, double overlap, double stride) {
  const double most = std::min(too_deep * overlap, stride);
  return deepest > most ? std::exp2(std::ceil(std::log2(deepest / most))) : 1;
}

// The step that the solver chooses; 0 without gravity.
SCREE_HD inline double large_step_of(double radius, double gravity) {
  return gravity > 0 ? std::sqrt(large_step::fall * radius / gravity) : 0;
}

struct StepPace {
  int substeps = 0;
  double h = 0;
  double omega = 0;  // of the soft rows
  double load = 0;   // F kappa of a row that bears the layers above it, an acceleration
};

// `fastest`: nothing approaches anything faster.
SCREE_HD inline StepPace pace_of(const LoadSum& sum, double fastest, double gravity, double dt,
                                 const GrainScales& grains, const ImplicitSettings& settings) {
  StepPace p;
  const double of_bed = bed_load(sum, gravity, grains);
  p.load = of_bed / load_peak(sum.bodies);
  if (settings.substeps > 0) {
    p.substeps = settings.substeps;
    p.h = dt / p.substeps;
    p.omega = stiffest / p.h;
    return p;
  }
  const double way = (fastest + gravity * dt) * dt, overlap = settings.overlap * grains.radius;
  p.omega = haste_of(sum.deepest, overlap, grains.stride) *
            std::sqrt(expected_load(sum, of_bed, grains.radius, dt) / (load_share * overlap));
  const double wanted = std::max(std::max(double(fewest_substeps), dt * p.omega / stiffest), way / grains.stride);
  p.substeps = static_cast<int>(std::ceil(std::min(wanted, static_cast<double>(settings.most_substeps))));
  p.h = dt / p.substeps;
  // Substeps that speed asks for serve stiffness too. In powers of two: one that followed speed would shake the bed. A
  // step that is shorter than it need be does not: it would push out with a bang what touches.
  int power = 1;
  while (2 * power <= p.substeps) power *= 2;
  const double span = std::max(dt, large_step_of(grains.radius, gravity));
  p.omega = std::min(std::max(p.omega, 0.5 * stiffest / span * power), stiffest / p.h);
  return p;
}

SCREE_HD inline double shortest_substep(double dt, const ImplicitSettings& settings) {
  return dt / settings.most_substeps;
}

// Whether bodies of a step may become so fast in it that they come too far in a substep.
SCREE_HD inline bool watches_speeds(const StepPace& pace, double fastest, const GrainScales& grains,
                                    const ImplicitSettings& settings) {
  return settings.substeps == 0 && fastest * pace.h > watched_stride * grains.stride;
}

// Speeds may grow within a step, and within a substep, as at the end of a whip: what is left of the step then takes
// shorter substeps, though none shorter than there may be. `left`: time. Returns whether it does.
SCREE_HD inline bool hurry(double fastest, double left, double shortest, const GrainScales& grains, StepPace& pace) {
  if (!(fastest * pace.h > stretched_stride * grains.stride)) return false;
  const double h = std::max(shortest, grains.stride / fastest);
  const int substeps = static_cast<int>(std::ceil(left / h * (1 - 1e-9)));
  if (left / substeps > 0.9 * pace.h) return false;
  pace.substeps = substeps;
  pace.h = left / substeps;
  return true;
}

}  // namespace scree
