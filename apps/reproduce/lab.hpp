#pragma once
// Where an experiment works: it runs scenes into the experiment's folder, through the same path as `scree run`, and
// reads numbers and pictures from them. A finished run of the same scene in the folder is used again, so that what was
// interrupted goes on where it stopped.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure_output.hpp"
#include "reproduce/experiment.hpp"
#include "run_source.hpp"
#include "scree/scene/scene.hpp"
#include "terminal.hpp"

namespace scree::cli {

struct LabSettings {
  std::filesystem::path folder;  // of the experiment
  std::filesystem::path scenes;
  bool quick = false;
  int threads = 0;
  bool again = false;  // use no finished run
};

// A finished run.
struct RunRecord {
  std::string label;
  std::filesystem::path folder;
  double wall_seconds = 0;
  double time = 0;  // simulated
  std::size_t steps = 0;
  std::size_t grains = 0;
  std::size_t contacts = 0;
  double residual = 0;   // of the energy ledger, relative
  double map_error = 0;  // largest RMSE of the gap among its maps, in radii
  std::string failure;   // of the watchdog; empty: it reached its end
  bool failed() const { return !failure.empty(); }
};

// A measure read from frames of a run.
class Readings {
 public:
  explicit Readings(Measured measured) : m_(std::move(measured)) {}
  const std::vector<double>& times() const { return m_.times; }
  // Values of a column over time; `unknown` where it is not defined. The name must be one of the measure's.
  std::vector<double> column(const std::string& name) const;
  double last(const std::string& name) const { return column(name).back(); }
  // A column of the table of the last frame.
  std::vector<double> table(const std::string& name) const;

 private:
  Measured m_;
};

enum class Frames { all, last };

// Of the text of a scene, which says all that a run depends on.
std::string scene_hash(const Scene& scene);

class Lab {
 public:
  Lab(LabSettings settings, ProgressLine& line) : settings_(std::move(settings)), line_(line) {}

  bool quick() const { return settings_.quick; }
  // `small` in the quick version, `full` otherwise.
  template <class T>
  T pick(T small, T full) const {
    return settings_.quick ? small : full;
  }
  ProgressLine& line() const { return line_; }
  const std::filesystem::path& folder() const { return settings_.folder; }

  // Runs a file of the scenes folder. What the watchdog stops throws Error(physics), unless `may_fail`. Ctrl-C throws
  // Interrupted.
  RunRecord run(const std::string& label, const std::string& scene, const std::vector<std::string>& overrides = {},
                bool may_fail = false);

  static RunSource frames(const RunRecord& run) { return open_source(run.folder); }
  // `spec`: as for `scree measure -m`.
  static Readings measure(const RunRecord& run, const std::string& spec, Frames frames = Frames::last);
  // PNG of the frame nearest to `time` (left out: the last) with the scene's own look.
  Figure picture(const RunRecord& run, const std::string& caption, std::optional<double> time = {}, bool forces = false,
                 int width = 640) const;

  const std::vector<UsedScene>& scenes() const { return used_; }
  double seconds() const { return seconds_; }  // of all runs, whenever they were made

 private:
  std::optional<RunRecord> finished(const std::filesystem::path& folder, const std::string& scene_text) const;

  LabSettings settings_;
  ProgressLine& line_;
  std::vector<UsedScene> used_;
  double seconds_ = 0;
};

}  // namespace scree::cli
