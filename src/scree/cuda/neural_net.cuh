#pragma once
// One net on one tile of 32 samples, in the registers of one warp; see neural_mma.cuh for who holds what.
#include "scree/cuda/neural_mma.cuh"
#include "scree/cuda/neural_pack.hpp"

#ifndef LAYER_UNROLL
#define LAYER_UNROLL 1
#endif
namespace scree::neural {
constexpr int layer_unroll = LAYER_UNROLL;
#ifndef GROUP
#define GROUP 1
#endif
#ifndef FIXED
#define FIXED 0
#endif
#ifndef TANH
#define TANH 0
#endif
__device__ inline std::uint32_t pack_slopes(float a, float b) {
  if (!FIXED) return pack_halves(a, b);
  return __byte_perm(__float_as_uint(fmaf(a, 32768.0f, 8396800.0f)), __float_as_uint(fmaf(b, 32768.0f, 8396800.0f)),
                     0x5410);
}
__device__ inline float2 unpack_slopes(std::uint32_t p) {
  if (!FIXED) return unpack_halves(p);
  return {fmaf(__uint_as_float(__byte_perm(p, 0x4b000000, 0x7610)), 0x1p-15f, -256.25f),
          fmaf(__uint_as_float(__byte_perm(p, 0x4b000000, 0x7632)), 0x1p-15f, -256.25f)};
}
__device__ inline void coarse_silu(float& z) {
  const float h = 0.5f * z;
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(h));
  z = fmaf(h, t, h);
}

// z becomes s(z); returns s'(z). silu' = g + silu (1 - g) with g = 1 / (1 + exp(-z)).
__device__ inline float silu(float& z) {
  float power, g;  // both good to two units in the last place; exp(-z) may be infinite, then g is 0
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-1.44269504f * z));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(g) : "f"(1.0f + power));
  z *= g;
  return fmaf(z, 1.0f - g, g);
}

// Slopes of the activations of a layer, kept from the forward to the reverse pass in shared memory. A lane reads what
// it wrote itself. SiLU: as halves. ReLU: one bit each, set where the slope is 0.
template <Activation kind, int width>
class Slopes {
 public:
  static constexpr int blocks = width / 16;
  static constexpr int layer_words = kind == Activation::silu ? slabs * blocks * 4 * 32 : slabs * 32;

  __device__ Slopes(std::uint32_t* words, int lane) : words_(words), lane_(lane) {}

  // Activates 16 columns in place and notes the slopes. Blocks of a layer come in order.
  __device__ void activate(int layer, int block, Sums& z) {
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab) {
      if constexpr (kind == Activation::silu) {
        uint4 packed;
        std::uint32_t* out = &packed.x;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float(&pair)[4] = z[slab][i / 2];
          const float s0 = silu(pair[i % 2 * 2]), s1 = silu(pair[i % 2 * 2 + 1]);
          out[i] = pack_slopes(s0, s1);
        }
        at(layer)[(slab * blocks + block) * 32] = packed;
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          float& value = z[slab][i / 4][i % 4];
          bits_[slab] = __funnelshift_l(__float_as_uint(value), bits_[slab], 1);
          value = fmaxf(value, 0.0f);
        }
        if (block == blocks - 1) words_[(layer * slabs + slab) * 32 + lane_] = bits_[slab];
      }
    }
  }

  // Multiplies 16 columns of a gradient by the slopes. Blocks come in order.
  __device__ void apply(int layer, int block, Sums& g) {
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab) {
      if constexpr (kind == Activation::silu) {
        const uint4 packed = at(layer)[(slab * blocks + block) * 32];
        const std::uint32_t* in = &packed.x;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float2 s = unpack_slopes(in[i]);
          g[slab][i / 2][i % 2 * 2] *= s.x;
          g[slab][i / 2][i % 2 * 2 + 1] *= s.y;
        }
      } else {
        if (block == 0) bits_[slab] = words_[(layer * slabs + slab) * 32 + lane_];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          float& value = g[slab][i / 4][i % 4];
          if (bits_[slab] >> (8 * blocks - 1 - 8 * block - i) & 1) value = 0;
        }
      }
    }
  }

 private:
  __device__ uint4* at(int layer) { return reinterpret_cast<uint4*>(words_ + layer * layer_words) + lane_; }

  std::uint32_t* words_;
  int lane_;
  std::uint32_t bits_[slabs] = {};
};

// The terms of the split that a pass takes along: 1 is h h, 2 adds (high operand)(low weight), 3 adds l h.
template <int terms, bool transposed, int count, int steps>
__device__ inline void product(Sums (&sums)[count], const Operand<steps>& high, const Operand<steps>& low,
                               std::uint32_t address, std::uint32_t low_offset, int step_bytes, int block_bytes) {
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    Weights h[count], l[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::uint32_t at = address + step * step_bytes + i * block_bytes;
      h[i] = transposed ? load_weights_transposed(at) : load_weights(at);
      if (terms >= 2) l[i] = transposed ? load_weights_transposed(at + low_offset) : load_weights(at + low_offset);
    }
#pragma unroll
    for (int term = 0; term < terms; ++term) {
#pragma unroll
      for (int i = 0; i < count * slabs; ++i) {
        const int slab = i % slabs;
        multiply(sums[i / slabs], (term == 2 ? low : high).part[slab][step], slab,
                 term == 1 ? l[i / slabs] : h[i / slabs]);
      }
    }
  }
}

template <bool with_low, int steps>
__device__ inline void to_operand(const Sums& sums, int step, Operand<steps>& high, Operand<steps>& low) {
#pragma unroll
  for (int slab = 0; slab < slabs; ++slab) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float first = sums[slab][i / 2][i % 2 * 2], second = sums[slab][i / 2][i % 2 * 2 + 1];
      high.part[slab][step][i] = pack_halves(first, second);
      if constexpr (with_low) low.part[slab][step][i] = pack_rest(first, second, high.part[slab][step][i]);
    }
  }
}

// A net in shared memory. `gradient_terms` is 0 for a net that is only evaluated.
template <Activation kind, int hidden, int width, int value_terms, int gradient_terms>
class TileNet {
 public:
  SCREE_HD static constexpr NetLayout layout() { return {hidden, width, value_terms > 1 || gradient_terms > 1}; }
  static constexpr int steps = width / 16;
  static constexpr int group = GROUP;
  static constexpr int slope_words = gradient_terms > 0 ? (hidden - 1) * Slopes<kind, width>::layer_words : 0;

  // `slopes`: slope_words of this warp's own.
  __device__ TileNet(const std::uint32_t* words, std::uint32_t* slopes, int lane)
      : words_(words),
        slopes_(slopes, lane),
        lane_(lane),
        base_(static_cast<std::uint32_t>(__cvta_generic_to_shared(words))) {}

  // The last layer's dot products, without its bias: value[slab][0] for row g, [1] for row g + 8, in each lane of a
  // quad. Leaves the derivative by z of the last hidden layer in `reverse` for `gradient`.
  __device__ void value(const Operand<1>& input, float (&value)[slabs][2]) {
    Operand<steps> high, low;
    first(input, high, low);
#pragma unroll layer_unroll
    for (int layer = 1; layer < hidden - 1; ++layer) {
      Operand<steps> next_high, next_low;
#pragma unroll
      for (int block = 0; block < steps; block += group) {
        Sums z[group];
        hidden_sums(layer, block, high, low, z);
#pragma unroll
        for (int i = 0; i < group; ++i) {
          activate(layer, block + i, z[i]);
          to_operand<(value_terms > 2)>(z[i], block + i, next_high, next_low);
        }
      }
      high = next_high;
      low = next_low;
    }
    last(high, low, value);
  }

  // After `value`: the derivative by the inputs; sums[slab][0] has inputs 2 t and 2 t + 1 (t < 2) of rows g and g + 8.
  __device__ void gradient(Sums& sums) {
    const std::uint32_t lane_at = base_ + lane_offset_transposed(lane_, layout().row());
#pragma unroll layer_unroll
    for (int layer = hidden - 1; layer > 0; --layer) {
      Operand<steps> next, next_low;
      const std::uint32_t at = lane_at + 4 * layout().high(layer);
#pragma unroll
      for (int block = 0; block < steps; block += group) {
        Sums g[group] = {};
        product<gradient_terms, true>(g, reverse_, reverse_low_, at + 32 * block, 4 * layout().part(),
                                      32 * layout().row(), 32);
#pragma unroll
        for (int i = 0; i < group; ++i) {
          slopes_.apply(layer - 1, block + i, g[i]);
          to_operand<(gradient_terms > 2)>(g[i], block + i, next, next_low);
        }
      }
      reverse_ = next;
      reverse_low_ = next_low;
    }
    Sums both[1] = {};  // high and low part of the first layer's weights, side by side
    const std::uint32_t at = base_ + lane_offset_transposed(lane_, NetLayout::first_row);
    product<1, true>(both, reverse_, reverse_, at, 0, 32 * NetLayout::first_row, 0);
    if (gradient_terms > 2) product<1, true>(both, reverse_low_, reverse_, at, 0, 32 * NetLayout::first_row, 0);
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[slab][0][i] = both[0][slab][0][i] + both[0][slab][1][i];
    }
  }

 private:
  __device__ float2 pair_at(int word, int column) const {  // columns 2 t and 2 t + 1 past `column`
    return *reinterpret_cast<const float2*>(&words_[word + column + 2 * (lane_ % 4)]);
  }

  __device__ static float activate_one(float& z) {
    if constexpr (kind == Activation::relu) {
      z = fmaxf(z, 0.0f);
      return 0;
    } else if constexpr (TANH && gradient_terms == 0) {
      coarse_silu(z);
      return 0;
    } else {
      return silu(z);
    }
  }

  __device__ void activate(int layer, int block, Sums& z) {
    if constexpr (gradient_terms > 0) {
      slopes_.activate(layer, block, z);
    } else {
#pragma unroll
      for (int i = 0; i < 8 * slabs; ++i) {
        float& value = z[i / 8][i / 4 % 2][i % 4];
        activate_one(value);
      }
    }
  }

  __device__ void first(const Operand<1>& input, Operand<steps>& high, Operand<steps>& low) {
    const std::uint32_t at = base_ + lane_offset(lane_, NetLayout::first_row);
#pragma unroll
    for (int block = 0; block < steps; ++block) {
      Sums z[1] = {};
      product<1, false>(z, input, input, at + 32 * NetLayout::first_row * block, 0, 0, 0);
      activate(0, block, z[0]);
      to_operand<(value_terms > 2)>(z[0], block, high, low);
    }
  }

  __device__ void hidden_sums(int layer, int block, const Operand<steps>& high, const Operand<steps>& low,
                              Sums (&z)[group]) {
    const std::uint32_t at = base_ + 4 * layout().high(layer) + lane_offset(lane_, layout().row());
#pragma unroll
    for (int tile = 0; tile < 2 * group; ++tile) {
      const float2 bias = pair_at(layout().bias(layer), 16 * block + 8 * tile);
#pragma unroll
      for (int slab = 0; slab < slabs; ++slab) {
        float(&sums)[4] = z[tile / 2][slab][tile % 2];
        sums[0] = sums[2] = bias.x;
        sums[1] = sums[3] = bias.y;
      }
    }
    product<value_terms, false>(z, high, low, at + 32 * layout().row() * block, 4 * layout().part(), 32,
                                32 * layout().row());
  }

  __device__ void last(const Operand<steps>& high, const Operand<steps>& low, float (&value)[slabs][2]) {
#pragma unroll
    for (int slab = 0; slab < slabs; ++slab) value[slab][0] = value[slab][1] = 0;
#pragma unroll
    for (int block = 0; block < steps; block += group) {
      Sums z[group];
      hidden_sums(hidden - 1, block, high, low, z);
#pragma unroll
      for (int i = 0; i < group; ++i) {
        finish(block + i, z[i], value);
        if constexpr (gradient_terms > 0) to_operand<(gradient_terms > 2)>(z[i], block + i, reverse_, reverse_low_);
      }
    }
#pragma unroll
    for (int i = 0; i < 2 * slabs; ++i) {
      float& v = value[i / 2][i % 2];
      v += __shfl_xor_sync(~0u, v, 1);
      v += __shfl_xor_sync(~0u, v, 2);
    }
  }

  // 16 columns of the last hidden layer: adds to the value, and leaves the value's derivative by z in z.
  __device__ void finish(int block, Sums& z, float (&value)[slabs][2]) {
#pragma unroll
    for (int i = 0; i < 8 * slabs; ++i) {
      const int slab = i / 8, tile = i / 4 % 2, element = i % 4;
      const float2 w2 = pair_at(layout().last(), 16 * block + 8 * tile);
      const float w = element % 2 ? w2.y : w2.x;
      float& a = z[slab][tile][element];
      const bool positive = a > 0;
      const float slope = activate_one(a);
      value[slab][element / 2] = fmaf(w, a, value[slab][element / 2]);
      a = kind == Activation::silu ? w * slope : positive ? w : 0.0f;
    }
  }

  const std::uint32_t* words_;
  Slopes<kind, width> slopes_;
  int lane_;
  std::uint32_t base_;
  Operand<steps> reverse_, reverse_low_;
};

}  // namespace scree::neural
