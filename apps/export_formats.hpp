#pragma once
// The formats of `scree export`. To add one: a function that writes it, and a line in export_formats().
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "picture_options.hpp"
#include "run_source.hpp"

namespace scree::cli {

// What a format is asked to do: frames of a run, and where they go.
struct ExportJob {
  const RunSource& source;
  const PictureOptions& picture;
  std::vector<std::size_t> frames;
  std::vector<std::string> parts;  // of ExportFormat::parts
  std::filesystem::path output;
  bool force = false, quiet = false;
};

struct ExportFormat {
  std::string name;
  std::string output;                   // where it goes, beside the trajectory
  std::vector<std::string> extensions;  // that -o may have; none: a folder
  std::string summary;
  std::vector<std::string> parts;  // for --what
  bool picture;                    // drawn, by the options of `scree render`
  // Writes all or nothing, and a line on standard output. Ctrl-C throws Interrupted, except that a film ends there.
  void (*write)(const ExportJob&);
};
const std::vector<ExportFormat>& export_formats();

}  // namespace scree::cli
