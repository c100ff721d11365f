#pragma once
// A run with its progress on the terminal: what `scree run`, `scree reproduce` and `scree compare` share.
#include <string>
#include <vector>

#include "run_scene.hpp"
#include "terminal.hpp"

namespace scree::cli {

// One line on the terminal while a scene runs; `name` stands before it when there are several runs to tell apart.
class ShownRun : public RunObserver {
 public:
  explicit ShownRun(ProgressLine& line, std::string name = {}) : line_(line), name_(std::move(name)) {}
  bool wants_status() override { return line_.due(); }
  void status(const RunStatus& s) override;

 private:
  ProgressLine& line_;
  std::string name_;
  double last_wall_ = 0;
  double last_time_ = 0;
  double pace_ = 0;  // simulated time a second
};

struct MappedRun {
  std::vector<MapUse> maps;
  RunResult result;
};
// Maps and run, on scene.step.threads threads, with their progress. The folder is prepared. Ctrl-C while maps are built
// throws Interrupted; during the run it ends it.
MappedRun run_shown(Scene& scene, const RunOptions& options, bool no_cache, ProgressLine& line,
                    const std::string& name = {});

// A word as a POSIX shell takes it.
std::string shell_word(const std::string& word);
// `scree run SCENE -o FOLDER --set ...`, to be copied into a shell; an empty folder is left out.
std::string run_command(const std::string& scene, const std::string& folder, const std::vector<std::string>& overrides);

}  // namespace scree::cli
