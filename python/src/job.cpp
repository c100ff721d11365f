#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "bindings.hpp"

namespace scree::python {

namespace {

constexpr std::chrono::milliseconds look_interval(50);  // for Ctrl-C: what a person does not notice

struct Cancelled {};

class Job {
 public:
  explicit Job(const std::function<void(const JobProgress&)>& job)
      : thread_([this, &job] {
          try {
            job([this](double fraction, const std::string& what) { note(fraction, what); });
          } catch (...) { failure_ = std::current_exception(); }
          const std::lock_guard lock(mutex_);
          done_ = true;
          changed_.notify_all();
        }) {}

  // True when the job is done.
  bool wait() {
    const nb::gil_scoped_release free;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, look_interval, [this] { return done_; });
  }

  void hand_on(const nb::object& report) {
    double fraction = 0;
    std::string what;
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(news_, false)) return;
      fraction = fraction_;
      what = what_;
    }
    if (!report.is_none()) report(fraction, what);
  }

  void cancel() {
    const nb::gil_scoped_release free;
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
    }
    thread_.join();
  }

  void finish() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void note(double fraction, const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) throw Cancelled{};
    fraction_ = fraction;
    what_ = what;
    news_ = true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  double fraction_ = 0;
  std::string what_;
  bool news_ = false;
  bool cancelled_ = false;
  bool done_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

void run_job(const std::function<void(const JobProgress&)>& task, const nb::object& report) {
  Job job(task);
  try {
    while (!job.wait()) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      job.hand_on(report);
    }
    job.hand_on(report);
  } catch (...) {
    job.cancel();
    throw;
  }
  job.finish();
}

}  // namespace scree::python
