#pragma once
// Wall-clock time of stretches of work. What it reads never enters a result.
#include <chrono>

namespace scree {

class Stopwatch {
 public:
  // Seconds since the last lap, or since it was made.
  double lap() {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }
  // The same without starting a new one.
  double seconds() const { return std::chrono::duration<double>(Clock::now() - last_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace scree
