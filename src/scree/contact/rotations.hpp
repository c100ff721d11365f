#pragma once
// Sine and cosine of every body's angle, computed once a step and shared by the narrow phase and the walls.
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/base/sincos_kernel.hpp"
#include "scree/world/world.hpp"

namespace scree {

inline void find_rotations(const World& world, ThreadPool& pool, std::vector<Rotation2d>& out) {
  out.resize(world.bodies.size());
  for_chunks(pool, out.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    const double* theta = world.bodies.theta.data();
    double largest = 0;
    for (std::size_t k = begin; k < end; ++k) {
      sine_cosine(theta[k], out[k].s, out[k].c);
      largest = std::abs(theta[k]) > largest ? std::abs(theta[k]) : largest;
    }
    if (largest <= largest_angle) return;
    for (std::size_t k = begin; k < end; ++k) {
      if (std::abs(theta[k]) > largest_angle) out[k] = Rotation2d(theta[k]);
    }
  });
}

}  // namespace scree
