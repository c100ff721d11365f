#include "render_source.hpp"

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

RenderSource from_trajectory(const fs::path& file) {
  const auto reader = std::make_shared<TrajectoryReader>(file);
  RenderSource source;
  source.file = file;
  source.statics = reader->statics();
  source.times = reader->times();
  source.read = [reader](std::size_t k) { return reader->read(k); };
  source.scene_text = scene_text_of(source.statics.run_json);
  return source;
}

RenderSource from_state(const fs::path& file) {
  const SavedState state = read_state(file);
  const auto frame = std::make_shared<const Frame>(frame_of(state.world));
  RenderSource source;
  source.file = file;
  source.statics = statics_of(state.world);
  source.times = {frame->time};
  source.read = [frame](std::size_t) { return *frame; };
  source.scene_text = state.scene_text;
  return source;
}

RenderSource from_file(const fs::path& file) {
  return recorded_format(file) == "scree-state" ? from_state(file) : from_trajectory(file);
}

RenderSource from_folder(const fs::path& folder) {
  const fs::path trajectory = folder / "trajectory.h5";
  const bool recorded = fs::exists(trajectory);
  RenderSource source;
  if (recorded) source = from_trajectory(trajectory);
  if (!source.times.empty()) return source;
  // A run that failed before its first frame leaves a state; the failed one is the later.
  for (const char* name : {"failed-state.h5", "state.h5"}) {
    if (!fs::exists(folder / name)) continue;
    say("scree: " + folder.string() + " has no frames; drawing " + name + "\n");
    return from_state(folder / name);
  }
  if (recorded) return source;
  throw Error(ErrorKind::input, folder.string(), "no trajectory.h5 and no state.h5 in this folder",
              "name the folder that `scree run -o` wrote");
}

}  // namespace

RenderSource open_source(const fs::path& input) {
  RenderSource source = fs::is_directory(input) ? from_folder(input) : from_file(input);
  if (source.times.empty())
    throw Error(ErrorKind::input, source.file.string(), "no frame in this file yet", "let the run get further");
  return source;
}

}  // namespace scree::cli
