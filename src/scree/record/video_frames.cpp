// Drawing ahead of the encoder.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/record/video.hpp"

namespace scree {

namespace {

// Draws frames ahead of the encoder: a few slots, filled by workers in order of need.
class DrawAhead {
 public:
  DrawAhead(std::size_t count, int width, int height, int threads, const std::function<void(std::size_t, Image&)>& draw)
      : count_(count), width_(width), height_(height), ahead_(static_cast<std::size_t>(threads) + 2), draw_(draw) {
    for (int t = 0; t < threads; ++t) workers_.emplace_back([this] { work(); });
  }
  ~DrawAhead() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  // Frame k; call with k = 0, 1, 2, ...
  Image take(std::size_t k) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || ready_.count(k) > 0; });
    if (error_) std::rethrow_exception(error_);
    Image image = std::move(ready_.at(k));
    ready_.erase(k);
    taken_ = k + 1;
    changed_.notify_all();
    return image;
  }
  // Gives a frame's memory back for another one.
  void recycle(Image image) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(image));
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || error_ || next_ >= count_ || next_ < taken_ + ahead_; });
      if (stop_ || error_ || next_ >= count_) return;
      const std::size_t k = next_++;
      Image image;
      if (!spare_.empty()) image = std::move(spare_.back()), spare_.pop_back();
      lock.unlock();
      try {
        if (image.width != width_ || image.height != height_) image = Image(width_, height_);
        draw_(k, image);
        lock.lock();
        ready_.emplace(k, std::move(image));
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        error_ = std::current_exception();
      }
      changed_.notify_all();
    }
  }

  std::size_t count_;
  int width_, height_;
  std::size_t ahead_;
  const std::function<void(std::size_t, Image&)>& draw_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, taken_ = 0;
  std::map<std::size_t, Image> ready_;
  std::vector<Image> spare_;
  std::exception_ptr error_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

void write_video(const std::filesystem::path& file, int width, int height, std::size_t count,
                 const std::function<void(std::size_t, Image&)>& draw, const VideoSettings& settings, int threads,
                 const std::function<bool(std::size_t)>& progress) {
  if (count == 0)
    throw Error(ErrorKind::input, file.string(), "there are no frames to draw", "run the scene for longer");
  VideoWriter video(file, width, height, settings);
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  DrawAhead frames(count, width, height, threads, draw);
  for (std::size_t k = 0; k < count; ++k) {
    Image image = frames.take(k);
    video.write(image);
    frames.recycle(std::move(image));
    if (progress && !progress(k + 1)) break;
  }
  video.finish();
}

}  // namespace scree
