#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "scree/base/background.hpp"

namespace scree {
namespace {

TEST(Background, DoesAllInOrder) {
  std::vector<int> done;
  Background behind(2);
  for (int k = 0; k < 1000; ++k) behind.post([&done, k] { done.push_back(k); });
  behind.finish();
  ASSERT_EQ(done.size(), 1000u);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(done[static_cast<std::size_t>(k)], k);
}

TEST(Background, GoesOnWithoutWaiting) {
  std::atomic<bool> go = false;
  std::atomic<int> done = 0;
  Background behind(2);
  behind.post([&] {
    go.wait(false);
    ++done;
  });
  behind.post([&] { ++done; });  // neither has been done, and we are here
  EXPECT_EQ(done, 0);
  go = true;
  go.notify_all();
  behind.finish();
  EXPECT_EQ(done, 2);
}

TEST(Background, HandsAFailureOnAndBeginsNothingAfterIt) {
  std::atomic<int> after = 0;
  Background behind(2);
  behind.post([] { throw std::runtime_error("the disk is full"); });
  const auto go_on = [&] {
    for (int k = 0; k < 10; ++k) behind.post([&] { ++after; });
    behind.finish();
  };
  EXPECT_THROW(go_on(), std::runtime_error);
  EXPECT_NO_THROW(behind.check());  // once is enough
  EXPECT_NO_THROW(go_on());
  EXPECT_EQ(after, 0);
}

TEST(Background, LeavesWhatWaitsWhenItGoes) {
  std::atomic<bool> begun = false, go = false;
  std::atomic<int> done = 0;
  {
    Background behind(8);
    behind.post([&] {
      begun = true;
      begun.notify_all();
      go.wait(false);
      ++done;
    });
    begun.wait(false);
    for (int k = 0; k < 4; ++k) behind.post([&] { done += 10; });
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      go = true;
      go.notify_all();
    });
    opener.detach();
  }
  EXPECT_EQ(done % 10, 1);
}

}  // namespace
}  // namespace scree
