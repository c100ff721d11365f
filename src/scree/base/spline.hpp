#pragma once
// Uniform cubic B-splines: f(u) = sum_k c_k B3(u - k). C2; four coefficients act on one interval.
#include <array>
#include <cstddef>

#include "scree/base/macros.hpp"

namespace scree {

// Weights of the coefficients floor(u)-1 ... floor(u)+2 at u = floor(u) + t, and their derivatives with respect to u.
template <class T>
struct CubicWeightsOf {
  std::array<T, 4> value;
  std::array<T, 4> slope;

  SCREE_HD explicit CubicWeightsOf(T t) {
    const T s = T(1) - t, t2 = t * t, s2 = s * s;
    value = {s2 * s, T(4) - T(3) * t2 * (T(2) - t), T(4) - T(3) * s2 * (T(2) - s), t2 * t};
    for (int k = 0; k < 4; ++k) value[static_cast<std::size_t>(k)] /= T(6);  // side by side
    slope = {-s2 / T(2), t * (T(1.5) * t - T(2)), -s * (T(1.5) * s - T(2)), t2 / T(2)};
  }
};
using CubicWeights = CubicWeightsOf<double>;

// Replaces samples f(0) ... f(n-1) by the coefficients of the interpolating spline (M. Unser, "Splines: a perfect fit",
// 1999: a causal and an anti-causal recursion with the pole sqrt(3) - 2). The samples are n values `stride` apart.
// Beyond the ends f continues as its mirror image: f(-k) = f(k).
void prefilter_mirror(double* samples, std::size_t n, std::size_t stride);
// A line that goes on differently (a periodic one) is given with this many extra samples at each end: what the mirror
// gets wrong has decayed by 0.268^26 = 1e-15 where they stop.
inline constexpr std::size_t prefilter_margin = 26;

}  // namespace scree
