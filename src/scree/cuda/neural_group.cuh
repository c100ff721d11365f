#pragma once
// Products of 64 x 64 by 64 x 64 halves as the tensor cores of Hopper (90a) take them: four warps together, each with
// its tile of 16 samples held as in neural_mma.cuh, weights straight from shared memory. While one group of warps waits
// for its products, the others compute activations.
#include "scree/cuda/neural_mma.cuh"

namespace scree::neural {

// Whether what is being compiled is for such a GPU.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
inline constexpr bool has_groups = true;
#else
inline constexpr bool has_groups = false;
#endif
inline constexpr int group_warps = 4;
inline constexpr int group_width = 64;  // columns, and inputs
inline constexpr int group_steps = group_width / 16;

using GroupSums = Sums[group_steps];

// What was written to shared memory as usual becomes visible to the tensor cores. Before the barrier of the writers.
__device__ inline void publish_weights() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Whether it holds for a lane of this group of warps. Barrier 0 is the block's.
__device__ inline bool any_of_group(bool holds) {
  const int barrier = 1 + static_cast<int>(threadIdx.x) / (32 * group_warps);
  int any;
  asm volatile(
      "{\n"
      ".reg .pred mine, all;\n"
      "setp.ne.b32 mine, %1, 0;\n"
      "barrier.cta.red.or.aligned.pred all, %2, %3, mine;\n"
      "selp.b32 %0, 1, 0, all;\n"
      "}"
      : "=r"(any)
      : "r"(static_cast<int>(holds)), "r"(barrier), "n"(32 * group_warps)
      : "memory");
  return any != 0;
}

// A matrix in shared memory as the tensor cores want it named: rows of 128 bytes in the order of pieces of NetLayout,
// eight rows 1,024 bytes apart. Offsets add in units of 16 bytes.
__device__ inline std::uint64_t name_matrix(std::uint32_t address) {
  constexpr std::uint64_t eight_rows = 1024 / 16, order_of_128_bytes = 1;
  return (address & 0x3ffff) / 16 | eight_rows << 16 | eight_rows << 32 | order_of_128_bytes << 62;
}

// Adds 16 inputs' share of all 64 columns; begins, and does not wait.
template <bool transposed>
__device__ inline void begin_multiply(GroupSums& z, const std::uint32_t (&a)[4], std::uint64_t weights) {
#define SCREE_SUMS(n)                                                                                         \
  "+f"(z[n][0][0]), "+f"(z[n][0][1]), "+f"(z[n][0][2]), "+f"(z[n][0][3]), "+f"(z[n][1][0]), "+f"(z[n][1][1]), \
      "+f"(z[n][1][2]), "+f"(z[n][1][3])
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.eq.b32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, add, 1, 1, %37;\n"
      "}"
      : SCREE_SUMS(0), SCREE_SUMS(1), SCREE_SUMS(2), SCREE_SUMS(3)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(weights), "n"(transposed ? 1 : 0));
#undef SCREE_SUMS
}

// The compiler must not move reads of sums ahead of the wait, or writes behind the start.
__device__ inline void pin(GroupSums& z) {
#pragma unroll
  for (Sums& block : z) {
#pragma unroll
    for (int i = 0; i < 8; ++i) asm volatile("" : "+f"(block[i / 4][i % 4])::"memory");
  }
}

// As `product` of neural_mma.cuh, all columns at once. `address`: of the high parts; the low parts follow them.
template <int terms, bool transposed>
__device__ inline void group_product(GroupSums& z, const Operand<group_steps>& high, const Operand<group_steps>& low,
                                     std::uint32_t address) {
  constexpr int low_offset = group_width * group_width * 2 / 16;
  constexpr int step_offset = transposed ? 16 * group_width * 2 / 16 : 16 * 2 / 16;
  const std::uint64_t weights = name_matrix(address);
  pin(z);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < group_steps; ++step) {
    begin_multiply<transposed>(z, high.part[step], weights + step * step_offset);
    if constexpr (terms == 3) {
      begin_multiply<transposed>(z, high.part[step], weights + low_offset + step * step_offset);
      begin_multiply<transposed>(z, low.part[step], weights + step * step_offset);
    }
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  pin(z);
}

}  // namespace scree::neural
