#pragma once
// What `scree render` draws: a trajectory, or a state as a run of one frame.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "scree/record/frame.hpp"

namespace scree::cli {

struct RenderSource {
  std::filesystem::path file;
  Statics statics;
  std::vector<double> times;  // of every frame; at least one
  std::function<Frame(std::size_t)> read;
  std::string scene_text;  // empty when unknown
};

// `input`: a trajectory or state file, or a run's folder (its trajectory, or its state when that has no frames).
RenderSource open_source(const std::filesystem::path& input);

}  // namespace scree::cli
