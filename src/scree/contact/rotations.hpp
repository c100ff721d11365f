#pragma once
// Sine and cosine of every body's angle, computed once a step and shared by the narrow phase and the walls.
#include <vector>

#include "scree/base/sincos_kernel.hpp"
#include "scree/world/world.hpp"

namespace scree {

inline void find_rotations(const World& world, std::size_t first_body, std::size_t end_body,
                           std::vector<Rotation2d>& out) {
  const double* theta = world.bodies.theta.data();
  double largest = 0;
  for (std::size_t k = first_body; k < end_body; ++k) {
    sine_cosine(theta[k], out[k].s, out[k].c);
    largest = std::abs(theta[k]) > largest ? std::abs(theta[k]) : largest;
  }
  if (largest <= largest_angle) return;
  for (std::size_t k = first_body; k < end_body; ++k) {
    if (std::abs(theta[k]) > largest_angle) out[k] = Rotation2d(theta[k]);
  }
}

inline std::vector<Rotation2d> find_rotations(const World& world) {
  std::vector<Rotation2d> out(world.bodies.size());
  find_rotations(world, 0, out.size(), out);
  return out;
}

}  // namespace scree
