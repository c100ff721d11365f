#pragma once
// Videos: frames drawn here, encoded by the `ffmpeg` program (H.264 in MP4, yuv420p, plays everywhere; or GIF).
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "scree/record/image.hpp"

namespace scree {

enum class VideoFormat { mp4, gif };

struct VideoSettings {
  VideoFormat format = VideoFormat::mp4;
  double fps = 30;
  int crf = 20;  // quality of H.264: lower is better and larger
  std::string preset = "veryfast";
  std::string program = "ffmpeg";  // looked up in PATH
};

// One running encoder. Frames all have the same, even size. Error(system) with ffmpeg's last lines when it fails, and
// with the package to install when it is missing.
class VideoWriter {
 public:
  VideoWriter(const std::filesystem::path& file, int width, int height, const VideoSettings& settings = {});
  ~VideoWriter();  // an unfinished video is abandoned and its file removed
  VideoWriter(const VideoWriter&) = delete;

  void write(const Image& frame);
  // Waits for the encoder. The file is complete afterwards.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes `count` frames, drawing the next ones on `threads` threads while ffmpeg encodes. draw(k, image) fills frame k
// and is called from several threads at once. `progress(done)` after every frame, from the calling thread; when it
// returns false the video ends there.
void write_video(const std::filesystem::path& file, int width, int height, std::size_t count,
                 const std::function<void(std::size_t, Image&)>& draw, const VideoSettings& settings = {},
                 int threads = 0, const std::function<bool(std::size_t)>& progress = {});

}  // namespace scree
