#pragma once
// Small things that a GPU has its own way for.
#include <cmath>
#include <cstddef>
#include <cstring>

#include "scree/base/macros.hpp"

namespace scree {

// *at, 16 bytes at a time where it is aligned so: lanes that read far apart pay for every access, and compilers read
// the fields one by one.
template <class X>
SCREE_HD inline X load_whole(const X* at) {
#ifdef __CUDA_ARCH__
  if constexpr (alignof(X) % sizeof(uint4) == 0) {
    uint4 parts[sizeof(X) / sizeof(uint4)];
    SCREE_UNROLL
    for (std::size_t k = 0; k < sizeof(X) / sizeof(uint4); ++k) parts[k] = reinterpret_cast<const uint4*>(at)[k];
    X out;
    memcpy(&out, parts, sizeof(X));
    return out;
  }
#endif
  return *at;
}

// *to = value, likewise.
template <class X>
SCREE_HD inline void store_whole(X* to, const X& value) {
#ifdef __CUDA_ARCH__
  if constexpr (alignof(X) % sizeof(uint4) == 0) {
    uint4 parts[sizeof(X) / sizeof(uint4)];
    memcpy(parts, &value, sizeof(X));
    SCREE_UNROLL
    for (std::size_t k = 0; k < sizeof(X) / sizeof(uint4); ++k) reinterpret_cast<uint4*>(to)[k] = parts[k];
    return;
  }
#endif
  *to = value;
}

// a / b and 1 / sqrt(x); of single precision on a device to within 2 in the last place.
SCREE_HD inline float quick_quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdividef(a, b);
#else
  return a / b;
#endif
}
SCREE_HD inline double quick_quotient(double a, double b) { return a / b; }
template <class T>
SCREE_HD inline T inverse_root(T x) {
#ifdef __CUDA_ARCH__
  return rsqrt(x);
#else
  return T(1) / std::sqrt(x);
#endif
}

}  // namespace scree
