#pragma once
// Poses for neural maps on the GPU, as arrays.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "scree/base/rng.hpp"

namespace scree::test {

struct Poses {
  std::vector<float> x, y, theta;
};

// Evenly over the disc of radius `reach`, at any angle.
inline Poses random_poses(std::size_t count, double reach, std::uint64_t seed) {
  constexpr double pi = std::numbers::pi;
  Rng rng(seed);
  Poses poses;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = reach * std::sqrt(rng.uniform()), phi = rng.uniform(0, 2 * pi);
    poses.x.push_back(static_cast<float>(r * std::cos(phi)));
    poses.y.push_back(static_cast<float>(r * std::sin(phi)));
    poses.theta.push_back(static_cast<float>(rng.uniform(-pi, pi)));
  }
  return poses;
}

}  // namespace scree::test
