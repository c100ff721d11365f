#pragma once
// The depth of an overlap as a continuous function of the pose.
//
// The exact gap d is the shortest translation at fixed theta. Inside it jumps where a free pocket of the configuration
// obstacle closes as B turns (a ball that binds in its socket): d falls from about zero to minus the way out. No
// continuous map can follow, and a force that jumps with it makes energy from nothing. The least motion
//   l(theta, x) = max over theta' of d(theta', x) - R_B |theta - theta'|
// may also turn B back, every radian counting as the way R_B of B's farthest point. It equals d wherever d does not
// jump, since there |d_theta| <= R_B; it has the sign of d everywhere, and it never jumps. Derivation: docs/theory.md.
#include <cstddef>

#include "scree/map/pair_geometry.hpp"

namespace scree {

// d -> l in place, at one x and n equally spaced theta; `slope` is R_B times their spacing. A value that lies farther
// than -d / slope from both ends is what a longer line would give.
void lift_line(double* gaps, std::size_t n, std::size_t stride, double slope);

// l at a pose where the exact gap is `gap`, to within 1/64 of -gap, or the first value >= `enough` that is found.
double least_motion(const PairGeometry& pair, const Pose2d& q, double gap, double enough);

}  // namespace scree
