#include "draw_run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <mutex>

#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/record/part_file.hpp"
#include "scree/record/video.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

std::string size_text(std::uintmax_t bytes) {
  const double size = static_cast<double>(bytes);
  return size < 1e6 ? fmt::format("{:.0f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6);
}

void draw_picture(const fs::path& file, const Picture& picture, const RunSource& source, std::size_t frame) {
  const Stopwatch watch;
  PartFile part(file);
  if (file.extension() == ".svg") {
    picture.write_svg(source.read(frame), part.temporary());
  } else {
    write_png(picture.draw(source.read(frame)), part.temporary());
  }
  part.commit();
  fmt::print("{}  {}x{}, frame {} at t = {:.6g}, {}, in {}\n", file.string(), picture.width(), picture.height(), frame,
             source.times[frame], size_text(fs::file_size(file)), duration(watch.seconds()));
}

void draw_film(const fs::path& file, const Picture& picture, const RunSource& source,
               const std::vector<std::size_t>& frames, double fps, bool quiet) {
  const std::size_t count = frames.size();
  VideoSettings settings;
  settings.fps = fps;
  if (file.extension() == ".gif") settings.format = VideoFormat::gif;
  ProgressLine line(quiet);
  const Stopwatch watch;
  std::mutex reading;  // HDF5 reads one thing at a time
  const auto draw = [&](std::size_t k, Image& image) {
    Frame frame;
    {
      const std::lock_guard lock(reading);
      frame = source.read(frames[k]);
    }
    picture.draw(frame, image);
  };
  std::size_t written = 0;
  const auto progress = [&](std::size_t done) {
    written = done;
    if (line.due()) {
      const double rate = static_cast<double>(done) / watch.seconds();
      line.show(fmt::format("{} frame {}/{}  {:.1f} frames/s  {} left", bar(double(done) / double(count)), done, count,
                            rate, duration(static_cast<double>(count - done) / rate)));
    }
    return !interrupted();
  };
  PartFile part(file);
  write_video(part.temporary(), picture.width(), picture.height(), count, draw, settings, 0, progress);
  part.commit();
  line.clear();
  fmt::print("{}  {}x{}, {} frames, {:.1f} s at {:g} fps, {}, in {}\n", file.string(), picture.width(),
             picture.height(), written, static_cast<double>(written) / fps, fps, size_text(fs::file_size(file)),
             duration(watch.seconds()));
  if (written < count) {
    say(fmt::format("scree: interrupted; the film ends at frame {} of {}\n", written, count));
    throw CLI::RuntimeError(exit_interrupted);
  }
}

}  // namespace scree::cli
