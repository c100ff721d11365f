#pragma once
// Tensor-core products of 16 x 16 by 16 x 8 halves with 32-bit sums, as warps do them, and the split of floats that
// makes them precise. In what follows lane = 4 g + t, g in 0..7, t in 0..3. A warp's tile has 16 samples, one a row;
// lane (g, t) holds
//
//   of a sum, columns 8 n + 2 t and the next:  row g in [0], [1], row g + 8 in [2], [3]
//   of an operand, columns 16 k + ...:         row g, g + 8 at 2 t, 2 t + 1 in [0], [1]; the same at 2 t + 8 in [2],
//   [3]
//
// so two neighbouring sums become one operand of the next layer without leaving their lane.
#include <cuda_fp16.h>

#include <cstdint>

namespace scree::neural {

inline constexpr int tile_samples = 16;

// Rows of a tile as operands, `steps` blocks of 16 columns.
template <int steps>
struct Operand {
  std::uint32_t part[steps][4];
};

using Sums = float[2][4];  // 16 columns of a tile

__device__ inline void multiply_add(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Weights of 16 outputs by 16 inputs: [0], [1] for outputs 0..7, [2], [3] for 8..15.
struct Weights {
  std::uint32_t part[4];
};

// `address`: of the eight halves this lane names, in shared memory. Transposed: outputs of the product are the columns
// of the stored matrix.
template <bool transposed>
__device__ inline Weights load_weights(std::uint32_t address) {
  Weights w;
  if constexpr (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
                 : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
                 : "r"(address));
  }
  return w;
}

// The eight halves, from `column`, that a lane names of a matrix stored [output][input].
struct Named {
  int row, column;
};

template <bool transposed>
__device__ inline Named named_by(int lane) {
  const int near = lane / 8 % 2 * 8, far = lane / 16 * 8, row = lane % 8;
  return transposed ? Named{near + row, far} : Named{far + row, near};
}

__device__ inline void multiply(Sums& sums, const std::uint32_t (&a)[4], const Weights& w) {
  multiply_add(sums[0], a, w.part[0], w.part[1]);
  multiply_add(sums[1], a, w.part[2], w.part[3]);
}

__device__ inline std::uint32_t pack_halves(float first, float second) {
  const __half2 h = __floats2half2_rn(first, second);
  return reinterpret_cast<const std::uint32_t&>(h);
}

// What rounding to halves lost, as halves.
__device__ inline std::uint32_t pack_rest(float first, float second, std::uint32_t high) {
  const float2 h = __half22float2(reinterpret_cast<const __half2&>(high));
  return pack_halves(first - h.x, second - h.y);
}

// Sums as columns 16 step .. 16 step + 15 of the next operand.
template <bool with_low, int steps>
__device__ inline void to_operand(const Sums& sums, int step, Operand<steps>& high, Operand<steps>& low) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float first = sums[i / 2][i % 2 * 2], second = sums[i / 2][i % 2 * 2 + 1];
    high.part[step][i] = pack_halves(first, second);
    if constexpr (with_low) low.part[step][i] = pack_rest(first, second, high.part[step][i]);
  }
}

// Adds operand x weights to `count` blocks of 16 columns. Terms of the split: 1 is h h alone, 3 adds h l and l h.
// `place(step, i)`: address of what this lane names for inputs 16 step .. and columns of block i.
template <int terms, bool transposed, int count, int steps, class Place>
__device__ inline void product(Sums (&sums)[count], const Operand<steps>& high, const Operand<steps>& low,
                               const Place& place, std::uint32_t low_offset) {
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    Weights h[count], l[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::uint32_t at = place(step, i);
      h[i] = load_weights<transposed>(at);
      if constexpr (terms == 3) l[i] = load_weights<transposed>(at + low_offset);
    }
    // One term after another over all blocks: neighbouring instructions add to different sums.
#pragma unroll
    for (int i = 0; i < count; ++i) multiply(sums[i], high.part[step], h[i]);
    if constexpr (terms == 3) {
#pragma unroll
      for (int i = 0; i < count; ++i) multiply(sums[i], high.part[step], l[i]);
#pragma unroll
      for (int i = 0; i < count; ++i) multiply(sums[i], low.part[step], h[i]);
    }
  }
}

}  // namespace scree::neural
