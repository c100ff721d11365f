#pragma once
// Memory for large arrays that are read here and there, such as tables: in large pages where the system has them, so
// that less time goes into finding the page.
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace scree {

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t count) {
    static constexpr std::size_t page = std::size_t{2} << 20;
    std::size_t bytes = count * sizeof(T);
    const bool large = bytes >= page;
    if (large) bytes = (bytes + page - 1) / page * page;
    void* p = large ? std::aligned_alloc(page, bytes) : std::malloc(bytes);
    if (p == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (large) madvise(p, bytes, MADV_HUGEPAGE);  // a wish: without it everything works, only slower
#endif
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) { std::free(p); }

  bool operator==(const LargePages&) const = default;
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace scree
