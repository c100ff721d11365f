// `scree render`: pictures and videos of a run.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "draw_run.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "picture_options.hpp"
#include "run_source.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string input;
  std::vector<std::string> outputs;
  std::string video, poster, frame = "last";
  PictureOptions picture;
  double time = -1;
  std::size_t every = 1;
  bool quiet = false;
};

// Sorts -o by extension, and fills in the defaults of a bare folder.
void choose_outputs(Options& o, const RunSource& source) {
  require_extension("--video", o.video, {".mp4", ".gif"});
  require_extension("--poster", o.poster, {".png", ".svg"});
  for (const std::string& name : o.outputs) {
    const std::string ext = fs::path(name).extension();
    const bool film = ext == ".mp4" || ext == ".gif";
    std::string& slot = film ? o.video : o.poster;
    require_extension("-o", name, {".png", ".svg", ".mp4", ".gif"});
    if (!slot.empty())
      throw Error(ErrorKind::input, name, film ? "a second film" : "a second picture", "render twice instead");
    slot = name;
  }
  if (o.video.empty() && o.poster.empty()) {
    const fs::path folder = source.file.parent_path();
    o.poster = (folder / "poster.png").string();
    if (source.times.size() > 1) o.video = (folder / "video.mp4").string();
  }
  if (!o.video.empty() && source.times.size() < 2)
    throw Error(ErrorKind::input, source.file.string(), "one frame makes no film", "draw a .png instead");
}

void render(Options o) {
  const RunSource source = open_source(o.input);
  choose_outputs(o, source);
  const SceneLook look = o.picture.look(source);
  const std::size_t frame = o.time >= 0 ? source.frame_at(o.time) : source.frame_named(o.frame);
  const InterruptGuard guard;
  Scales scales = find_scales(source.statics, source.times.size(), source.read);
  const Picture picture(source.statics, look.style, scales);
  if (!o.poster.empty()) draw_picture(o.poster, picture, source, frame);
  if (!o.video.empty()) draw_film(o.video, picture, source, source.frames_named("all", o.every), look.fps, o.quiet);
}

}  // namespace

void add_render_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("render", "draw a run: pictures (PNG, SVG) and films (MP4, GIF)");
  c->add_option("input", o.input, "folder of a run, a trajectory.h5 or a state.h5")->required();
  c->add_option("-o,--output", o.outputs,
                "file to write, .png or .svg, .mp4 or .gif; may be given twice, for a picture and a film")
      ->type_name("FILE");
  c->add_option("--video", o.video, "film to write, .mp4 or .gif")->type_name("FILE");
  c->add_option("--poster", o.poster, "picture to write, .png or .svg")->type_name("FILE");
  auto* frame =
      c->add_option("--frame", o.frame, "frame of the picture: a number from 0, or last")->capture_default_str();
  c->add_option("--time", o.time, "time of the picture: the nearest frame")
      ->excludes(frame)
      ->check(not_negative_number);
  c->add_option("--every", o.every, "use every Nth frame in the film")->check(CLI::PositiveNumber);
  o.picture.add_to(*c);
  c->add_flag("-q,--quiet", o.quiet, "no progress line");
  c->footer("Without -o, --video and --poster it writes video.mp4 and poster.png beside the trajectory.");
  c->callback([options] { render(*options); });
}

}  // namespace scree::cli
