#pragma once
// Results of finished experiments on disk: result.json in each experiment's folder, from which the page and the
// collections results.json and results.csv are written.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/experiment.hpp"

namespace scree::cli {

struct KeptResult {
  std::string experiment;  // name
  bool quick = false;
  std::string version, commit, cpu, finished;  // of the program and machine that made it; UTC
  int threads = 0;
  double seconds = 0;   // of its runs
  std::string command;  // that makes it
  std::vector<UsedScene> scenes;
  Outcome outcome;
};

void write_result(const std::filesystem::path& folder, const KeptResult& result);
// Nothing when there is none, or one that cannot be read.
std::optional<KeptResult> read_result(const std::filesystem::path& folder);

std::string results_json(const std::vector<KeptResult>& results);
std::string results_csv(const std::vector<KeptResult>& results);  // one line a quantity

}  // namespace scree::cli
