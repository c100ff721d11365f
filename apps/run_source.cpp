#include "run_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "scree/base/error.hpp"
#include "scree/record/file_format.hpp"
#include "scree/record/scene_look.hpp"
#include "scree/record/state.hpp"
#include "scree/record/trajectory.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

RunSource from_trajectory(const fs::path& file) {
  const auto reader = std::make_shared<TrajectoryReader>(file);
  RunSource source;
  source.file = file;
  source.statics = reader->statics();
  source.times = reader->times();
  source.read = [reader](std::size_t k) { return reader->read(k); };
  source.scene_text = scene_text_of(source.statics.run_json);
  return source;
}

RunSource from_state(const fs::path& file) {
  const SavedState state = read_state(file);
  const auto frame = std::make_shared<const Frame>(frame_of(state.world));
  RunSource source;
  source.file = file;
  source.statics = statics_of(state.world);
  source.times = {frame->time};
  source.read = [frame](std::size_t) { return *frame; };
  source.scene_text = state.scene_text;
  return source;
}

RunSource from_file(const fs::path& file) {
  return recorded_format(file) == "scree-state" ? from_state(file) : from_trajectory(file);
}

RunSource from_folder(const fs::path& folder) {
  const fs::path trajectory = folder / "trajectory.h5";
  const bool recorded = fs::exists(trajectory);
  RunSource source;
  if (recorded) source = from_trajectory(trajectory);
  if (!source.times.empty()) return source;
  // A run that failed before its first frame leaves a state; the failed one is the later.
  for (const char* name : {"failed-state.h5", "state.h5"}) {
    if (!fs::exists(folder / name)) continue;
    say("scree: " + folder.string() + " has no frames; using " + name + "\n");
    return from_state(folder / name);
  }
  if (recorded) return source;
  throw Error(ErrorKind::input, folder.string(), "no trajectory.h5 and no state.h5 in this folder",
              "name the folder that `scree run -o` wrote");
}

}  // namespace

std::size_t RunSource::frame_at(double time) const {
  // Not by the least difference: beyond the end all differences may round to the same.
  const auto after = std::lower_bound(times.begin(), times.end(), time);
  if (after == times.end()) return times.size() - 1;
  const auto k = static_cast<std::size_t>(after - times.begin());
  return k > 0 && time - times[k - 1] <= times[k] - time ? k - 1 : k;
}

namespace {

std::size_t frame_number(const std::string& text, std::size_t last, const char* option, const std::string& forms) {
  if (text == "last") return last;
  std::size_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc{} || end != text.data() + text.size() || n > last)
    throw Error(ErrorKind::input, option, "there is no frame \"" + text + "\"",
                fmt::format("write {}, with numbers from 0 to {}", forms, last));
  return n;
}

}  // namespace

std::size_t RunSource::frame_named(const std::string& frame) const {
  return frame_number(frame, times.size() - 1, "--frame", "last, or a number");
}

std::vector<std::size_t> RunSource::frames_named(const std::string& range, std::size_t every) const {
  const std::size_t dots = range.find("..");
  const auto number = [&](const std::string& text) {
    return frame_number(text, times.size() - 1, "--frames", "all, last, N or N..M");
  };
  std::size_t first = 0, last = times.size() - 1;
  if (range != "all") {
    first = number(range.substr(0, dots));
    last = dots == std::string::npos ? first : number(range.substr(dots + 2));
  }
  if (first > last)
    throw Error(ErrorKind::input, "--frames", "\"" + range + "\" runs backwards", "write the lower number first");
  std::vector<std::size_t> frames;
  const std::size_t step = std::clamp<std::size_t>(every, 1, times.size());  // no sum wraps around
  for (std::size_t k = first; k <= last; k += step) frames.push_back(k);
  return frames;
}

RunSource open_source(const fs::path& input) {
  RunSource source = fs::is_directory(input) ? from_folder(input) : from_file(input);
  if (source.times.empty())
    throw Error(ErrorKind::input, source.file.string(), "no frame in this file yet", "let the run get further");
  return source;
}

}  // namespace scree::cli
