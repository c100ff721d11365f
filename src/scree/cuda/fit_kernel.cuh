#pragma once
// Minibatch steps of a perceptron in 32-bit floats. A block takes 32 samples of a minibatch, one a lane, and leaves the
// sum of their gradients in device memory; then the blocks share the parameters among themselves, add the blocks'
// gradients in order, and take Adam's step (learn/adam.hpp). Two grid barriers a step.
#include <cooperative_groups.h>

#include "scree/base/macros.hpp"
#include "scree/map/mlp.hpp"

namespace scree::gpu_fit {

inline constexpr int chunk = 32;     // samples of a block
inline constexpr int threads = 256;  // eight warps
inline constexpr int stride = 36;    // floats from unit to unit: 32 samples, and rows that start in different banks

// Device memory of a fit.
struct FitView {
  const float* input = nullptr;          // [count][inputs]
  const float* target = nullptr;         // [count]
  const std::uint32_t* order = nullptr;  // [count]: of this epoch
  std::uint32_t count = 0;
  const float2* rates = nullptr;  // [steps]: Adam's two step-dependent factors, of this epoch
  int steps = 0;
  float* parameters = nullptr;  // [n], as Mlp has them
  float* mean = nullptr;        // [n]
  float* square = nullptr;      // [n]
  float* gradients = nullptr;   // [blocks][n + 1]: sums over a block's samples; last the squared residuals
  double* loss = nullptr;       // sum of squared residuals of the epoch
  int n = 0;
};

template <int inputs, int hidden, int width>
struct FitShape {
  static constexpr int weight(int layer) {
    return layer == 0 ? 0 : (inputs + 1) * width + (layer - 1) * (width + 1) * width;
  }
  static constexpr int bias(int layer) {
    return weight(layer) + (layer == hidden ? 1 : width) * (layer == 0 ? inputs : width);
  }
  static constexpr int parameters = bias(hidden) + 1;
  static constexpr int padded = (parameters + 3) / 4 * 4;
  static constexpr int layer_floats = width * stride;
  // Shared memory: parameters, activations, slopes (which become dz), inputs, residuals.
  static constexpr int floats = padded + 2 * hidden * layer_floats + 4 * stride + stride;
};

__device__ inline void activate(bool silu, float z, float& a, float& slope) {
  if (silu) {
    const float g = 1.0f / (1.0f + __expf(-z));
    a = z * g;
    slope = fmaf(a, 1.0f - g, g);
  } else {
    a = fmaxf(z, 0.0f);
    slope = z > 0 ? 1.0f : 0.0f;
  }
}

// One block's view of the net and its samples in shared memory.
template <int inputs, int hidden, int width>
class ChunkNet {
 public:
  using Shape = FitShape<inputs, hidden, width>;
  static constexpr int rows = width / (threads / 32);  // units a warp computes

  __device__ ChunkNet(float* shared, bool silu)
      : p_(shared),
        a_(shared + Shape::padded),
        d_(a_ + hidden * Shape::layer_floats),
        in_(d_ + hidden * Shape::layer_floats),
        residual_(in_ + 4 * stride),
        silu_(silu),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void load(const FitView& v, std::uint32_t first) {
    for (int i = static_cast<int>(threadIdx.x); i < Shape::parameters; i += threads) p_[i] = __ldcg(&v.parameters[i]);
    if (warp_ == 0) {
      const std::uint32_t sample = v.order[(first + static_cast<std::uint32_t>(lane_)) % v.count];
      for (int c = 0; c < inputs; ++c) in_[c * stride + lane_] = v.input[sample * inputs + c];
      residual_[lane_] = v.target[sample];
    }
    __syncthreads();
  }

  __device__ void forward() {
    dense<inputs>(0, in_);
    for (int l = 1; l < hidden; ++l) dense<width>(l, a_ + (l - 1) * Shape::layer_floats);
    if (warp_ == 0) {
      const float* a = a_ + (hidden - 1) * Shape::layer_floats;
      float y = p_[Shape::bias(hidden)];
      for (int i = 0; i < width; ++i) y = fmaf(p_[Shape::weight(hidden) + i], a[i * stride + lane_], y);
      residual_[lane_] = y - residual_[lane_];
    }
    __syncthreads();
  }

  // Gradient of the sum of squared residuals, and that sum, into `out`.
  __device__ void backward(float* out) {
    last_gradient(out);
    for (int i = warp_; i < width; i += threads / 32) {
      d_[(hidden - 1) * Shape::layer_floats + i * stride + lane_] *=
          2 * residual_[lane_] * p_[Shape::weight(hidden) + i];
    }
    __syncthreads();
    for (int l = hidden - 1; l > 0; --l) {
      weight_gradient(l, out);
      bias_gradient(l, out);
      dense_transposed(l);
      __syncthreads();
    }
    first_gradient(out);
    bias_gradient(0, out);
  }

 private:
  template <int in>
  __device__ void dense(int layer, const float* x) {
    const float* w = p_ + Shape::weight(layer) + warp_ * rows * in;
    float sum[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) sum[r] = p_[Shape::bias(layer) + warp_ * rows + r];
    if constexpr (in % 4 == 0) {
#pragma unroll 4
      for (int k = 0; k < in; k += 4) {
        const float x0 = x[k * stride + lane_], x1 = x[(k + 1) * stride + lane_];
        const float x2 = x[(k + 2) * stride + lane_], x3 = x[(k + 3) * stride + lane_];
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const float4 w4 = *reinterpret_cast<const float4*>(&w[r * in + k]);
          sum[r] = fmaf(w4.w, x3, fmaf(w4.z, x2, fmaf(w4.y, x1, fmaf(w4.x, x0, sum[r]))));
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < in; ++k) {
#pragma unroll
        for (int r = 0; r < rows; ++r) sum[r] = fmaf(w[r * in + k], x[k * stride + lane_], sum[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int at = layer * Shape::layer_floats + (warp_ * rows + r) * stride + lane_;
      activate(silu_, sum[r], a_[at], d_[at]);
    }
    __syncthreads();
  }

  // dz of the layer below: its slopes, in place, times W^T dz.
  __device__ void dense_transposed(int layer) {
    const float* w = p_ + Shape::weight(layer) + warp_ * rows;
    const float* dz = d_ + layer * Shape::layer_floats;
    float sum[rows] = {};
#pragma unroll 4
    for (int o = 0; o < width; ++o) {
      const float d = dz[o * stride + lane_];
#pragma unroll
      for (int r = 0; r < rows; r += 4) {
        const float4 w4 = *reinterpret_cast<const float4*>(&w[o * width + r]);
        sum[r] = fmaf(w4.x, d, sum[r]);
        sum[r + 1] = fmaf(w4.y, d, sum[r + 1]);
        sum[r + 2] = fmaf(w4.z, d, sum[r + 2]);
        sum[r + 3] = fmaf(w4.w, d, sum[r + 3]);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      d_[(layer - 1) * Shape::layer_floats + (warp_ * rows + r) * stride + lane_] *= sum[r];
    }
  }

  __device__ static float dot4(float4 a, float4 b, float sum) {
    return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
  }
  __device__ static float4 four(const float* row, int s) { return *reinterpret_cast<const float4*>(&row[s]); }

  // dW = dz a^T. A thread has outputs o + j, inputs i + 16 j': neighbouring lanes read neighbouring rows.
  __device__ void weight_gradient(int layer, float* out) const {
    constexpr int across = width / 4, tiles = across * across;
    const float* dz = d_ + layer * Shape::layer_floats;
    const float* a = a_ + (layer - 1) * Shape::layer_floats;
    for (int tile = static_cast<int>(threadIdx.x); tile < tiles; tile += threads) {
      const int o = tile / across * 4, i = tile % across;
      float sum[4][4] = {};
#pragma unroll 2
      for (int s = 0; s < chunk; s += 4) {
        float4 x[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) x[j] = four(a + (i + across * j) * stride, s);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const float4 d = four(dz + (o + k) * stride, s);
#pragma unroll
          for (int j = 0; j < 4; ++j) sum[k][j] = dot4(d, x[j], sum[k][j]);
        }
      }
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        out[Shape::weight(layer) + (o + e / 4) * width + i + across * (e % 4)] = sum[e / 4][e % 4];
      }
    }
  }

  __device__ void bias_gradient(int layer, float* out) const {
    const int o = threads - 1 - static_cast<int>(threadIdx.x);  // from the other end: these are idle in narrow nets
    if (o >= width) return;
    const float4 ones = {1, 1, 1, 1};
    float sum = 0;
    for (int s = 0; s < chunk; s += 4) sum = dot4(four(d_ + layer * Shape::layer_floats + o * stride, s), ones, sum);
    out[Shape::bias(layer) + o] = sum;
  }

  __device__ void first_gradient(float* out) const {
    const int o = static_cast<int>(threadIdx.x) / inputs, c = static_cast<int>(threadIdx.x) % inputs;
    if (o >= width) return;
    float sum = 0;
    for (int s = 0; s < chunk; s += 4) sum = dot4(four(d_ + o * stride, s), four(in_ + c * stride, s), sum);
    out[o * inputs + c] = sum;
  }

  __device__ void last_gradient(float* out) const {
    const int i = static_cast<int>(threadIdx.x);
    const float* a = a_ + (hidden - 1) * Shape::layer_floats;
    const float4 ones = {1, 1, 1, 1};
    float sum = 0;
    for (int s = 0; s < chunk && i < width + 2; s += 4) {
      const float4 r = four(residual_, s);
      sum = dot4(r, i < width ? four(a + i * stride, s) : i == width ? ones : r, sum);
    }
    if (i < width) out[Shape::weight(hidden) + i] = 2 * sum;
    if (i == width) out[Shape::bias(hidden)] = 2 * sum;
    if (i == width + 1) out[Shape::parameters] = sum;
  }

  float* p_;
  float* a_;         // [hidden][width][stride]
  float* d_;         // the same: slopes, then derivatives of the loss by z
  float* in_;        // [4][stride]
  float* residual_;  // [stride]: targets, then y - t
  bool silu_;
  int warp_, lane_;
};

// Adam on this block's share of the parameters.
__device__ inline void update(const FitView& v, float2 rates, int blocks) {
  constexpr float b1 = 0.9f, b2 = 0.99f;
  const float average = 1.0f / static_cast<float>(blocks * chunk);
  for (int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x); i <= v.n;
       i += blocks * threads) {
    float sum = 0;
    for (int b = 0; b < blocks; ++b) sum += __ldcg(&v.gradients[b * (v.n + 1) + i]);
    if (i == v.n) {
      *v.loss += sum;
      continue;
    }
    const float g = sum * average;
    const float m = b1 * v.mean[i] + (1 - b1) * g, s = b2 * v.square[i] + (1 - b2) * g * g;
    v.mean[i] = m;
    v.square[i] = s;
    v.parameters[i] -= rates.x * m / (sqrtf(s * rates.y) + 1e-8f);
  }
}

// The steps of one epoch. Cooperative launch of batch / 32 blocks.
template <int inputs, int hidden, int width>
__global__ __launch_bounds__(threads) void epoch_kernel(FitView v, bool silu) {
  extern __shared__ float4 shared[];
  const auto grid = cooperative_groups::this_grid();
  const int blocks = static_cast<int>(gridDim.x);
  ChunkNet<inputs, hidden, width> net(reinterpret_cast<float*>(shared), silu);
  for (int step = 0; step < v.steps; ++step) {
    net.load(v, (static_cast<std::uint32_t>(step) * gridDim.x + blockIdx.x) * chunk);
    net.forward();
    net.backward(v.gradients + static_cast<std::size_t>(blockIdx.x) * (v.n + 1));
    grid.sync();
    update(v, v.rates[step], blocks);
    grid.sync();
  }
}

}  // namespace scree::gpu_fit
