#pragma once
// Poses and answers of many queries as plain arrays, one element a pose; lengths in units of A's circumradius, angles
// in radians.
#include <cstdint>

namespace scree {

template <class Real>
struct PoseArraysOf {
  const Real* x = nullptr;
  const Real* y = nullptr;
  const Real* theta = nullptr;
};
template <class Real>
struct GeometryArraysOf {
  Real* gap = nullptr;
  Real* gap_theta = nullptr;
  Real* gap_x = nullptr;
  Real* gap_y = nullptr;
  Real* arm = nullptr;
};
using PoseArrays = PoseArraysOf<float>;
using GeometryArrays = GeometryArraysOf<float>;

// The poses one map answers: [first, first + count).
struct PoseRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

}  // namespace scree
