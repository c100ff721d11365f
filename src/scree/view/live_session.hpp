#pragma once
// A scene that runs while it is looked at. The simulation has a thread of its own; commands wait in a queue until a
// step is done. What was shown can be scrubbed: frames are kept in memory, every other one dropped when they are many.
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "scree/measure/live_measure.hpp"
#include "scree/step/timer.hpp"
#include "scree/view/live_run.hpp"
#include "scree/view/run_info.hpp"
#include "scree/view/session.hpp"

namespace scree {

struct LiveOptions {
  std::string title;
  SceneLook look;
  double frame_interval = 0;  // simulated time between frames that are kept
  double end = 0;             // pauses there, once
  std::vector<MeasureSettings> measures;
  bool paused = false;  // at the start
  double pace = 1;      // simulated time a second; 0: as fast as it goes
  std::size_t history_bytes = 256ull << 20;
};

class LiveSession : public ViewSession {
 public:
  LiveSession(World world, const StepSettings& settings, LiveOptions options);
  ~LiveSession() override;

  void join(ViewClient& client) override;
  void leave(ViewClient& client) override;
  void receive(ViewClient& client, const Message& message) override;
  void tick() override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    double time;
    std::shared_ptr<const Bytes> frame;
  };
  struct Sampled {
    LiveMeasure measure;
    Timer timer;
    std::size_t first = 0;  // of its columns in series_
  };

  // Of the simulation's thread.
  void loop();
  bool take_commands();
  void carry_out(const Message& command);
  bool ahead() const;
  void advance();
  void record();
  void keep_frame(std::shared_ptr<const Bytes> frame);
  void sample(double time);
  void find_new_scales();
  void start_again();
  std::shared_ptr<const Bytes> encoded();
  void publish();
  void publish_controls();
  void reset_clock();
  void say(std::string message);

  // Of the server's thread.
  nlohmann::json status() const;
  nlohmann::json grown() const;
  void tell_all(const std::string& text);
  void answer_waiting();

  LiveOptions options_;
  LiveRun run_;
  RunInfo info_;  // scales by the simulation's thread, under the mutex
  nlohmann::json hello_;

  // Simulation's thread alone.
  std::vector<Sampled> measures_;
  Timer frame_timer_;
  double frame_interval_;
  std::vector<Frame> samples_;  // spread over the session, for scales
  std::size_t sample_stride_ = 1, frames_seen_ = 0, scaled_frames_ = 0;
  bool ended_ = false;
  int steps_left_ = 0;  // while paused
  Clock::time_point clock_start_, rate_start_;
  double clock_time_ = 0;
  std::uint64_t rate_step_ = 0;
  std::uint32_t revision_ = 0;
  Clock::time_point published_at_;

  // Between the two.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Message> commands_;
  bool stop_ = false, wanted_ = false, paused_ = false;
  double pace_ = 1;
  double time_ = 0, steps_per_second_ = 0;
  std::uint64_t step_ = 0;
  std::string failure_;
  std::shared_ptr<const Bytes> latest_;
  std::vector<Kept> history_;
  std::size_t history_bytes_ = 0;
  std::vector<PlotSeries> series_;
  nlohmann::json controls_;
  bool controls_new_ = false;
  std::vector<std::string> outbox_;
  bool status_new_ = true, history_new_ = false, scales_new_ = false;

  // Server's thread alone.
  std::map<ViewClient*, std::optional<FrameRequest>> clients_;  // with the request that waits for a newer frame
  Clock::time_point status_at_, grown_at_;

  std::thread thread_;
};

}  // namespace scree
