#pragma once
// The books of a large step as a pure function.
#include <algorithm>
#include <cmath>

#include "scree/base/macros.hpp"

namespace scree {

struct BookedLosses {
  double normal = 0;  // < 0: energy came from nowhere
  double friction = 0;
  double rolling = 0;
  double held = 0;     // by overlaps, after the step
  double brought = 0;  // by overlaps, and not known before
};

// What a row can give back while its overlap is pushed out: the work of the load that it bears, or that it would bear
// at rest under what lies above it, `load` times its effective mass.
SCREE_HD inline double may_hold(double force, double depth, double mass, double load) {
  return depth > 0 ? depth * std::max(force, load * mass) : 0;
}

// What bodies have more than they had, and than overlaps had to give back: they are to give it back.
SCREE_HD inline double overdrawn(double lost, double held) { return std::max(0.0, -(lost + held)); }

// The share of their gains that bodies give back. None can have gained more than its motion and its rise together, and
// all together have gained no less than is owed.
SCREE_HD inline double share_given_back(double gained, double owed) {
  return gained > 0 ? std::min(1.0, owed / gained) : 0;
}

struct Repayment {
  double speed_kept = 1;  // share of the velocities
  double way_back = 0;    // share of the way that it has come in the step
};

// Of a body that has this kinetic energy and has come up by `rise`, an energy too.
SCREE_HD inline Repayment repayment(double due, double kinetic, double rise) {
  if (kinetic > due) return {std::sqrt(1 - due / kinetic), 0};
  return {0, rise > 0 ? std::min(1.0, (due - kinetic) / rise) : 0};
}

// `lost`: what is missing after the step from kinetic and potential energy and the work that was done. Part of it is
// held by overlaps and comes back when they are pushed out: no more than was lost before, and no more than they may
// hold together, `most`. `sliding` and `rolling`: taken by these. `driven`: the work of walls and kinematic bodies.
// Those that pinch a grain press it together by more than its rows could hold when they met it; where they part, what
// they get beyond what is held was brought by that overlap.
SCREE_HD inline BookedLosses book_losses(double lost, double sliding, double rolling, double most, double held,
                                         double driven) {
  constexpr double rounding = 1e-9;
  BookedLosses b;
  b.held = std::clamp(held + lost, 0.0, most);
  const double gone = lost + held - b.held;
  b.friction = std::clamp(sliding, 0.0, std::max(0.0, gone));
  b.rolling = std::clamp(rolling, 0.0, std::max(0.0, gone - b.friction));
  b.normal = gone - b.friction - b.rolling;
  if (driven < 0 && b.normal < rounding * driven) b.brought = std::min(-b.normal, -driven);
  b.normal += b.brought;
  return b;
}

}  // namespace scree
