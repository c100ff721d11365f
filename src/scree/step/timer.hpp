#pragma once
// When things that recur during a run are due.
#include <cstdint>

namespace scree {

// Fires at 0, interval, 2 interval, ... rounded to whole steps; never when the interval is not positive.
class Timer {
 public:
  Timer(double interval, double dt) : interval_(interval), dt_(dt) {}

  bool due(double time) {
    if (!(interval_ > 0) || time + 0.5 * dt_ < next()) return false;
    pass(time);
    return true;
  }
  // Whatever was due up to this time has been done.
  void pass(double time) {
    if (!(interval_ > 0)) return;
    next_ = static_cast<std::uint64_t>((time + 0.5 * dt_) / interval_) + 1;
    if (time + 0.5 * dt_ >= next()) ++next_;  // a quotient that rounded down
  }
  // The time it fires at next, before rounding; never: beyond all times.
  double next() const { return interval_ > 0 ? static_cast<double>(next_) * interval_ : 1e300; }

 private:
  double interval_;
  double dt_;
  std::uint64_t next_ = 0;
};

}  // namespace scree
