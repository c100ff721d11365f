#pragma once
// Work done on a thread of its own, one piece after the other in the order in which it was handed over, while whoever
// hands it over goes on.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace scree {

class Background {
 public:
  // At most `most` pieces wait; post() waits for a place.
  explicit Background(std::size_t most);
  // The piece under way is finished, what still waits is not begun.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Each of these throws what a piece threw before, once; no piece is begun after one that threw.
  void post(std::function<void()> piece);
  void check();
  void finish();  // waits until nothing is left

 private:
  void work();
  void throw_failure(std::unique_lock<std::mutex>& lock);

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false, stop_ = false, failed_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace scree
