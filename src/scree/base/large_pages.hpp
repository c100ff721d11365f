#pragma once
// Memory for large arrays that are read here and there, such as tables: in large pages where the system has them, so
// that less time goes into finding the page.
#include <cstddef>
#include <cstdint>
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
    void* p =
        large(count) ? take(bytes_of(count)) : std::aligned_alloc(line, (count * sizeof(T) + line - 1) / line * line);
    if (p == nullptr) throw std::bad_alloc();
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t count) { large(count) ? give_back(p, bytes_of(count)) : std::free(p); }

  bool operator==(const LargePages&) const = default;

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t page = std::size_t{2} << 20;
  static bool large(std::size_t count) { return count * sizeof(T) >= page; }
  static std::size_t bytes_of(std::size_t count) { return (count * sizeof(T) + page - 1) / page * page; }

#if defined(__linux__)
  // From the system itself: what malloc hands out may have been used before, and then lies in small pages already.
  static void* take(std::size_t bytes) {
    void* all = mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(all) % page) % page;
    char* p = static_cast<char*>(all) + before;
    if (before > 0) munmap(all, before);
    munmap(p + bytes, page - before);
    madvise(p, bytes, MADV_HUGEPAGE);  // a wish: without it everything works, only slower
    return p;
  }
  static void give_back(void* p, std::size_t bytes) { munmap(p, bytes); }
#else
  static void* take(std::size_t bytes) { return std::aligned_alloc(page, bytes); }
  static void give_back(void* p, std::size_t) { std::free(p); }
#endif
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace scree
