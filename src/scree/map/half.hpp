#pragma once
// IEEE half precision as storage: 11 significant bits, |v| < 65504. Rounds to nearest, ties to even.
#include <bit>
#include <cstdint>

#include "scree/base/macros.hpp"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#elif defined(__F16C__)
#include <immintrin.h>
#endif

namespace scree {

inline std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x47800000u)  // beyond the range: infinity, or a NaN kept as one
    return static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
  if (magnitude < 0x38800000u) {  // subnormal half: let the float adder round it
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

SCREE_HD inline float from_half(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(half));
#elif defined(__F16C__) && !defined(__CUDACC__)
  return _cvtsh_ss(half);
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  // Scaling by 2^112 moves the exponent and normalises subnormals.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1.0p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
#endif
}

}  // namespace scree
