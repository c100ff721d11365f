#pragma once
// Inner loops of the perceptron: one block of 16 samples, one sample a lane. A dense layer keeps `tile` output rows in
// registers and runs over its inputs, so that each step is a broadcast weight times a vector of samples; weights are
// used where they lie, forward by columns and backward by rows, without a second, packed copy.
#include <cstdint>

#include "scree/map/mlp.hpp"

namespace scree::mlp {

#if defined(__AVX512F__)
inline constexpr int lanes = 16;
inline constexpr int tile = 16;
#elif defined(__AVX__)
inline constexpr int lanes = 8;
inline constexpr int tile = 4;
#else
inline constexpr int lanes = 4;
inline constexpr int tile = 2;
#endif
inline constexpr int vectors = mlp_block / lanes;  // vectors that hold one value for each sample of a block

using Lanes = float __attribute__((vector_size(lanes * sizeof(float)), may_alias));
using BitLanes = std::uint32_t __attribute__((vector_size(lanes * sizeof(std::uint32_t)), may_alias));

// Always inlined: a vector type in a real call would depend on the compiler's flags.
#define SCREE_INLINE [[gnu::always_inline]] inline

SCREE_INLINE Lanes load(const float* p) { return *reinterpret_cast<const Lanes*>(p); }
SCREE_INLINE void store(float* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
SCREE_INLINE Lanes splat(float v) { return Lanes{} + v; }

// exp(x) = 2^n exp(r), n = round(x / ln 2), r = x - n ln 2 in two parts; exp(r) by its Taylor polynomial of degree 6
// (remainder below 2e-7 on |r| <= ln 2 / 2). n is read from the bits of x / ln 2 + 1.5 * 2^23.
SCREE_INLINE Lanes exp(Lanes x) {
  const Lanes low = splat(-87.0f), high = splat(88.0f), magic = splat(12582912.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const Lanes shifted = x * 1.44269504f + magic;
  const Lanes n = shifted - magic;
  const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Lanes p = splat(1.0f / 720);
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const BitLanes exponent = reinterpret_cast<const BitLanes&>(shifted) << 23;  // the magic's own bits shift out
  const BitLanes bits = reinterpret_cast<const BitLanes&>(p) + exponent;
  return reinterpret_cast<const Lanes&>(bits);
}

// z becomes s(z), slope its derivative. silu' = g + silu (1 - g) with g = 1 / (1 + exp(-z)).
template <Activation kind>
SCREE_INLINE void activate(Lanes& z, Lanes& slope) {
  if constexpr (kind == Activation::silu) {
    const Lanes g = 1.0f / (1.0f + exp(-z));
    z = z * g;
    slope = g + z * (1.0f - g);
  } else {
    const Lanes zero{};
    slope = z > zero ? splat(1.0f) : zero;
    z = z > zero ? z : zero;
  }
}

// a[o] = s(bias[o] + sum_i weight[o][i] x[i]) for `out` rows of 16 samples; slope[o] = s'.
template <int in, int out, Activation kind>
SCREE_INLINE void dense(const float* weight, const float* bias, const float* x, float* a, float* slope) {
  for (int row = 0; row < out; row += tile) {
    Lanes sum[tile][vectors];
#pragma GCC unroll 16
    for (int t = 0; t < tile; ++t) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sum[t][v] = splat(bias[row + t]);
    }
    const float* w = weight + row * in;
    for (int i = 0; i < in; ++i) {
      Lanes xi[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) xi[v] = load(x + i * mlp_block + v * lanes);
#pragma GCC unroll 16
      for (int t = 0; t < tile; ++t) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sum[t][v] += w[t * in + i] * xi[v];
      }
    }
#pragma GCC unroll 16
    for (int t = 0; t < tile; ++t) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        Lanes s;
        activate<kind>(sum[t][v], s);
        store(a + (row + t) * mlp_block + v * lanes, sum[t][v]);
        store(slope + (row + t) * mlp_block + v * lanes, s);
      }
    }
  }
}

// g[i] = sum_o weight[o][i] z[o], times slope[i] unless that is null.
template <int in, int out>
SCREE_INLINE void dense_transposed(const float* weight, const float* z, const float* slope, float* g) {
  constexpr int step = in < tile ? in : tile;
  for (int column = 0; column < in; column += step) {
    Lanes sum[step][vectors] = {};
    for (int o = 0; o < out; ++o) {
      const float* w = weight + o * in + column;
      Lanes zo[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) zo[v] = load(z + o * mlp_block + v * lanes);
#pragma GCC unroll 16
      for (int t = 0; t < step; ++t) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sum[t][v] += w[t] * zo[v];
      }
    }
#pragma GCC unroll 16
    for (int t = 0; t < step; ++t) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        const int at = (column + t) * mlp_block + v * lanes;
        store(g + at, slope ? sum[t][v] * load(slope + at) : sum[t][v]);
      }
    }
  }
}

// value = bias + sum_i weight[i] x[i], in four interleaved sums to hide the latency of the additions.
template <int in>
SCREE_INLINE void dot(const float* weight, float bias, const float* x, float* value) {
  for (int v = 0; v < vectors; ++v) {
    Lanes sum[4] = {splat(bias)};
    for (int i = 0; i < in; i += 4) {
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) sum[t] += weight[i + t] * load(x + (i + t) * mlp_block + v * lanes);
    }
    store(value + v * lanes, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
}

// A net of known width on one block.
template <int inputs, int width, Activation kind>
void evaluate(const Mlp& net, const float* input, float* value, float* gradient) {
  alignas(64) float a[2][width * mlp_block];
  alignas(64) float slope[MlpShape::max_hidden][width * mlp_block];
  const MlpShape& shape = net.shape;
  const float* p = net.parameters.data();
  const auto weight = [&](int layer) { return p + shape.weight_offset(layer); };
  const auto bias = [&](int layer) { return p + shape.bias_offset(layer); };

  dense<inputs, width, kind>(weight(0), bias(0), input, a[0], slope[0]);
  for (int l = 1; l < shape.hidden; ++l) {
    dense<width, width, kind>(weight(l), bias(l), a[(l + 1) & 1], a[l & 1], slope[l]);
  }
  const int last = shape.hidden - 1;
  dot<width>(weight(shape.hidden), *bias(shape.hidden), a[last & 1], value);
  if (!gradient) return;

  const float* w = weight(shape.hidden);
  for (int i = 0; i < width; ++i) {
    for (int v = 0; v < mlp_block; v += lanes) {
      store(a[last & 1] + i * mlp_block + v, w[i] * load(slope[last] + i * mlp_block + v));
    }
  }
  for (int l = last; l > 0; --l) { dense_transposed<width, width>(weight(l), a[l & 1], slope[l - 1], a[(l + 1) & 1]); }
  dense_transposed<inputs, width>(weight(0), a[0], nullptr, gradient);
}

#undef SCREE_INLINE

}  // namespace scree::mlp
