#pragma once
// Pictures and films of a run as files. Each is there whole or not at all, and has a line on standard output.
#include <filesystem>
#include <vector>

#include "run_source.hpp"
#include "scree/record/picture.hpp"

namespace scree::cli {

// One frame, as .png or .svg by the name of the file.
void draw_picture(const std::filesystem::path& file, const Picture& picture, const RunSource& source,
                  std::size_t frame);

// Frames as .mp4 or .gif by the name of the file. Ctrl-C ends the film at the frame it has reached and throws
// CLI::RuntimeError(exit_interrupted).
void draw_film(const std::filesystem::path& file, const Picture& picture, const RunSource& source,
               const std::vector<std::size_t>& frames, double fps, bool quiet);

// The size of a file for people.
std::string size_text(std::uintmax_t bytes);

}  // namespace scree::cli
