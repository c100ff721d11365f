#pragma once
// Numbers that many threads of a launch raise or count up. Largest values and counts do not depend on the order.
#include <cstdint>

#include "scree/base/macros.hpp"

namespace scree::gpu {

// Non-negative floats are ordered as their bits are; what is not a number is larger than all.
SCREE_HD inline std::uint32_t float_bits(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return __builtin_bit_cast(std::uint32_t, value);
#endif
}
SCREE_HD inline float bits_float(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

// *at = max(*at, value). On a device one thread of a warp speaks for all, and only if it has something to say, as far
// as it knows: what it reads may be old, and never too large.
SCREE_HD inline void raise(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  const unsigned active = __activemask();
  const std::uint32_t most = __reduce_max_sync(active, value);
  const bool leader = (threadIdx.x & 31u) == static_cast<unsigned>(__ffs(active) - 1);
  if (leader && most > *at) atomicMax(at, most);
#else
  if (value > *at) *at = value;
#endif
}

// *at += 1, and what it was before: a place that no other thread has. Which place depends on the order.
SCREE_HD inline std::uint32_t claim(std::uint32_t* at) {
#if defined(__CUDA_ARCH__)
  const unsigned same = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(at));
  const unsigned lane = threadIdx.x & 31u, leader = static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1);
  std::uint32_t first = 0;
  if (lane == leader) first = atomicAdd(at, static_cast<std::uint32_t>(__popc(same)));
  return __shfl_sync(same, first, static_cast<int>(leader)) +
         static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1u)));
#else
  return (*at)++;
#endif
}

// The same for a thread that speaks for itself alone, and goes on before it has the answer.
SCREE_HD inline std::uint32_t claim_alone(std::uint32_t* at) {
#if defined(__CUDA_ARCH__)
  std::uint32_t before;  // compilers count the lanes that want it first, and wait for the answer
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(at) : "memory");
  return before;
#else
  return (*at)++;
#endif
}

SCREE_HD inline void add(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(at, value);
#else
  *at += value;
#endif
}

SCREE_HD inline void set_flag(std::uint32_t* at, std::uint32_t bit) {
#if defined(__CUDA_ARCH__)
  atomicOr(at, bit);
#else
  *at |= bit;
#endif
}

// Largest and smallest where there is seldom anything to say, and each thread may speak of something else.
SCREE_HD inline void raise_one(std::uint64_t* at, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
#else
  if (value > *at) *at = value;
#endif
}
SCREE_HD inline void lower_one(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicMin(at, value);
#else
  if (value < *at) *at = value;
#endif
}

}  // namespace scree::gpu
