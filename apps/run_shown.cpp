#include "run_shown.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scene_options.hpp"

namespace scree::cli {

void ShownRun::status(const RunStatus& s) {
  const double fraction = s.end_time > 0 ? s.time / s.end_time : 1;
  // The pace of late changes as grains come and touch, so the rest is judged by the last stretch, not the whole.
  const double stretch = s.wall_seconds - last_wall_;
  if (stretch > 0) {
    const double pace = (s.time - last_time_) / stretch;
    pace_ = pace_ > 0 ? 0.9 * pace_ + 0.1 * pace : pace;
  }
  last_wall_ = s.wall_seconds;
  last_time_ = s.time;
  line_.show(fraction, fmt::format("{}t {:.3g}/{:.4g}  {} left  {:.0f} steps/s  {} grains  {} contacts  dE {:.0e}",
                                   name_.empty() ? "" : name_ + "  ", s.time, s.end_time,
                                   short_duration((s.end_time - s.time) / pace_), s.steps_per_second, grouped(s.grains),
                                   grouped(s.stats.contacts), std::abs(s.ledger.relative_residual())));
}

MappedRun run_shown(Scene& scene, const RunOptions& options, bool no_cache, ProgressLine& line,
                    const std::string& name) {
  MappedRun out;
  {
    ThreadPool pool(scene.step.threads);
    out.maps = attach_maps_shown(scene, no_cache, pool, line);
  }
  ShownRun observer(line, name);
  out.result = run_scene(scene, out.maps, options, observer);
  line.clear();
  return out;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+./=:,@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string run_command(const std::string& scene, const std::string& folder,
                        const std::vector<std::string>& overrides) {
  std::string out = "scree run " + shell_word(scene);
  if (!folder.empty()) out += " -o " + shell_word(folder);
  for (const std::string& s : overrides) out += " --set " + shell_word(s);
  return out;
}

}  // namespace scree::cli
