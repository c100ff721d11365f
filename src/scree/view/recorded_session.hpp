#pragma once
// A run from its file: finished, or still being written, when the pages hear of every new frame.
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>

#include "scree/view/run_info.hpp"
#include "scree/view/session.hpp"

namespace scree {

struct RecordedRun {
  std::filesystem::path file;
  Statics statics;
  std::vector<double> times;  // at least one
  std::function<Frame(std::size_t)> read;
  std::string scene_text;
  std::vector<PlotSeries> series;
};
// Title, look and scales of it; reads up to 48 frames.
RunInfo info_of(const RecordedRun& run);
// {"type": "hello", ...} with times and series.
nlohmann::json hello_of(const RunInfo& info, const RecordedRun& run);

// Samples of the columns of a run's series.csv that are worth a plot; none when there is no such file.
std::vector<PlotSeries> read_series_csv(const std::filesystem::path& file);

class RecordedSession : public ViewSession {
 public:
  // `open` opens the run, and is asked again when its file has changed.
  explicit RecordedSession(std::function<RecordedRun()> open);

  void join(ViewClient& client) override;
  void leave(ViewClient& client) override { clients_.erase(&client); }
  void receive(ViewClient& client, const Message& message) override;
  void tick() override;

 private:
  using Clock = std::chrono::steady_clock;
  void look_again();

  std::function<RecordedRun()> open_;
  RecordedRun run_;  // `read` is empty while the file cannot be opened
  RunInfo info_;
  std::size_t scaled_frames_ = 0;  // frames there were when the scales were found
  std::filesystem::file_time_type written_;
  Clock::time_point look_at_ = Clock::now();
  std::set<ViewClient*> clients_;
};

}  // namespace scree
