// `scree render`: pictures and videos of a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "run_source.hpp"
#include "scree/base/error.hpp"
#include "scree/record/scene_look.hpp"
#include "scree/record/video.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string input;
  std::vector<std::string> outputs;
  std::string video, poster, frame = "last", size, colour, view, theme, title, units;
  double time = -1, fps = 0;
  std::size_t every = 1;
  bool forces = false, no_legend = false, no_walls = false, no_time = false, no_scale_bar = false;
  bool colour_fixed = false, quiet = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string size_text(const fs::path& file) {
  const double bytes = static_cast<double>(fs::file_size(file));
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

// Numbers separated by `mark`, exactly `count` of them.
std::vector<double> numbers(const std::string& text, char mark, std::size_t count, const std::string& option,
                            const std::string& form) {
  std::vector<double> out;
  for (const std::string& word : CLI::detail::split(text, mark)) {
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(word, &used);
    } catch (const std::exception&) { used = 0; }
    if (used == 0 || used != word.size() || !std::isfinite(value)) break;
    out.push_back(value);
  }
  if (out.size() != count || std::count(text.begin(), text.end(), mark) != static_cast<std::ptrdiff_t>(count - 1))
    throw Error(ErrorKind::input, option, "\"" + text + "\" is not understood", "write " + form);
  return out;
}

void set_size(PictureStyle& style, const std::string& size) {
  const std::vector<double> wh = numbers(size, 'x', 2, "--size", "WIDTHxHEIGHT, such as 1920x1080; height 0: as fits");
  if (wh[0] < 16 || wh[0] > 16384 || wh[1] < 0 || wh[1] > 16384 || wh[0] != std::floor(wh[0]) ||
      wh[1] != std::floor(wh[1]))
    throw Error(ErrorKind::input, "--size", size + " pixels is not possible", "use whole numbers from 16 to 16384");
  style.width = static_cast<int>(wh[0]);
  style.height = static_cast<int>(wh[1]);
}

// The scene's own [render] table, then what the options say.
SceneLook look_of(const Options& o, const RunSource& source) {
  SceneLook look = look_of_scene(source.scene_text);
  PictureStyle& style = look.style;
  if (!o.size.empty()) set_size(style, o.size);
  if (!o.colour.empty()) style.colour = parse_colour_by(o.colour);
  if (!o.theme.empty()) style.theme = o.theme == "dark" ? dark_theme() : light_theme();
  if (!o.units.empty()) set_units(style, o.units);
  if (!o.view.empty()) {
    const auto v = numbers(o.view, ',', 4, "--view", "x0,y0,x1,y1");
    if (v[0] >= v[2] || v[1] >= v[3])
      throw Error(ErrorKind::input, "--view", "the region has no area", "write x0,y0,x1,y1 with x0 < x1 and y0 < y1");
    style.view = Box{{v[0], v[1]}, {v[2], v[3]}};
  }
  style.title = o.title;
  style.forces |= o.forces;
  style.legend &= !o.no_legend;
  style.walls &= !o.no_walls;
  style.time &= !o.no_time;
  style.scale_bar &= !o.no_scale_bar;
  style.neutral_fixed = !o.colour_fixed;
  if (o.fps > 0) look.fps = o.fps;
  return look;
}

void draw_poster(const fs::path& file, const Picture& picture, const RunSource& source, std::size_t frame) {
  const auto start = Clock::now();
  write_png(picture.draw(source.read(frame)), file);
  fmt::print("{}  {}x{}, frame {} at t = {:.6g}, {}, in {}\n", file.string(), picture.width(), picture.height(), frame,
             source.times[frame], size_text(file), duration(seconds_since(start)));
}

void draw_video(const fs::path& file, const Picture& picture, const RunSource& source, const SceneLook& look,
                const Options& o) {
  const std::size_t count = (source.times.size() + o.every - 1) / o.every;
  VideoSettings settings;
  settings.fps = look.fps;
  ProgressLine line(o.quiet);
  const auto start = Clock::now();
  std::mutex reading;  // HDF5 reads one thing at a time
  const auto draw = [&](std::size_t k, Image& image) {
    Frame frame;
    {
      const std::lock_guard lock(reading);
      frame = source.read(k * o.every);
    }
    picture.draw(frame, image);
  };
  std::size_t written = 0;
  const auto progress = [&](std::size_t done) {
    written = done;
    if (line.due()) {
      const double rate = static_cast<double>(done) / seconds_since(start);
      line.show(fmt::format("{} frame {}/{}  {:.1f} frames/s  {} left", bar(double(done) / double(count)), done, count,
                            rate, duration(static_cast<double>(count - done) / rate)));
    }
    return !interrupted();
  };
  write_video(file, picture.width(), picture.height(), count, draw, settings, 0, progress);
  line.clear();
  fmt::print("{}  {}x{}, {} frames, {:.1f} s at {:g} fps, {}, in {}\n", file.string(), picture.width(),
             picture.height(), written, static_cast<double>(written) / look.fps, look.fps, size_text(file),
             duration(seconds_since(start)));
  if (written < count) {
    say(fmt::format("scree: interrupted; the video ends at frame {} of {}\n", written, count));
    throw CLI::RuntimeError(exit_interrupted);
  }
}

// Sorts -o by extension, and fills in the defaults of a bare folder.
void choose_outputs(Options& o, const RunSource& source) {
  require_extension("--video", o.video, ".mp4");
  require_extension("--poster", o.poster, ".png");
  for (const std::string& name : o.outputs) {
    const std::string ext = fs::path(name).extension();
    std::string& slot = ext == ".mp4" ? o.video : o.poster;
    if (ext != ".mp4" && ext != ".png")
      throw Error(ErrorKind::input, name, "this kind of file cannot be written",
                  "use a name that ends in .png or .mp4");
    if (!slot.empty()) throw Error(ErrorKind::input, name, "a second " + ext + " file", "render twice instead");
    slot = name;
  }
  if (o.video.empty() && o.poster.empty()) {
    const fs::path folder = source.file.parent_path();
    o.poster = (folder / "poster.png").string();
    if (source.times.size() > 1) o.video = (folder / "video.mp4").string();
  }
  if (!o.video.empty() && source.times.size() < 2)
    throw Error(ErrorKind::input, source.file.string(), "one frame makes no video", "draw a .png instead");
}

void render(Options o) {
  const RunSource source = open_source(o.input);
  choose_outputs(o, source);
  const SceneLook look = look_of(o, source);
  const std::size_t frame = o.time >= 0 ? source.frame_at(o.time) : source.frame_named(o.frame);
  const InterruptGuard guard;
  Scales scales = find_scales(source.statics, source.times.size(), source.read);
  const Picture picture(source.statics, look.style, scales);
  if (!o.poster.empty()) draw_poster(o.poster, picture, source, frame);
  if (!o.video.empty()) draw_video(o.video, picture, source, look, o);
}

void add_look_options(CLI::App& c, Options& o) {
  c.add_option("--size", o.size, "pixels, WxH; height 0: as the view asks for (default: [render], 1280x0)");
  c.add_option("--color,--colour", o.colour, "what colour means: type, group, speed, force or angle");
  c.add_flag("--forces", o.forces, "draw contact forces as a network, line width by force");
  c.add_option("--view", o.view, "world region x0,y0,x1,y1 (default: [render], or walls and grains of the whole run)");
  c.add_option("--theme", o.theme, "light or dark ground")->check(CLI::IsMember({"light", "dark"}));
  c.add_option("--title", o.title, "text at the top left");
  c.add_option("--units", o.units, "labels: SI, none, or names of length, time and force such as mm,s,N");
  c.add_flag("--color-fixed", o.colour_fixed, "colour fixed and driven grains like the others, not grey");
  c.add_flag("--no-legend", o.no_legend, "leave the legend out");
  c.add_flag("--no-walls", o.no_walls, "leave the walls out");
  c.add_flag("--no-time", o.no_time, "leave the time out");
  c.add_flag("--no-scale-bar", o.no_scale_bar, "leave the scale bar out");
}

}  // namespace

void add_render_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("render", "draw a run: PNG pictures and MP4 videos");
  c->add_option("input", o.input, "folder of a run, a trajectory.h5 or a state.h5")->required();
  c->add_option("-o,--output", o.outputs, "file to write, .png or .mp4; may be given twice, once for each")
      ->type_name("FILE");
  c->add_option("--video", o.video, "MP4 file to write")->type_name("FILE");
  c->add_option("--poster", o.poster, "PNG file to write")->type_name("FILE");
  auto* frame = c->add_option("--frame", o.frame, "frame of the PNG: a number from 0, or last")->capture_default_str();
  c->add_option("--time", o.time, "time of the PNG: the nearest frame")->excludes(frame)->check(not_negative_number);
  c->add_option("--every", o.every, "use every Nth frame in the video")->check(CLI::PositiveNumber);
  c->add_option("--fps", o.fps, "video frames a second (default: [render], 30)")
      ->check(finite_number)
      ->check(CLI::Range(0.1, 240.0));
  add_look_options(*c, o);
  c->add_flag("-q,--quiet", o.quiet, "no progress line");
  c->footer("Without -o, --video and --poster it writes video.mp4 and poster.png beside the trajectory.");
  c->callback([options] { render(*options); });
}

}  // namespace scree::cli
