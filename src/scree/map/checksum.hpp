#pragma once
// A fast content checksum of large arrays: four independent 64-bit lanes, eight bytes a step each. Finds accidents
// (truncation, flipped bits, swapped blocks), not attackers. Several times faster than reading the file.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "scree/base/rng.hpp"

namespace scree {

inline std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed = 0) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t lane[4] = {seed, seed + odd, seed + 2 * odd, seed + 3 * odd};
  const auto step = [](std::uint64_t h, std::uint64_t word) { return std::rotl(h ^ word, 29) * odd; };
  std::size_t at = 0;
  for (; at + 32 <= size; at += 32)
    for (std::size_t k = 0; k < 4; ++k) {
      std::uint64_t word;
      std::memcpy(&word, p + at + 8 * k, 8);
      lane[k] = step(lane[k], word);
    }
  unsigned char tail[32] = {};
  if (size > at) std::memcpy(tail, p + at, size - at);
  for (std::size_t k = 0; k < 4; ++k) {
    std::uint64_t word;
    std::memcpy(&word, tail + 8 * k, 8);
    lane[k] = step(lane[k], word);
  }
  std::uint64_t h = mix64(size + odd);
  for (const std::uint64_t l : lane) h = mix64(h ^ l) * odd;
  return mix64(h);
}

}  // namespace scree
