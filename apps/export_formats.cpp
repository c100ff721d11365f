#include "export_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "draw_run.hpp"
#include "export_target.hpp"
#include "interrupt.hpp"
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

using Job = ExportJob;

void show(ProgressLine& line, std::size_t done, std::size_t count) {
  if (interrupted()) throw Interrupted();
  if (line.due()) line.show(double(done) / double(count), fmt::format("frame {}/{}", done, count));
}

// Frames in order, with a line of progress.
void each(const Job& job, const std::function<void(std::size_t k, const Frame&)>& write) {
  ProgressLine line(job.quiet);
  for (std::size_t k = 0; k < job.frames.size(); ++k) {
    show(line, k, job.frames.size());
    write(k, job.source.read(job.frames[k]));
  }
}

// The same on all cores, in any order.
void each_at_once(const Job& job, const std::function<void(std::size_t k, const Frame&)>& write) {
  ProgressLine line(job.quiet);
  std::mutex reading;  // HDF5 reads one thing at a time
  std::size_t done = 0;
  ThreadPool pool;
  pool.run(job.frames.size(), [&](std::size_t k) {
    Frame frame;
    {
      const std::lock_guard lock(reading);
      show(line, done++, job.frames.size());
      frame = job.source.read(job.frames[k]);
    }
    write(k, frame);
  });
}

Box view_of(const Job& job) { return find_scales(job.source.statics, job.source.times.size(), job.source.read).view; }

std::string frames_text(const Job& job) {
  return job.frames.size() == 1 ? "1 frame" : fmt::format("{} frames", job.frames.size());
}

void tell(const Job& job, const std::string& what, std::uintmax_t bytes, const Stopwatch& watch) {
  fmt::print("{}  {}, {}, in {}\n", job.output.string(), what, size_text(bytes), duration(watch.seconds()));
}

const std::vector<std::string> vtk_parts = {"grains", "outlines", "centres", "contacts", "walls"};  // as VtkPart
const std::vector<std::string> csv_parts = {"grains", "contacts", "walls"};
constexpr const char* gif_size = "640x0";  // where --size is not given: a GIF of larger pictures takes tens of MB

std::string numbered(const std::string& name, std::size_t k, const char* extension) {
  return fmt::format("{}{:05}{}", name, k, extension);
}

void write_vtk(const Job& job) {
  const Stopwatch watch;
  ExportFolder folder(job.output, "(grains|outlines|centres|contacts|walls)(-[0-9]+\\.vtp|\\.pvd)", job.force);
  const VtkWriter writer(job.source.statics, view_of(job));
  const auto part_of = [&](const std::string& name) {
    return static_cast<VtkPart>(std::ranges::find(vtk_parts, name) - vtk_parts.begin());
  };
  each_at_once(job, [&](std::size_t k, const Frame& frame) {
    for (const std::string& name : job.parts)
      folder.write(numbered(name + "-", k, ".vtp"), writer.text(part_of(name), frame));
  });
  std::vector<double> times;
  for (const std::size_t frame : job.frames) times.push_back(job.source.times[frame]);
  for (const std::string& name : job.parts) {
    std::vector<std::string> files;
    for (std::size_t k = 0; k < times.size(); ++k) files.push_back(numbered(name + "-", k, ".vtp"));
    folder.write(name + ".pvd", vtk_collection(times, files));
  }
  tell(job, fmt::format("{} of {}", join(job.parts), frames_text(job)), folder.commit(), watch);
}

void write_csv(const Job& job) {
  const Stopwatch watch;
  ExportFolder folder(job.output, "(grains|contacts|walls)\\.csv", job.force);
  std::vector<FrameCsv> tables;
  std::vector<PartText> files;
  for (const std::string& name : job.parts) {
    tables.push_back(name == "grains" ? grains_csv() : name == "contacts" ? contacts_csv() : walls_csv());
    files.emplace_back(folder / (name + ".csv")).put(tables.back().header);
  }
  each(job, [&](std::size_t k, const Frame& frame) {
    for (std::size_t i = 0; i < tables.size(); ++i)
      files[i].put(tables[i].lines(job.source.statics, frame, job.frames[k]));
  });
  for (PartText& file : files) file.commit();
  tell(job, fmt::format("{} of {}", join(job.parts), frames_text(job)), folder.commit(), watch);
}

void write_lammps(const Job& job) {
  const Stopwatch watch;
  const Box view = view_of(job);
  PartText file(job.output);
  file.put(lammps_header(look_of_scene(job.source.scene_text).units));
  each(job, [&](std::size_t, const Frame& frame) { file.put(lammps_frame(job.source.statics, frame, view)); });
  file.commit();
  tell(job, frames_text(job), fs::file_size(job.output), watch);
}

struct Drawing {
  SceneLook look;
  Picture picture;
};

Drawing drawing_of(const Job& job, const char* default_size = "") {
  PictureOptions options = job.picture;
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
  ExportFolder folder(job.output, "[0-9]+\\.png", job.force);
  const Picture picture = drawing_of(job).picture;
  each_at_once(job, [&](std::size_t k, const Frame& frame) {
    write_png(picture.draw(frame), folder / numbered("", k, ".png"));
  });
  tell(job, fmt::format("{}x{}, {}", picture.width(), picture.height(), frames_text(job)), folder.commit(), watch);
}

void write_film(const Job& job) {
  if (job.frames.size() < 2)
    throw Error(ErrorKind::input, "--frames", "one frame makes no film", "choose more frames, or export a png or svg");
  const Drawing drawing = drawing_of(job, job.output.extension() == ".gif" ? gif_size : "");
  draw_film(job.output, drawing.picture, job.source, job.frames, drawing.look.fps, job.quiet);
}

}  // namespace

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> all = {
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

}  // namespace scree::cli
