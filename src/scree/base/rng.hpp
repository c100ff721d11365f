#pragma once
// Counter-based random numbers: value = hash(seed, stream, counter). No hidden state, so a restart, a thread
// count or the order of calls in another stream cannot change what a stream yields.
#include <cmath>
#include <cstdint>
#include <numbers>

namespace scree {

// Finaliser of splitmix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t counter = 0)
      : key_(mix64(seed + 0x9e3779b97f4a7c15ULL * (stream + 1))), counter_(counter) {}

  constexpr std::uint64_t next() { return mix64(key_ + 0x9e3779b97f4a7c15ULL * ++counter_); }
  // Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  constexpr double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  // Uniform integer in [0, n).
  constexpr std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(n));
  }
  // Standard normal (Box-Muller, one value a call).
  double normal() {
    const double u = 1.0 - uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * uniform());
  }
  constexpr std::uint64_t counter() const { return counter_; }

 private:
  std::uint64_t key_;
  std::uint64_t counter_;
};

}  // namespace scree
