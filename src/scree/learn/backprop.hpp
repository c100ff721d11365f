#pragma once
// Loss of a perceptron over a chunk of samples and its gradient with respect to every parameter.
//
//   loss = sum_s (y_s - t_s)^2 + lambda sum_s sum_k (D_k y_s - g_sk)^2
//
// The second sum, over directions k = 0 .. 2 (x, y, theta), matches the gradient. Directional derivatives travel as
// tangents beside the values: D_k z = W D_k a, D_k a' = s'(z) D_k z; so one set of matrix products serves both, and the
// reverse pass needs s'' once: dz = s' da + sum_k s''(z) D_k z d(D_k a).
#include <cstddef>
#include <span>

#include "scree/map/mlp.hpp"

namespace scree {

struct ChunkData {
  std::size_t count = 0;             // samples
  const float* input = nullptr;      // [count][inputs]
  const float* target = nullptr;     // [count]
  const float* tangent = nullptr;    // [3][count][inputs]: D_k of the input; null without gradient matching
  const float* direction = nullptr;  // [3][count]: g
};

struct ChunkLoss {
  double value = 0;
  double gradient = 0;  // the second sum, without lambda
};

// `gradient` (as many as parameters, aligned to 64 bytes) is overwritten. The result depends on nothing but the
// arguments.
ChunkLoss backpropagate(const Mlp& net, const ChunkData& data, double lambda, std::span<float> gradient);

}  // namespace scree
