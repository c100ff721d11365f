// `scree export`: a run in the formats of other programs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>

#include "commands.hpp"
#include "draw_run.hpp"
#include "export_target.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "picture_options.hpp"
#include "run_source.hpp"
#include "scree/base/error.hpp"
#include "scree/base/parallel.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/base/text.hpp"
#include "scree/record/frame_csv.hpp"
#include "scree/record/lammps_dump.hpp"
#include "scree/record/part_file.hpp"
#include "scree/record/vtk.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string input, format, output, frames;
  std::vector<std::string> what;
  double time = -1;
  std::size_t every = 1;
  PictureOptions picture;
  bool force = false, quiet = false;
};

// What a format is asked to do: frames of a run, and where they go.
struct Job {
  const Options& options;
  const RunSource& source;
  std::vector<std::size_t> frames;
  std::vector<std::string> parts;
  fs::path output;

  Box view() const { return find_scales(source.statics, source.times.size(), source.read).view; }
  // Frames in order, with a line of progress. Ctrl-C throws Interrupted.
  void each(const std::function<void(std::size_t k, const Frame&)>& write) const;
  // The same on all cores, in any order.
  void each_at_once(const std::function<void(std::size_t k, const Frame&)>& write) const;
  void tell(const std::string& what, std::uintmax_t bytes, const Stopwatch& watch) const {
    fmt::print("{}  {}, {}, in {}\n", output.string(), what, size_text(bytes), duration(watch.seconds()));
  }
  std::string frames_text() const { return frames.size() == 1 ? "1 frame" : fmt::format("{} frames", frames.size()); }
};

struct Format {
  std::string name;
  std::string output;                   // where it goes, beside the trajectory
  std::vector<std::string> extensions;  // that -o may have; none: a folder
  std::string summary;
  std::vector<std::string> parts;  // for --what
  bool picture;                    // drawn, by the options of `scree render`
  void (*write)(const Job&);

  bool folder() const { return !fs::path(output).has_extension(); }
};

void show(ProgressLine& line, std::size_t done, std::size_t count) {
  if (interrupted()) throw Interrupted();
  if (line.due()) line.show(double(done) / double(count), fmt::format("frame {}/{}", done, count));
}

void Job::each(const std::function<void(std::size_t, const Frame&)>& write) const {
  ProgressLine line(options.quiet);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    show(line, k, frames.size());
    write(k, source.read(frames[k]));
  }
}

void Job::each_at_once(const std::function<void(std::size_t, const Frame&)>& write) const {
  ProgressLine line(options.quiet);
  std::mutex reading;  // HDF5 reads one thing at a time
  std::size_t done = 0;
  ThreadPool pool;
  pool.run(frames.size(), [&](std::size_t k) {
    Frame frame;
    {
      const std::lock_guard lock(reading);
      show(line, done++, frames.size());
      frame = source.read(frames[k]);
    }
    write(k, frame);
  });
}

const std::vector<std::string> vtk_parts = {"grains", "outlines", "centres", "contacts", "walls"};  // as VtkPart
const std::vector<std::string> csv_parts = {"grains", "contacts", "walls"};
constexpr const char* gif_size = "640x0";  // of pixels that are compressed one by one

std::string numbered(const std::string& name, std::size_t k, const char* extension) {
  return fmt::format("{}{:05}{}", name, k, extension);
}

void write_vtk(const Job& job) {
  const Stopwatch watch;
  ExportFolder folder(job.output, "(grains|outlines|centres|contacts|walls)(-[0-9]+\\.vtp|\\.pvd)", job.options.force);
  const VtkWriter writer(job.source.statics, job.view());
  const auto part_of = [&](const std::string& name) {
    return static_cast<VtkPart>(std::ranges::find(vtk_parts, name) - vtk_parts.begin());
  };
  job.each_at_once([&](std::size_t k, const Frame& frame) {
    for (const std::string& name : job.parts)
      write_atomic(folder / numbered(name + "-", k, ".vtp"), writer.text(part_of(name), frame));
  });
  std::vector<double> times;
  for (const std::size_t frame : job.frames) times.push_back(job.source.times[frame]);
  for (const std::string& name : job.parts) {
    std::vector<std::string> files;
    for (std::size_t k = 0; k < times.size(); ++k) files.push_back(numbered(name + "-", k, ".vtp"));
    write_atomic(folder / (name + ".pvd"), vtk_collection(times, files));
  }
  job.tell(fmt::format("{} of {}", join(job.parts), job.frames_text()), folder.commit(), watch);
}

void write_csv(const Job& job) {
  const Stopwatch watch;
  ExportFolder folder(job.output, "(grains|contacts|walls)\\.csv", job.options.force);
  std::vector<FrameCsv> tables;
  std::vector<PartText> files;
  for (const std::string& name : job.parts) {
    tables.push_back(name == "grains" ? grains_csv() : name == "contacts" ? contacts_csv() : walls_csv());
    files.emplace_back(folder / (name + ".csv")).put(tables.back().header);
  }
  job.each([&](std::size_t k, const Frame& frame) {
    for (std::size_t i = 0; i < tables.size(); ++i)
      files[i].put(tables[i].lines(job.source.statics, frame, job.frames[k]));
  });
  for (PartText& file : files) file.commit();
  job.tell(fmt::format("{} of {}", join(job.parts), job.frames_text()), folder.commit(), watch);
}

void write_lammps(const Job& job) {
  const Stopwatch watch;
  const Box view = job.view();
  PartText file(job.output);
  file.put(lammps_header(look_of_scene(job.source.scene_text).units));
  job.each([&](std::size_t, const Frame& frame) { file.put(lammps_frame(job.source.statics, frame, view)); });
  file.commit();
  job.tell(job.frames_text(), fs::file_size(job.output), watch);
}

struct Drawing {
  SceneLook look;
  Picture picture;
};

Drawing drawing_of(const Job& job, const char* default_size = "") {
  PictureOptions options = job.options.picture;
  if (options.size.empty()) options.size = default_size;
  SceneLook look = options.look(job.source);
  Picture picture(job.source.statics, look.style,
                  find_scales(job.source.statics, job.source.times.size(), job.source.read));
  return {std::move(look), std::move(picture)};
}

void write_picture(const Job& job) {
  if (job.frames.size() != 1)
    throw Error(ErrorKind::input, "--frames", fmt::format("{} frames do not go into one picture", job.frames.size()),
                "choose one, such as --frames last");
  draw_picture(job.output, drawing_of(job).picture, job.source, job.frames.front());
}

void write_pngs(const Job& job) {
  const Stopwatch watch;
  ExportFolder folder(job.output, "[0-9]+\\.png", job.options.force);
  const Picture picture = drawing_of(job).picture;
  job.each_at_once(
      [&](std::size_t k, const Frame& frame) { write_png(picture.draw(frame), folder / numbered("", k, ".png")); });
  job.tell(fmt::format("{}x{}, {}", picture.width(), picture.height(), job.frames_text()), folder.commit(), watch);
}

void write_film(const Job& job) {
  if (job.frames.size() < 2)
    throw Error(ErrorKind::input, "--frames", "one frame makes no film", "choose more frames, or export a png or svg");
  const Drawing drawing = drawing_of(job, job.output.extension() == ".gif" ? gif_size : "");
  draw_film(job.output, drawing.picture, job.source, job.frames, drawing.look.fps, job.options.quiet);
}

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"vtk",
       "vtk",
       {},
       "folder for ParaView: .vtp a frame and part, .pvd with the times",
       vtk_parts,
       false,
       write_vtk},
      {"lammps", "grains.dump", {".dump", ".lammpstrj"}, "text dump for OVITO, LAMMPS, ASE", {}, false, write_lammps},
      {"csv", "csv", {}, "folder of tables, a line a grain, contact or wall", csv_parts, false, write_csv},
      {"svg", "frame.svg", {".svg"}, "one frame as a drawing", {}, true, write_picture},
      {"png", "png", {}, "folder of numbered pictures", {}, true, write_pngs},
      {"mp4", "film.mp4", {".mp4"}, "film", {}, true, write_film},
      {"gif", "film.gif", {".gif"}, "film for pages that take no video", {}, true, write_film},
  };
  return all;
}

const Format& format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Format& f : formats()) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::input, "scree export", "there is no format \"" + name + "\"",
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(names));
}

// Options that do nothing for this format are mistakes.
void refuse_unused(const CLI::App& command, const Format& format) {
  const auto given = [](const CLI::Option* o) { return o->count() > 0 && o->get_group() == PictureOptions::group; };
  const std::vector<const CLI::Option*> pictures = command.get_options(given);
  if (!format.picture && !pictures.empty())
    throw Error(ErrorKind::input, pictures.front()->get_name(), "does not go with " + format.name,
                "it is for pictures and films: svg, png, mp4, gif");
  if (format.parts.empty() && command.get_option("--what")->count() > 0)
    throw Error(ErrorKind::input, "--what", "does not go with " + format.name, "it is for vtk and csv");
}

std::vector<std::string> chosen_parts(const Options& o, const Format& format) {
  for (const std::string& part : o.what) {
    if (std::ranges::count(format.parts, part) > 0) continue;
    throw Error(ErrorKind::input, "--what", "there is no part \"" + part + "\" of " + format.name,
                "known: " + join(format.parts));
  }
  std::vector<std::string> parts;  // each once, in the format's order
  for (const std::string& part : format.parts)
    if (o.what.empty() || std::ranges::count(o.what, part) > 0) parts.push_back(part);
  return parts;
}

fs::path chosen_output(const Options& o, const Format& format, const RunSource& source) {
  if (o.output.empty()) return source.file.parent_path() / format.output;
  if (!format.extensions.empty()) {
    require_extension("-o", o.output, format.extensions);
    return o.output;
  }
  // A name such as grains.csv was meant for a file.
  const std::vector<std::string> of_files = {".vtp", ".pvd", ".csv", ".png"};
  if (std::ranges::count(of_files, fs::path(o.output).extension().string()) > 0)
    throw Error(ErrorKind::input, "-o " + o.output, "looks like a file, and " + format.name + " is a folder of files",
                "name a folder");
  return o.output;
}

void run(const Options& o, const CLI::App& command) {
  const Format& format = format_named(o.format);
  refuse_unused(command, format);
  const RunSource source = open_source(o.input);
  const std::string frames = o.frames.empty() ? (format.name == "svg" ? "last" : "all") : o.frames;
  Job job{o, source, {}, chosen_parts(o, format), chosen_output(o, format, source)};
  job.frames = o.time >= 0 ? std::vector{source.frame_at(o.time)} : source.frames_named(frames, o.every);
  if (!format.extensions.empty()) refuse_existing(job.output, o.force);
  const InterruptGuard guard;
  format.write(job);
}

std::string format_list() {
  std::string out = "Formats:\n";
  for (const Format& f : formats()) out += fmt::format("  {:<8}{} ({})\n", f.name, f.summary, f.output);
  return out;
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("export", "write a run for other programs: VTK, LAMMPS, CSV, SVG, PNG, MP4, GIF");
  c->add_option("input", o.input, "folder of a run, a trajectory.h5 or a state.h5")->required();
  c->add_option("format", o.format, "one of those below")->required();
  c->add_option("-o,--output", o.output, "file or folder to write (default: beside the trajectory, as below)")
      ->type_name("PATH");
  auto* frames = c->add_option("--frames", o.frames, "all, last, N, N..M or N..last (default: all, for svg last)")
                     ->type_name("RANGE");
  c->add_option("--time", o.time, "only the frame nearest to this time")->excludes(frames)->check(not_negative_number);
  c->add_option("--every", o.every, "every Nth of the frames")->check(counting_number);
  c->add_option("--what", o.what,
                "for vtk: grains, outlines, centres, contacts, walls; for csv: grains, contacts, walls\n"
                "(default: all of them)")
      ->type_name("PART,...")
      ->delimiter(',');
  c->add_flag("--force", o.force, "replace what an earlier export wrote there, and nothing else");
  o.picture.add_to(*c);
  c->add_flag("-q,--quiet", o.quiet, "no progress line");
  c->footer(format_list() +
            "\nExamples:\n"
            "  scree export out/first vtk                              open out/first/vtk/grains.pvd in ParaView\n"
            "  scree export out/first vtk --what grains,contacts --every 10 -o paraview\n"
            "  scree export out/first lammps -o first.dump             open in OVITO\n"
            "  scree export out/first csv --what grains --frames last -o end\n"
            "  scree export out/first gif --frames 0..100 --size 480x0 --color speed");
  c->callback([options, c] { run(*options, *c); });
}

}  // namespace scree::cli
