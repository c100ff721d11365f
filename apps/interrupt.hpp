#pragma once
// Ctrl-C and SIGTERM as a flag: the first asks to stop at the next safe point, the second ends the program at once.
#include <stdexcept>

namespace scree::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();

// Thrown out of long work that has no state worth saving (building maps).
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace scree::cli
