#include "scree/base/background.hpp"

#include <utility>

namespace scree {

Background::Background(std::size_t most) : most_(most), thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::throw_failure(std::unique_lock<std::mutex>& lock) {
  if (!failure_) return;
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  lock.unlock();
  std::rethrow_exception(failure);
}

void Background::post(std::function<void()> piece) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || waiting_.size() < most_; });
  throw_failure(lock);
  if (failed_) return;
  waiting_.push_back(std::move(piece));
  changed_.notify_all();
}

void Background::check() {
  std::unique_lock lock(mutex_);
  throw_failure(lock);
}

void Background::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || (waiting_.empty() && !busy_); });
  throw_failure(lock);
}

void Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::function<void()> piece = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      piece();
    } catch (...) { thrown = std::current_exception(); }
    lock.lock();
    busy_ = false;
    if (thrown) {
      failed_ = true;
      failure_ = thrown;
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

}  // namespace scree
