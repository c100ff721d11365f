#pragma once
// Numbers that many threads of a launch raise or count up. Largest values and counts do not depend on the order.
#include <atomic>
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

// The same on the CPU, where threads share a launch (serial_backend.hpp).
template <class N>
inline N host_read(N* at) {
  return std::atomic_ref<N>(*at).load(std::memory_order_relaxed);
}
template <class N>
inline N host_add(N* at, N value) {
  return std::atomic_ref<N>(*at).fetch_add(value, std::memory_order_relaxed);
}
template <class N>
inline void host_raise(N* at, N value) {
  N now = host_read(at);
  while (value > now && !std::atomic_ref<N>(*at).compare_exchange_weak(now, value, std::memory_order_relaxed)) {}
}
template <class N>
inline void host_lower(N* at, N value) {
  N now = host_read(at);
  while (value < now && !std::atomic_ref<N>(*at).compare_exchange_weak(now, value, std::memory_order_relaxed)) {}
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
  host_raise(at, value);
#endif
}

// The same, each thread for itself.
template <class N>
SCREE_HD inline void raise_at(N* at, N value) {
#if defined(__CUDA_ARCH__)
  if (value > *static_cast<volatile N*>(at)) {
    if constexpr (sizeof(N) == 8) {
      atomicMax(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
    } else {
      atomicMax(at, value);
    }
  }
#else
  host_raise(at, value);
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
  return host_add(at, std::uint32_t{1});
#endif
}

// The same for a thread that speaks for itself alone, and goes on before it has the answer.
SCREE_HD inline std::uint32_t claim_alone(std::uint32_t* at) {
#if defined(__CUDA_ARCH__)
  std::uint32_t before;  // compilers count the lanes that want it first, and wait for the answer
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(at) : "memory");
  return before;
#else
  return host_add(at, std::uint32_t{1});
#endif
}

SCREE_HD inline void add(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(at, value);
#else
  host_add(at, value);
#endif
}

SCREE_HD inline void set_flag(std::uint32_t* at, std::uint32_t bit) {
#if defined(__CUDA_ARCH__)
  atomicOr(at, bit);
#else
  std::atomic_ref<std::uint32_t>(*at).fetch_or(bit, std::memory_order_relaxed);
#endif
}

// The smallest, each thread for itself.
SCREE_HD inline void lower_at(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicMin(at, value);
#else
  host_lower(at, value);
#endif
}

}  // namespace scree::gpu
