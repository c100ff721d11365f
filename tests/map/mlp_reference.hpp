#pragma once
// A perceptron evaluated the slow way, in double precision and by forward mode, from the definition in map/mlp.hpp:
// what the kernels and the trainer are tested against. Shares no code with them.
#include <cmath>
#include <cstddef>
#include <vector>

#include "scree/base/rng.hpp"
#include "scree/map/mlp.hpp"

namespace scree::test {

struct Reference {
  double value = 0;
  std::vector<double> gradient;  // by input
};

// `parameters` in the order of Mlp::parameters.
inline Reference evaluate_reference(const MlpShape& shape, const std::vector<double>& parameters,
                                    const std::vector<double>& input) {
  const std::size_t n = input.size();
  std::vector<double> a = input;
  std::vector<std::vector<double>> da(n, std::vector<double>(n, 0.0));  // da[i][j] = d a_i / d input_j
  for (std::size_t i = 0; i < n; ++i) da[i][i] = 1;
  std::size_t at = 0;
  for (int layer = 0; layer < shape.layers(); ++layer) {
    const auto rows = static_cast<std::size_t>(shape.rows(layer));
    const std::size_t columns = a.size();
    std::vector<double> next(rows);
    std::vector<std::vector<double>> dnext(rows, std::vector<double>(n, 0.0));
    for (std::size_t o = 0; o < rows; ++o) {
      double z = parameters[at + rows * columns + o];
      std::vector<double> dz(n, 0.0);
      for (std::size_t i = 0; i < columns; ++i) {
        const double w = parameters[at + o * columns + i];
        z += w * a[i];
        for (std::size_t j = 0; j < n; ++j) dz[j] += w * da[i][j];
      }
      double slope = 1;
      next[o] = z;
      if (layer < shape.hidden && shape.activation == Activation::silu) {
        const double g = 1 / (1 + std::exp(-z));
        next[o] = z * g;
        slope = g * (1 + z * (1 - g));
      } else if (layer < shape.hidden) {
        next[o] = z > 0 ? z : 0;
        slope = z > 0 ? 1 : 0;
      }
      for (std::size_t j = 0; j < n; ++j) dnext[o][j] = slope * dz[j];
    }
    at += rows * columns + rows;
    a = next;
    da = dnext;
  }
  return {a[0], da[0]};
}

inline std::vector<double> widened(const FloatArray& v) { return {v.begin(), v.end()}; }

// Weights of the size training starts from.
inline Mlp random_net(const MlpShape& shape, std::uint64_t seed) {
  Mlp net(shape);
  Rng rng(seed);
  for (int l = 0; l < shape.layers(); ++l) {
    const double size = std::sqrt(2.0 / shape.columns(l));
    for (float& w : net.weight(l)) w = static_cast<float>(size * rng.normal());
    for (float& b : net.bias(l)) b = static_cast<float>(0.3 * rng.normal());
  }
  return net;
}

}  // namespace scree::test
