#pragma once
// One net on one tile of 16 samples, in the registers of one warp; neural_mma.cuh says who holds what. On Hopper wide
// nets are multiplied for the tiles of four warps together (neural_group.cuh): these must call in step.
#include "scree/cuda/neural_activation.cuh"
#include "scree/cuda/neural_group.cuh"
#include "scree/cuda/neural_pack.hpp"

namespace scree::neural {

// What a net is asked for, and so how precisely its products are taken.
enum class Task {
  gradient,  // value and gradient, three terms of the split throughout
  value,     // value alone, high parts alone
};

// A net in shared memory.
template <Activation kind, int hidden, int width, Task task>
class TileNet {
 public:
  static constexpr bool precise = task == Task::gradient;
  static constexpr int terms = precise ? 3 : 1;
  static constexpr int steps = width / 16;
  static constexpr bool grouped = has_groups && precise && width == group_width;
  static constexpr int together = grouped ? steps : 2;  // blocks of 16 columns whose sums are under way together
  static constexpr int slope_words = precise ? (hidden - 1) * Slopes<kind, width>::layer_words : 0;
  SCREE_HD static constexpr NetLayout layout() { return {hidden, width, precise}; }

  // `slopes`: slope_words of this warp's own.
  __device__ TileNet(const std::uint32_t* words, std::uint32_t* slopes, int lane)
      : words_(words),
        slopes_(slopes, lane),
        lane_(lane),
        base_(static_cast<std::uint32_t>(__cvta_generic_to_shared(words))) {}

  // The last layer's dot products, without its bias: value[0] for row g, [1] for row g + 8, in each lane of a quad.
  __device__ void value(const Operand<1>& input, float (&value)[2]) {
    Operand<steps> high, low;
    first(input, high, low);
    // Not unrolled: the code of all layers together would not fit the instruction cache.
#pragma unroll 1
    for (int layer = 1; layer < hidden - 1; ++layer) {
      Operand<steps> next_high, next_low;
#pragma unroll
      for (int block = 0; block < steps; block += together) {
        Sums z[together];
        hidden_sums(layer, block, high, low, z);
#pragma unroll
        for (int i = 0; i < together; ++i) {
          activate(layer, block + i, z[i]);
          to_operand<precise>(z[i], block + i, next_high, next_low);
        }
      }
      high = next_high;
      low = next_low;
    }
    last(high, low, value);
  }

  // After `value`: the derivative by the inputs; sums[0], [1] are by inputs 2 t and 2 t + 1 (t < 2) in row g, [2], [3]
  // in row g + 8.
  __device__ void gradient(float (&sums)[4]) {
    static_assert(precise);
#pragma unroll 1
    for (int layer = hidden - 1; layer > 0; --layer) {
      Operand<steps> next_high, next_low;
#pragma unroll
      for (int block = 0; block < steps; block += together) {
        Sums g[together] = {};
        multiply_layer<true>(g, layer, block, reverse_high_, reverse_low_);
#pragma unroll
        for (int i = 0; i < together; ++i) {
          slopes_.apply(layer - 1, block + i, g[i]);
          to_operand<true>(g[i], block + i, next_high, next_low);
        }
      }
      reverse_high_ = next_high;
      reverse_low_ = next_low;
    }
    Sums both[1] = {};  // by the high and the low part of the first layer's weights, which lie side by side
    const std::uint32_t lane_at = first_layer<true>();
    const auto at = [=](int step, int) { return lane_at + 32 * NetLayout::first_row * step; };
    product<1, true>(both, reverse_high_, reverse_low_, at, 0);
    product<1, true>(both, reverse_low_, reverse_low_, at, 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = both[0][0][i] + both[0][1][i];
  }

 private:
  __device__ float2 pair_at(int word, int column) const {  // columns 2 t and 2 t + 1 past `column`
    return *reinterpret_cast<const float2*>(&words_[word + column + 2 * (lane_ % 4)]);
  }

  __device__ static void activate_one(float& z) {
    if constexpr (kind == Activation::silu) {
      coarse_silu(z);
    } else {
      z = fmaxf(z, 0.0f);
    }
  }

  __device__ void activate(int layer, int block, Sums& z) {
    if constexpr (precise) {
      slopes_.activate(layer, block, z);
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) activate_one(z[i / 4][i % 4]);
    }
  }

  __device__ void first(const Operand<1>& input, Operand<steps>& high, Operand<steps>& low) {
    const std::uint32_t lane_at = first_layer<false>();
#pragma unroll
    for (int block = 0; block < steps; ++block) {
      Sums z[1] = {};
      product<1, false>(
          z, input, input, [=](int, int) { return lane_at + 32 * NetLayout::first_row * block; }, 0);
      activate(0, block, z[0]);
      to_operand<precise>(z[0], block, high, low);
    }
  }

  __device__ void hidden_sums(int layer, int block, const Operand<steps>& high, const Operand<steps>& low,
                              Sums (&z)[together]) {
#pragma unroll
    for (int tile = 0; tile < 2 * together; ++tile) {
      const float2 bias = pair_at(layout().bias(layer), 16 * block + 8 * tile);
      float(&sums)[4] = z[tile / 2][tile % 2];
      sums[0] = sums[2] = bias.x;
      sums[1] = sums[3] = bias.y;
    }
    multiply_layer<false>(z, layer, block, high, low);
  }

  // Adds the columns of blocks from `block`, of operand x weights of a hidden layer.
  template <bool transposed>
  __device__ void multiply_layer(Sums (&sums)[together], int layer, int block, const Operand<steps>& high,
                                 const Operand<steps>& low) {
    const std::uint32_t matrix = base_ + 4 * layout().high(layer);
    if constexpr (grouped) {
      group_product<terms, transposed>(sums, high, low, matrix);
    } else {
      const Named named = named_by<transposed>(lane_);
      const std::uint32_t lane_at = matrix + 2 * layout().half(named.row, named.column);
      // Pieces of 128 bytes change places, so a move along a row is a change of bits.
      const auto at = [=](int step, int i) {
        const int down = transposed ? step : block + i, along = transposed ? block + i : step;
        return (lane_at ^ 32 * along) + 32 * width * down;
      };
      product<terms, transposed>(sums, high, low, at, 4 * layout().part());
    }
  }

  template <bool transposed>
  __device__ std::uint32_t first_layer() const {
    const Named named = named_by<transposed>(lane_);
    return base_ + 4 * layout().first() + 2 * (named.row * NetLayout::first_row + named.column);
  }

  __device__ void last(const Operand<steps>& high, const Operand<steps>& low, float (&value)[2]) {
    value[0] = value[1] = 0;
#pragma unroll
    for (int block = 0; block < steps; block += together) {
      Sums z[together];
      hidden_sums(hidden - 1, block, high, low, z);
#pragma unroll
      for (int i = 0; i < together; ++i) {
        finish(block + i, z[i], value);
        if constexpr (precise) to_operand<true>(z[i], block + i, reverse_high_, reverse_low_);
      }
    }
#pragma unroll
    for (float& v : value) {
      v += __shfl_xor_sync(~0u, v, 1);
      v += __shfl_xor_sync(~0u, v, 2);
    }
  }

  // 16 columns of the last hidden layer: adds to the value, and leaves the value's derivative by z in z.
  __device__ void finish(int block, Sums& z, float (&value)[2]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float2 pair = pair_at(layout().last(), 16 * block + 8 * (i / 4));
      const float w = i % 2 ? pair.y : pair.x;
      float& a = z[i / 4][i % 4];
      float slope = a > 0 ? 1.0f : 0.0f;
      if constexpr (precise && kind == Activation::silu) {
        slope = silu(a);
      } else {
        activate_one(a);
      }
      float& sum = value[i % 4 / 2];
      sum = fmaf(w, a, sum);
      a = w * slope;
    }
  }

  const std::uint32_t* words_;
  Slopes<kind, width> slopes_;
  int lane_;
  std::uint32_t base_;
  Operand<steps> reverse_high_, reverse_low_;  // derivative of the value by z, between `value` and `gradient`
};

}  // namespace scree::neural
