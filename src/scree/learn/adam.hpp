#pragma once
// Adam (Kingma and Ba 2015) on one array of parameters, which like the gradient starts at a multiple of 64 bytes.
//
//   m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,  p -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8)
#include <cstddef>
#include <span>

#include "scree/map/mlp_floats.hpp"

namespace scree {

class Adam {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters), square_(parameters) {}

  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

 private:
  FloatArray mean_;
  FloatArray square_;
  double decay1_ = 1;  // b1^t
  double decay2_ = 1;
};

// One cycle: a linear rise over the first 5 % of the steps, then half a cosine from `peak` down to `peak / 1000`.
double one_cycle_rate(double peak, std::size_t step, std::size_t steps);

}  // namespace scree
