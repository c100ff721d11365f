#include "scree/base/spline.hpp"

#include <cmath>

namespace scree {
namespace {

const double pole = std::sqrt(3.0) - 2.0;

}  // namespace

void prefilter_mirror(double* samples, std::size_t n, std::size_t stride) {
  if (n < 2) return;
  const auto at = [&](std::size_t k) -> double& { return samples[k * stride]; };
  // Start of the causal recursion: sum over the mirrored signal, period 2n - 2.
  double start = at(0), power = pole;
  for (std::size_t k = 1; k < 2 * n - 2 && std::abs(power) > 1e-17; ++k, power *= pole)
    start += power * at(k < n ? k : 2 * n - 2 - k);
  const double total = std::pow(pole, static_cast<double>(2 * n - 2));
  at(0) = 6 * start / (1 - total);
  for (std::size_t k = 1; k < n; ++k) at(k) = 6 * at(k) + pole * at(k - 1);
  at(n - 1) = (pole / (pole * pole - 1)) * (at(n - 1) + pole * at(n - 2));
  for (std::size_t k = n - 1; k-- > 0;) at(k) = pole * (at(k + 1) - at(k));
}

}  // namespace scree
