#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "scree/base/parallel.hpp"

namespace scree {
namespace {

TEST(Parallel, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    std::vector<int> visits(10007, 0);
    for_chunks(pool, visits.size(), [&](std::size_t b, std::size_t e, std::size_t) {
      for (std::size_t i = b; i < e; ++i) ++visits[i];
    });
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 10007);
    EXPECT_EQ(*std::min_element(visits.begin(), visits.end()), 1);
  }
}

TEST(Parallel, SumHasTheSameBitsForAnyThreadCount) {
  std::vector<double> sums;
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    sums.push_back(reduce_chunks(pool, 100000, 0.0, [](std::size_t b, std::size_t e) {
      double s = 0;
      for (std::size_t i = b; i < e; ++i) s += 1.0 / static_cast<double>(i + 1);
      return s;
    }));
  }
  for (const double sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(Parallel, AnAbsurdNumberOfThreadsIsCut) { EXPECT_EQ(ThreadPool(1000000).threads(), most_threads); }

// As Python's multiprocessing does it: the child has the pool, but none of its threads.
TEST(Parallel, APoolGoesOnInTheChildOfAFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork";
#endif
  ThreadPool pool(3);
  const auto count = [&] {
    std::atomic<int> visits{0};
    Barrier barrier(3);
    pool.run(3, [&](std::size_t) {
      barrier.wait();  // all three at once
      ++visits;
    });
    return visits.load();
  };
  EXPECT_EQ(count(), 3);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a child that waits for ever is ended
    _exit(count() == 3 && pool.threads() == 3 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(), 3) << "in the parent nothing has changed";
}

TEST(Parallel, ManyShortLoopsInARow) {
  ThreadPool pool(3);
  std::vector<int> counts(7, 0);
  constexpr int rounds = 5000;
  for (int k = 0; k < rounds; ++k) pool.run(counts.size(), [&](std::size_t i) { ++counts[i]; });
  for (const int count : counts) EXPECT_EQ(count, rounds);
}

TEST(Parallel, RethrowsWhatATaskThrowsAndGoesOn) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run(100,
                        [](std::size_t i) {
                          if (i == 57) throw std::runtime_error("57");
                        }),
               std::runtime_error);
  std::atomic<int> count{0};
  pool.run(100, [&](std::size_t) { ++count; });
  EXPECT_EQ(count.load(), 100);
}

TEST(Gather, PartsAreInTheirOrderBehindWhatIsKept) {
  ThreadPool pool(3);
  std::vector<std::vector<int>> parts(50);
  std::vector<int> out{-2, -1, 7, 7}, wanted{-2, -1};
  for (int k = 0; k < 50; ++k) {
    for (int n = 0; n < k % 7; ++n) parts[static_cast<std::size_t>(k)].push_back(10 * k + n);
    wanted.insert(wanted.end(), parts[static_cast<std::size_t>(k)].begin(), parts[static_cast<std::size_t>(k)].end());
  }
  gather(parts, 2, out, pool);
  EXPECT_EQ(out, wanted);
}

}  // namespace
}  // namespace scree
