#pragma once
// Sine and cosine of every body's angle, computed once a step and shared by the narrow phase and the walls.
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/world/world.hpp"

namespace scree {

inline void find_rotations(const World& world, ThreadPool& pool, std::vector<Rotation2d>& out) {
  out.resize(world.bodies.size());
  for_chunks(pool, out.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) out[k] = Rotation2d(world.bodies.theta[k]);
  });
}

}  // namespace scree
