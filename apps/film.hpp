#pragma once
// A film drawn while its run goes on: no frame need be kept.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "scree/record/part_file.hpp"
#include "scree/record/picture.hpp"
#include "scree/record/video.hpp"

namespace scree::cli {

class Film {
 public:
  // As [render] of the scene says, of a world like `first`. `.mp4` and `.gif` are encoded by ffmpeg; `.png` are
  // pictures by themselves, NAME-00000.png and on. Error(input) for other names, Error(system) when there is no ffmpeg.
  Film(const std::filesystem::path& file, const std::string& scene_text, const World& first);

  void draw(const World& world);
  void finish();
  std::size_t frames() const { return frames_; }

 private:
  std::filesystem::path file_;
  Statics statics_;
  std::optional<Picture> picture_;
  std::optional<PartFile> part_;  // or none, of pictures
  std::optional<VideoWriter> video_;
  Image image_;
  std::size_t frames_ = 0;
};

}  // namespace scree::cli
