#pragma once
// Arrays side by side in one block of memory.
#include <cstddef>
#include <cstdint>

namespace scree::gpu {

// Without a base it only counts.
class Carver {
 public:
  explicit Carver(unsigned char* base = nullptr) : base_(base) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(base) % alignment;
    if (beyond > 0) base_ += alignment - beyond;
  }

  template <class X>
  void take(X*& array, std::size_t n) {
    static_assert(alignof(X) <= alignment);
    array = base_ ? reinterpret_cast<X*>(base_ + bytes_) : nullptr;
    bytes_ += (n * sizeof(X) + alignment - 1) / alignment * alignment;
  }
  // That a block must have, wherever it begins.
  std::size_t bytes() const { return bytes_ + alignment; }

 private:
  static constexpr std::size_t alignment = 256;
  unsigned char* base_;
  std::size_t bytes_ = 0;
};

}  // namespace scree::gpu
