#include "film.hpp"

#include <fmt/format.h>

#include "output_file.hpp"
#include "scree/record/scene_look.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

Film::Film(const fs::path& file, const std::string& scene_text, const World& first)
    : file_(file), statics_(statics_of(first)) {
  require_extension("--film", file.string(), {".mp4", ".gif", ".png"});
  const SceneLook look = look_of_scene(scene_text);
  picture_.emplace(statics_, look.style, find_scales(statics_, frame_of(first)));
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  if (file.extension() == ".png") return;
  VideoSettings settings;
  settings.fps = look.fps;
  if (file.extension() == ".gif") settings.format = VideoFormat::gif;
  part_.emplace(file);
  video_.emplace(part_->temporary(), picture_->width(), picture_->height(), settings);
}

void Film::draw(const World& world) {
  picture_->draw(frame_of(world), image_);
  if (video_) {
    video_->write(image_);
  } else {
    fs::path numbered = file_;
    numbered.replace_filename(fmt::format("{}-{:05}.png", file_.stem().string(), frames_));
    write_png(image_, numbered);
  }
  ++frames_;
}

void Film::finish() {
  if (!video_) return;
  video_->finish();
  part_->commit();
}

}  // namespace scree::cli
