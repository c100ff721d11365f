#pragma once
// Clumps: discs, rigidly joined and usually overlapping, that stand for a grain of another shape (N. Bell, Y. Yu and
// P. Mucha, "Particle-based simulation of granular materials", 2005). Fitted automatically to an outline.
#include <vector>

#include "scree/shape/shape.hpp"

namespace scree {

template <class T>
struct ClumpDiscOf {
  Vec2<T> centre;
  T radius{};
};
using ClumpDisc = ClumpDiscOf<double>;

struct Clump {
  std::vector<ClumpDisc> discs;  // in the frame and the units of the Shape; all within its circumcircle
  // No point of the outline is farther than this from the discs, and no point of a disc farther from the solid. A
  // proven bound of the distance in the sense of Hausdorff.
  double error = 0;
};

struct ClumpSettings {
  int most_discs = 0;       // 0: as many as the tolerance needs
  double tolerance = 0.05;  // of `error`, with most_discs = 0
};

// Picks maximal inscribed discs until they cover the outline, then raises them all by half of what is left uncovered,
// so that the error is shared between inside and outside. The clump keeps the shape's rotations, up to order 12 and as
// far as the number allows. Error(input) where settings are out of range or the tolerance needs more than
// most_clump_discs.
Clump fit_clump(const Shape& shape, const ClumpSettings& settings);
inline constexpr int most_clump_discs = 1000;
inline constexpr double least_clump_tolerance = 0.004;  // finer clumps have too many discs to be of use
inline constexpr double most_clump_tolerance = 0.5;

}  // namespace scree
