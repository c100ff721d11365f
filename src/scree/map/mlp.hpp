#pragma once
// A small multilayer perceptron R^n -> R evaluated for blocks of samples, with its gradient by reverse mode:
//
//   a_0 = input,  z_l = W_l a_{l-1} + b_l,  a_l = s(z_l) for l = 1 .. hidden,  value = w.a_hidden + b
//   silu(z) = z / (1 + exp(-z)),  relu(z) = max(z, 0)
//   g_hidden = w,  g_{l-1} = W_l^T (s'(z_l) * g_l),  gradient = g_0
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "scree/map/mlp_floats.hpp"

namespace scree {

enum class Activation { relu, silu };

std::string_view to_string(Activation activation);

struct MlpShape {
  int inputs = 4;  // 3 or 4
  int hidden = 5;  // hidden layers, 1 to max_hidden
  int width = 64;  // units of each, 32 or 64: the kernels are compiled for these
  Activation activation = Activation::silu;

  int layers() const { return hidden + 1; }
  int rows(int layer) const { return layer == hidden ? 1 : width; }
  int columns(int layer) const { return layer == 0 ? inputs : width; }
  std::size_t weight_offset(int layer) const;
  std::size_t bias_offset(int layer) const;
  std::size_t parameter_count() const { return weight_offset(layers()); }

  static constexpr int max_hidden = 8;
  static constexpr int max_width = 64;
  static constexpr int max_inputs = 4;
};

// Throws Error(input), naming `where`, for a shape no kernel exists for.
void check_shape(const MlpShape& shape, const std::string& where);

// Parameters lie in one array: per layer the weight [out][in] row-major (as PyTorch's Linear), then the bias [out].
struct Mlp {
  MlpShape shape;
  FloatArray parameters;

  Mlp() = default;
  explicit Mlp(const MlpShape& s) : shape(s), parameters(s.parameter_count()) {}

  std::span<float> weight(int layer) { return {parameters.data() + shape.weight_offset(layer), weight_size(layer)}; }
  std::span<const float> weight(int layer) const {
    return {parameters.data() + shape.weight_offset(layer), weight_size(layer)};
  }
  std::span<float> bias(int layer) { return {parameters.data() + shape.bias_offset(layer), rows(layer)}; }
  std::span<const float> bias(int layer) const { return {parameters.data() + shape.bias_offset(layer), rows(layer)}; }

 private:
  std::size_t rows(int layer) const { return static_cast<std::size_t>(shape.rows(layer)); }
  std::size_t weight_size(int layer) const { return rows(layer) * static_cast<std::size_t>(shape.columns(layer)); }
};

// Samples of a block. Its lanes run through the same instructions, so the result of a sample depends on nothing else.
inline constexpr int mlp_block = 16;

// One block. `input` and `gradient` are [inputs][16], `value` is [16], all aligned to 64 bytes. A null `gradient` skips
// the reverse pass. Allocates nothing.
void evaluate_block(const Mlp& net, const float* input, float* value, float* gradient);

// exp(x[i]) in place for a whole number of blocks, by the kernel's polynomial: relative error below 1e-6 for x in
// [-87, 88], clamped beyond.
void exp_blocks(std::span<float> x);

// In place: x becomes silu(x), slope gets the derivative. Both hold n values, aligned to 64 bytes, n a multiple of 16.
void silu_blocks(float* x, float* slope, std::size_t n);

}  // namespace scree
