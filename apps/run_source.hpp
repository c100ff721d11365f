#pragma once
// What `scree render` draws, `scree measure` measures and `scree export` writes: a trajectory, or a state as a run of
// one frame.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "scree/record/frame.hpp"

namespace scree::cli {

struct RunSource {
  std::filesystem::path file;
  Statics statics;
  std::vector<double> times;  // of every frame; at least one
  std::function<Frame(std::size_t)> read;
  std::string scene_text;  // empty when unknown

  std::size_t frame_at(double time) const;                  // the nearest one
  std::size_t frame_named(const std::string& frame) const;  // "last", or a number from 0; Error(input) otherwise
  // Every Nth frame of "all", "last", "7", "3..9" or "3..last", both ends included. Error(input) otherwise.
  std::vector<std::size_t> frames_named(const std::string& range, std::size_t every) const;
};

// `input`: a trajectory or state file, or a run's folder (its trajectory, or its state when that has no frames).
RunSource open_source(const std::filesystem::path& input);

}  // namespace scree::cli
