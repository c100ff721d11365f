#pragma once
// Squared error of a perceptron over a chunk of samples and its gradient with respect to every parameter.
//
//   loss = sum_s (y_s - t_s)^2
//   r = 2 (y - t);  d z_L = w r;  d W_l = (d z_l) a_{l-1}^T,  d b_l = sum_s d z_l,  d z_{l-1} = s'(z_{l-1}) * W_l^T d
//   z_l
#include <cstddef>
#include <span>

#include "scree/map/mlp.hpp"

namespace scree {

struct ChunkData {
  std::size_t count = 0;          // samples
  const float* input = nullptr;   // [count][inputs]
  const float* target = nullptr;  // [count]
};

// The loss. `gradient` (as many as parameters) is overwritten. All arrays are aligned to 64 bytes; then the bits depend
// on nothing but their contents. No allocation once a thread has seen a chunk of this size.
double backpropagate(const Mlp& net, const ChunkData& data, std::span<float> gradient);

}  // namespace scree
