// History of a pair with several contacts: who goes on as whom.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "scree/contact/carry_over_kernel.hpp"

namespace scree {
namespace {

using Carried = std::vector<std::pair<int, int>>;

// Features on a line; those more than 10 apart are unrelated.
Carried carried(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& now) {
  Carried out;
  FewMarks taken, served;
  carry_over_several<float>(
      static_cast<int>(before.size()), static_cast<int>(now.size()),
      [&](int o) { return before[static_cast<std::size_t>(o)]; },
      [&](int k) { return now[static_cast<std::size_t>(k)]; },
      [](std::uint32_t s, std::uint32_t t) {
        const float apart = std::abs(static_cast<float>(s) - static_cast<float>(t));
        return apart <= 10 ? apart : std::numeric_limits<float>::infinity();
      },
      taken, served,
      [&](int o, int k) {
        out.push_back({o, k});
      });
  return out;
}

TEST(CarryOver, GoesToTheSameFeatures) { EXPECT_EQ(carried({3, 40}, {3, 40}), (Carried{{0, 0}, {1, 1}})); }

TEST(CarryOver, NearestFirst) {
  EXPECT_EQ(carried({5, 9}, {8, 12}), (Carried{{1, 0}, {0, 1}}));
  EXPECT_EQ(carried({20}, {14, 22}), (Carried{{0, 1}}));     // one splits: the nearer half has it
  EXPECT_EQ(carried({14, 22}, {20}), (Carried{{1, 0}}));     // two join
  EXPECT_EQ(carried({0, 50}, {30, 51}), (Carried{{1, 1}}));  // the other is new
}

TEST(CarryOver, UnrelatedOnesBeginAnew) {
  EXPECT_TRUE(carried({1}, {30}).empty());
  EXPECT_TRUE(carried({}, {30}).empty());
  EXPECT_TRUE(carried({1}, {}).empty());
}

TEST(CarryOver, ASpringTurnsWithItsNormalAndNeverBack) {
  EXPECT_EQ(carried_spring<double>(2, {1, 0}, {0.5, 0.8}), 1);
  EXPECT_EQ(carried_spring<double>(2, {1, 0}, {-1, 0}), 0);
}

}  // namespace
}  // namespace scree
