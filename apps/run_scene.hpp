#pragma once
// A run: a scene with its maps, stepped to the end, with the files of a run folder written on the way. No terminal
// code: an observer hears of the progress.
//
// Files: run.json, scene.toml (and files it refers to), trajectory.h5, series.csv, measure-*.csv and table-*.csv,
// state.h5; failed-state.h5 when the watchdog stopped the run. Every one is complete or resumable whenever the process
// is killed.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/record/state.hpp"
#include "scree/scene/maps.hpp"

namespace scree::cli {

// Where a run that goes on starts from. The scene's world is the saved one.
struct Restart {
  double time = 0;
  std::uint64_t step = 0;
  std::vector<MeasureMemory> measures;
  std::string record;   // run.json as it was
  std::string command;  // that goes on
};

struct RunOptions {
  std::filesystem::path folder;          // exists; prepare_folder() has been called
  std::optional<double> until;           // stop at this time instead of the scene's duration
  std::function<bool()> stop_requested;  // asked after every step; may be empty
  std::string command;                   // for run.json
  std::optional<Restart> restart = {};   // the folder holds the files of the run so far
  std::filesystem::path film = {};       // gets the frames, which are not kept then, but for the first; may be empty
};

struct RunStatus {
  double time = 0;
  double end_time = 0;
  std::uint64_t step = 0;
  std::size_t grains = 0;
  StepStats stats;
  Ledger ledger;
  double wall_seconds = 0;
  double steps_per_second = 0;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual bool wants_status() { return false; }  // asked after every step; must be cheap
  virtual void status(const RunStatus&) {}
};

enum class RunEnd { finished, interrupted, failed };

struct LargeStepEnd {
  double overlap = 0;    // the deepest, in units of the smallest moving grain's circumradius, as `step.overlap`
  bool at_rest = false;  // nothing is faster than what gravity gives in a step
};

struct RunResult {
  RunEnd end = RunEnd::finished;
  std::optional<Error> failure;  // of the watchdog
  RunStatus last;
  double dt = 0;
  std::size_t frames = 0;
  std::uint64_t state_hash = 0;
  std::uint64_t deleted = 0;
  std::optional<LargeStepEnd> large_steps;   // of the implicit solver
  std::vector<std::filesystem::path> files;  // written, relative to the folder
  std::vector<std::string> undefined;        // of each measure that had no value at any sample: which, and why
};

// Takes the world out of `scene`. With `restart`, frames and lines of the files that are later than the state are
// dropped and come anew, so that all files end as those of a run that was never stopped. Error(system) when a file
// cannot be written.
RunResult run_scene(Scene& scene, const std::vector<MapUse>& maps, const RunOptions& options, RunObserver& observer);

// Keeps other runs out of a folder while it lives: an advisory lock on the file `.lock` in it, which the kernel lets go
// when the process ends, however it ends. What a killed run left half-written is removed when it is taken.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);  // Error(system) when another run holds it
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

// The text of the run.json in `folder`.
std::string recorded_run(const std::filesystem::path& folder);
// The names of the files that the run recorded in `folder` wrote or will write; none when there is no such record.
std::vector<std::string> recorded_files(const std::filesystem::path& folder);

// Makes the folder and takes its lock, to be held for the whole run. One that is not empty is refused, unless `force`
// is set and it holds a run of scree: then the files of that run, and nothing else, are removed.
std::unique_ptr<FolderLock> prepare_folder(const std::filesystem::path& folder, const Scene& scene, bool force);

}  // namespace scree::cli
