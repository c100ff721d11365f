#include "scree/learn/adam.hpp"

#include <cmath>
#include <numbers>

#include "scree/learn/eigen.hpp"

namespace scree {

void Adam::step(std::span<float> parameters, std::span<const float> gradient, double rate) {
  constexpr float b1 = 0.9f, b2 = 0.99f;
  decay1_ *= b1;
  decay2_ *= b2;
  const auto n = static_cast<Eigen::Index>(parameters.size());
  Eigen::Map<Eigen::ArrayXf> p(parameters.data(), n), m(mean_.data(), n), v(square_.data(), n);
  const Eigen::Map<const Eigen::ArrayXf> g(gradient.data(), n);
  m = b1 * m + (1 - b1) * g;
  v = b2 * v + (1 - b2) * g.square();
  const auto scale = static_cast<float>(rate / (1 - decay1_));
  const auto correction = static_cast<float>(1 / (1 - decay2_));
  p -= scale * m / ((v * correction).sqrt() + 1e-8f);
}

double one_cycle_rate(double peak, std::size_t step, std::size_t steps) {
  const double t = (static_cast<double>(step) + 1) / static_cast<double>(steps);
  constexpr double rise = 0.05, floor = 1e-3;
  if (t < rise) return peak * t / rise;
  const double fall = 0.5 * (1 + std::cos(std::numbers::pi * (t - rise) / (1 - rise)));
  return peak * (floor + (1 - floor) * fall);
}

}  // namespace scree
