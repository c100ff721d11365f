#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

// Behind a barrier a thread sees what all others wrote before it, and none of what they write behind the next one.
TEST(Barrier, NobodyGoesOnBeforeAllHaveCome) {
  constexpr int rounds = 300;
  for (const std::size_t threads : {1, 2, 3, 5, 8}) {
    ThreadPool pool(static_cast<int>(threads));
    Barrier barrier(static_cast<int>(threads));
    std::vector<int> round_of(threads, 0);
    std::atomic<int> wrong{0};
    pool.run(threads, [&](std::size_t t) {
      for (int round = 1; round <= rounds; ++round) {
        round_of[t] = round;
        barrier.wait();
        if (std::ranges::count(round_of, round) != static_cast<std::ptrdiff_t>(threads)) ++wrong;
        barrier.wait();
      }
    });
    EXPECT_EQ(wrong.load(), 0) << threads;
  }
}

TEST(Parallel, ManyShortLoopsInARow) {
  ThreadPool pool(3);
  std::vector<int> counts(7, 0);
  constexpr int rounds = 5000;
  for (int k = 0; k < rounds; ++k) pool.run(counts.size(), [&](std::size_t i) { ++counts[i]; });
  for (const int count : counts) EXPECT_EQ(count, rounds);
}

TEST(Parallel, ATaskThatCallsItsOwnPoolDoesAllByItself) {
  ThreadPool pool(3), other(2);
  Barrier barrier(3);
  std::vector<int> counts(30, 0);
  std::atomic<int> elsewhere{0};
  pool.run(3, [&](std::size_t t) {
    barrier.wait();  // all three are in their tasks
    pool.run(10, [&](std::size_t k) { ++counts[10 * t + k]; });
    if (t == 0) other.run(10, [&](std::size_t) { pool.run(1, [&](std::size_t) { ++elsewhere; }); });
    pool.run(10, [&](std::size_t k) { ++counts[10 * t + k]; });
    barrier.wait();
  });
  for (const int count : counts) EXPECT_EQ(count, 2);
  EXPECT_EQ(elsewhere.load(), 10);
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

TEST(Parts, AreInTheirOrder) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Parts<int> parts;
    std::vector<int> out{7, 7};
    for (const std::size_t chunks : {50, 2000, 20}) {  // the same parts again and again
      parts.start(chunks, pool, out);
      std::vector<int> wanted;
      for (std::size_t k = 0; k < chunks; ++k) wanted.insert(wanted.end(), k % 7, static_cast<int>(k));
      pool.run(chunks, [&](std::size_t k) { parts.of(k).insert(parts.of(k).end(), k % 7, static_cast<int>(k)); });
      parts.gather(pool);
      EXPECT_EQ(out, wanted) << threads << " threads, " << chunks << " chunks";
    }
  }
}

}  // namespace
}  // namespace scree
