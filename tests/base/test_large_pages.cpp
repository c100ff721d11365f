#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "scree/base/large_pages.hpp"

namespace scree {
namespace {

TEST(LargePages, SmallAndLargeVectorsGrowShrinkAndMove) {
  LargeVector<float> v;
  for (int k = 0; k < 1 << 20; ++k) v.push_back(static_cast<float>(k));
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0.0), 0.5 * ((1 << 20) - 1) * (1 << 20));
  v.resize(10);
  v.shrink_to_fit();
  const LargeVector<float> moved = std::move(v);
  EXPECT_EQ(moved, LargeVector<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// Also where the same amount of memory has been used, in small pages, and given back.
TEST(LargePages, LargeArraysBeginAtAPage) {
  constexpr std::size_t page = std::size_t{2} << 20;
  for (int k = 0; k < 20; ++k) {
    std::vector<char>(3 * page).back() = 1;
    const LargeVector<std::uint16_t> v(page + static_cast<std::size_t>(k) * 1000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % page, 0u);
    EXPECT_EQ(v.back(), 0);
  }
}

}  // namespace
}  // namespace scree
