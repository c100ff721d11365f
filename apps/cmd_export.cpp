// `scree export`: a run in the formats of other programs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "export_formats.hpp"
#include "export_target.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "picture_options.hpp"
#include "run_source.hpp"
#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

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

const ExportFormat& format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const ExportFormat& f : export_formats()) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::input, "scree export", "there is no format \"" + name + "\"",
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(names));
}

// Options that do nothing for this format are mistakes.
void refuse_unused(const CLI::App& command, const ExportFormat& format) {
  const auto given = [](const CLI::Option* o) { return o->count() > 0 && o->get_group() == PictureOptions::group; };
  const std::vector<const CLI::Option*> pictures = command.get_options(given);
  if (!format.picture && !pictures.empty())
    throw Error(ErrorKind::input, pictures.front()->get_name(), "does not go with " + format.name,
                "it is for pictures and films: svg, png, mp4, gif");
  if (format.parts.empty() && command.get_option("--what")->count() > 0)
    throw Error(ErrorKind::input, "--what", "does not go with " + format.name, "it is for vtk and csv");
}

std::vector<std::string> chosen_parts(const Options& o, const ExportFormat& format) {
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

fs::path chosen_output(const Options& o, const ExportFormat& format, const RunSource& source) {
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
  const ExportFormat& format = format_named(o.format);
  refuse_unused(command, format);
  const RunSource source = open_source(o.input);
  const std::string frames = o.frames.empty() ? (format.name == "svg" ? "last" : "all") : o.frames;
  ExportJob job{source, o.picture, {}, chosen_parts(o, format), chosen_output(o, format, source), o.force, o.quiet};
  job.frames = o.time >= 0 ? std::vector{source.frame_at(o.time)} : source.frames_named(frames, o.every);
  if (!format.extensions.empty()) refuse_existing(job.output, "-o", o.force);
  const InterruptGuard guard;
  format.write(job);
}

std::string format_list() {
  std::string out = "Formats:\n";
  for (const ExportFormat& f : export_formats()) out += fmt::format("  {:<8}{} ({})\n", f.name, f.summary, f.output);
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
