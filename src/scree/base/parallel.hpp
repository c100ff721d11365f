#pragma once
// Loops over index ranges on a fixed pool of threads.
//
// Determinism: work is cut into chunks whose size does not depend on the number of threads. A body that writes only
// to its own indices gives the same bits for any thread count; `reduce_chunks` adds per-chunk results in chunk order.
//
// Why not TBB or OpenMP: neither runtime is instrumented for ThreadSanitizer, the core must build with a bare
// compiler, and a step needs only this one static loop.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace scree {

// More threads than this help nobody and can starve the machine of processes.
inline constexpr int most_threads = 256;

class ThreadPool {
 public:
  // `threads` >= 1 counts the calling thread too; at most most_threads are started. 0 means one per core.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Calls task(i) for i in [0, count), in any order, and returns when all are done. The first exception is rethrown.
  // Called from inside a task of the same pool, the caller does all of it: the others may be waiting for that task. In
  // the child of a fork the threads are started anew.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  bool forked() const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Where the tasks of a ThreadPool::run of as many tasks as threads wait for each other, again and again.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  void wait() {
    if (threads_ == 1) return;
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    // The others are at most a microsecond behind, unless the machine is busy.
    for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
      if (spins > 2000) std::this_thread::yield();
    }
  }

 private:
  int threads_;
  std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

// The part [first, second) of n that is thread t's of `threads`.
inline std::pair<std::size_t, std::size_t> share_of(std::size_t n, std::size_t t, std::size_t threads) {
  return {n * t / threads, n * (t + 1) / threads};
}

inline constexpr std::size_t default_chunk = 512;

inline std::size_t chunk_count(std::size_t n, std::size_t chunk) { return (n + chunk - 1) / chunk; }

// body(begin, end, chunk_index) over [0, n).
template <class Body>
void for_chunks(ThreadPool& pool, std::size_t n, Body&& body, std::size_t chunk = default_chunk) {
  if (n == 0) return;
  const auto run_chunk = [&](std::size_t k) { body(k * chunk, std::min(n, (k + 1) * chunk), k); };
  pool.run(chunk_count(n, chunk), std::ref(run_chunk));  // by reference: a std::function of it would allocate
}

// What chunks append to, each to a part of its own; gather() then puts the parts into `out`, one after the other. A
// single thread, which has the chunks in their order, appends to `out` itself. Parts keep their memory for the next
// time.
template <class Value>
class Parts {
 public:
  void start(std::size_t chunks, const ThreadPool& pool, std::vector<Value>& out) {
    out_ = &out;
    used_ = pool.threads() == 1 ? 0 : chunks;
    if (used_ == 0) out.clear();  // else what is in it need not be made anew
    if (parts_.size() < used_) parts_.resize(used_);
    for (std::size_t k = 0; k < used_; ++k) parts_[k].clear();
  }

  std::vector<Value>& of(std::size_t chunk) { return used_ == 0 ? *out_ : parts_[chunk]; }

  void gather(ThreadPool& pool) {
    if (used_ == 0) return;
    std::vector<std::size_t> begins;
    std::size_t end = 0;
    for (std::size_t k = 0; k < used_; ++k) {
      begins.push_back(end);
      end += parts_[k].size();
    }
    out_->resize(end);
    const auto copy = [&](std::size_t k) {
      std::ranges::copy(parts_[k], out_->begin() + static_cast<std::ptrdiff_t>(begins[k]));
    };
    if (end > default_chunk) return pool.run(used_, copy);
    for (std::size_t k = 0; k < used_; ++k) copy(k);  // sooner done than others are called
  }

 private:
  std::vector<Value>* out_ = nullptr;
  std::size_t used_ = 0;
  std::vector<std::vector<Value>> parts_;
};

// Sum over chunks of body(begin, end), added in chunk order: the same bits for any thread count.
template <class Value, class Body>
Value reduce_chunks(ThreadPool& pool, std::size_t n, Value zero, Body&& body, std::size_t chunk = default_chunk) {
  std::vector<Value> parts(chunk_count(n, chunk), zero);
  for_chunks(
      pool, n, [&](std::size_t b, std::size_t e, std::size_t k) { parts[k] = body(b, e); }, chunk);
  Value sum = zero;
  for (const Value& part : parts) sum += part;
  return sum;
}

}  // namespace scree
