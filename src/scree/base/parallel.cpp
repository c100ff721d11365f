#include "scree/base/parallel.hpp"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

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

thread_local const void* at_work_for = nullptr;  // the pool of the task that this thread is in

// How many forks lie between this process and the first. Threads do not come along into a child, only what they held.
std::atomic<int>& forks() {
  static std::atomic<int> count{0};
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1); });
  (void)registered;
  return count;
}

// Consecutive indices that belong to one thread. Others help once they have none of their own: so a thread meets the
// same part of the data in every loop, and finds it in its caches.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
};

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(int threads) : shares(static_cast<std::size_t>(threads)) {
    workers.reserve(shares.size() - 1);
    try {
      for (std::size_t i = 1; i < shares.size(); ++i) workers.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {
      // The system grants no more threads: fewer give the same results.
    }
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stop.store(true);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  const int born = forks().load();
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
    const void* const before = std::exchange(at_work_for, this);
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
    at_work_for = before;
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

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>(granted(threads))) {}

ThreadPool::~ThreadPool() {
  if (forked()) (void)impl_.release();
}

// What was made before a fork has no threads here, and its locks may be held for ever: it is left where it lies.
bool ThreadPool::forked() const { return !impl_->workers.empty() && impl_->born != forks().load(); }

int ThreadPool::threads() const { return static_cast<int>(impl_->workers.size()) + 1; }

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (forked()) {
    const int threads = this->threads();
    (void)impl_.release();
    impl_ = std::make_unique<Impl>(threads);
  }
  if (impl_->workers.empty() || count == 1 || at_work_for == impl_.get()) {
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
