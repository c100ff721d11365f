#pragma once
// Activations of a tile, and their slopes kept from the forward to the reverse pass.
#include "scree/cuda/neural_mma.cuh"
#include "scree/map/mlp.hpp"

namespace scree::neural {

// z becomes silu(z); returns the derivative g + silu (1 - g), g = 1 / (1 + exp(-z)). Good to a few units in the last
// place; exp(-z) may be infinite, then g is 0.
__device__ inline float silu(float& z) {
  float power, g;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-1.44269504f * z));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(g) : "f"(1.0f + power));
  z *= g;
  return fmaf(z, 1.0f - g, g);
}

// silu(z) = (z / 2) (1 + tanh(z / 2)) by the hardware's tanh: 2^-11 relative, as exact as the halves that follow.
__device__ inline void coarse_silu(float& z) {
  const float half = 0.5f * z;
  float tangent;
  asm("tanh.approx.f32 %0, %1;" : "=f"(tangent) : "f"(half));
  z = fmaf(half, tangent, half);
}

// Two slopes of SiLU, in [-0.1, 1.1], in 16-bit fixed point of step 2^-15: halves would be ten times coarser near 1.
// Adding 2^23 leaves the rounded integer in the low bits of a float.
__device__ inline std::uint32_t pack_slopes(float first, float second) {
  constexpr float offset = 8388608.0f + 8192.0f;
  return __byte_perm(__float_as_uint(fmaf(first, 32768.0f, offset)), __float_as_uint(fmaf(second, 32768.0f, offset)),
                     0x5410);
}

__device__ inline float2 unpack_slopes(std::uint32_t packed) {
  constexpr float offset = (8388608.0f + 8192.0f) / 32768.0f;
  return {fmaf(__uint_as_float(__byte_perm(packed, 0x4b000000, 0x7610)), 1 / 32768.0f, -offset),
          fmaf(__uint_as_float(__byte_perm(packed, 0x4b000000, 0x7632)), 1 / 32768.0f, -offset)};
}

// The slopes of a net in shared memory; a lane reads what it wrote itself. SiLU: fixed point. ReLU: one bit each, set
// where the slope is 0.
template <Activation kind, int width>
class Slopes {
 public:
  static constexpr int blocks = width / 16;
  static constexpr int layer_words = kind == Activation::silu ? blocks * 4 * 32 : 32;

  __device__ Slopes(std::uint32_t* words, int lane) : words_(words), lane_(lane) {}

  // Activates 16 columns in place and notes the slopes. Blocks of a layer come in order.
  __device__ void activate(int layer, int block, Sums& z) {
    if constexpr (kind == Activation::silu) {
      std::uint32_t packed[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float first = silu(z[i / 2][i % 2 * 2]), second = silu(z[i / 2][i % 2 * 2 + 1]);
        packed[i] = pack_slopes(first, second);
      }
      *at(layer, block) = {packed[0], packed[1], packed[2], packed[3]};
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        float& value = z[i / 4][i % 4];
        bits_ = __funnelshift_l(__float_as_uint(value), bits_, 1);  // takes in the sign
        value = fmaxf(value, 0.0f);
      }
      if (block == blocks - 1) words_[layer * layer_words + lane_] = bits_;
    }
  }

  // Multiplies 16 columns of a gradient by the slopes. Blocks come in order.
  __device__ void apply(int layer, int block, Sums& g) {
    if constexpr (kind == Activation::silu) {
      const uint4 read = *at(layer, block);
      const std::uint32_t packed[4] = {read.x, read.y, read.z, read.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 s = unpack_slopes(packed[i]);
        g[i / 2][i % 2 * 2] *= s.x;
        g[i / 2][i % 2 * 2 + 1] *= s.y;
      }
    } else {
      if (block == 0) bits_ = words_[layer * layer_words + lane_];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if (bits_ >> (8 * blocks - 1 - 8 * block - i) & 1) g[i / 4][i % 4] = 0;
      }
    }
  }

 private:
  __device__ uint4* at(int layer, int block) {
    return reinterpret_cast<uint4*>(words_ + layer * layer_words) + block * 32 + lane_;
  }

  std::uint32_t* words_;
  int lane_;
  std::uint32_t bits_ = 0;
};

}  // namespace scree::neural
