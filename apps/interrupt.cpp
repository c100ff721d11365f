#include "interrupt.hpp"

#include <csignal>

namespace scree::cli {

namespace {

volatile std::sig_atomic_t flag = 0;

void on_signal(int signal) {
  flag = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool interrupted() { return flag != 0; }

}  // namespace scree::cli
