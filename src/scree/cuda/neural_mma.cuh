#pragma once
// Tensor-core products of 16 x 16 by 16 x 8 halves with 32-bit sums, as warps do them, and the split of floats that
// makes them precise. In what follows lane = 4 g + t, g in 0..7, t in 0..3. A warp's tile has 32 samples, one a row, in
// two slabs of 16. Within a slab, lane (g, t) holds
//
//   of a sum, columns 8 n + 2 t and the next:  row g in [0], [1], row g + 8 in [2], [3]
//   of an operand, columns 16 k + ...:         row g, g + 8 at 2 t, 2 t + 1 in [0], [1]; the same at 2 t + 8 in [2],
//   [3]
//
// so two neighbouring sums become one operand of the next layer without leaving their lane.
#include <cuda_fp16.h>

#include <cstdint>

namespace scree::neural {

#ifndef TILE
#define TILE 32
#endif
inline constexpr int tile_samples = TILE;
inline constexpr int slabs = tile_samples / 16;

// Rows of a tile as operands, `steps` blocks of 16 columns.
template <int steps>
struct Operand {
  std::uint32_t part[slabs][steps][4];
};

using Sums = float[slabs][2][4];  // 16 columns of a tile

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

// `address`: of this lane's row, in shared memory.
__device__ inline Weights load_weights(std::uint32_t address) {
  Weights w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
               : "r"(address));
  return w;
}

__device__ inline Weights load_weights_transposed(std::uint32_t address) {
  Weights w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
               : "r"(address));
  return w;
}

// Bytes from the start of a matrix to the row of eight halves this lane names, for matrices stored [output][input].
__device__ inline std::uint32_t lane_offset(int lane, int row_halves) {
  return static_cast<std::uint32_t>(2 * (((lane / 16) * 8 + lane % 8) * row_halves + (lane / 8) % 2 * 8));
}
__device__ inline std::uint32_t lane_offset_transposed(int lane, int row_halves) {
  return static_cast<std::uint32_t>(2 * (((lane / 8) % 2 * 8 + lane % 8) * row_halves + (lane / 16) * 8));
}

// Adds operand x weights to the sums. With `low` parts: all of h h + h l + l h.
__device__ inline void multiply(Sums& sums, const std::uint32_t (&a)[4], int slab, const Weights& w) {
  multiply_add(sums[slab][0], a, w.part[0], w.part[1]);
  multiply_add(sums[slab][1], a, w.part[2], w.part[3]);
}

__device__ inline std::uint32_t pack_halves(float first, float second) {
  const __half2 h = __floats2half2_rn(first, second);
  return reinterpret_cast<const std::uint32_t&>(h);
}

__device__ inline float2 unpack_halves(std::uint32_t packed) {
  return __half22float2(reinterpret_cast<const __half2&>(packed));
}

// What rounding to halves lost, as halves.
__device__ inline std::uint32_t pack_rest(float first, float second, std::uint32_t high) {
  const float2 h = unpack_halves(high);
  return pack_halves(first - h.x, second - h.y);
}

}  // namespace scree::neural
