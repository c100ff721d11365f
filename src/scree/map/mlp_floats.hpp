#pragma once
// An array of floats that starts at a multiple of 64 bytes. Vectorised code treats the elements before the first
// aligned one apart; with a fixed start, the same elements meet the same instructions in every run.
#include <cstddef>
#include <new>
#include <vector>

namespace scree {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: conversion is what containers ask for

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

using FloatArray = std::vector<float, AlignedAllocator<float>>;

}  // namespace scree
