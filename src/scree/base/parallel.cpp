#include "scree/base/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace scree {

namespace {

// A step runs a dozen short loops, one right after the other. A thread that has run out of work therefore looks for
// more this often, at first at once and then giving way to others each time, before it goes to sleep: waking it costs
// more than most loops.
constexpr int haste = 100, patience = 200;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

template <class Ready>
bool looked_for(Ready ready) {
  for (int k = 0; k < haste; ++k) {
    if (ready()) return true;
    pause_briefly();
  }
  for (int k = 0; k < patience; ++k) {
    if (ready()) return true;
    std::this_thread::yield();
  }
  return ready();
}

// Consecutive indices that belong to one thread. Others help once they have none of their own: so a thread meets the
// same part of the data in every loop, and finds it in its caches.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
};

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(std::size_t threads) : shares(threads) {}

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  const std::function<void(std::size_t)>* task = nullptr;
  std::vector<Share> shares;          // by thread
  std::atomic<std::size_t> busy{0};   // workers that have not finished this round
  std::atomic<std::size_t> round{0};  // grows under the mutex
  std::atomic<bool> stop{false};
  std::exception_ptr failure;

  void drain(std::size_t thread) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(thread + k) % shares.size()];
      for (std::size_t i = share.next.fetch_add(1); i < share.end; i = share.next.fetch_add(1)) {
        try {
          (*task)(i);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      }
    }
  }

  void work(std::size_t thread) {
    std::size_t seen = 0;
    const auto called = [&] { return stop.load() || round.load() != seen; };
    for (;;) {
      if (!looked_for(called)) {
        std::unique_lock lock(mutex);
        wake.wait(lock, called);
      }
      if (stop.load()) return;
      seen = round.load();
      drain(thread);
      if (busy.fetch_sub(1) == 1) {
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }
};

namespace {

int granted(int threads) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(threads > 0 ? threads : cores, most_threads);
}

}  // namespace

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>(static_cast<std::size_t>(granted(threads)))) {
  const int wanted = granted(threads);
  impl_->workers.reserve(static_cast<std::size_t>(wanted - 1));
  try {
    for (int i = 1; i < wanted; ++i)
      impl_->workers.emplace_back([this, i] { impl_->work(static_cast<std::size_t>(i)); });
  } catch (const std::system_error&) {
    // The system grants no more threads: fewer give the same results.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stop.store(true);
  }
  impl_->wake.notify_all();
  for (std::thread& worker : impl_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(impl_->workers.size()) + 1; }

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (impl_->workers.empty() || count == 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->task = &task;
    const std::size_t threads = impl_->workers.size() + 1;
    for (std::size_t t = 0; t < impl_->shares.size(); ++t) {
      const bool used = t < threads;
      impl_->shares[t].next.store(used ? t * count / threads : 0);
      impl_->shares[t].end = used ? (t + 1) * count / threads : 0;
    }
    impl_->busy.store(impl_->workers.size());
    impl_->failure = nullptr;
    impl_->round.fetch_add(1);
  }
  impl_->wake.notify_all();
  impl_->drain(0);
  const auto finished = [&] { return impl_->busy.load() == 0; };
  if (!looked_for(finished)) {
    std::unique_lock lock(impl_->mutex);
    impl_->done.wait(lock, finished);
  }
  if (impl_->failure) std::rethrow_exception(impl_->failure);
}

}  // namespace scree
