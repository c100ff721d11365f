#pragma once
// Measures of several frames of a run, and their text in three forms.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "run_source.hpp"
#include "scree/base/error.hpp"
#include "scree/measure/measure.hpp"

namespace scree::cli {

struct Measured {
  MeasureSettings settings;
  Measure measure;
  std::vector<double> times;
  std::vector<Reading> readings;  // without values where the measure is not defined
  std::optional<Error> failure;   // the last one

  void add(const Snapshot& snapshot);
  bool defined() const;  // at least once
};

// Every frame in order of time, or the last one only.
Measured measure_run(const RunSource& source, const MeasureSettings& settings, bool last_only);

// For people, thinned where it is long. Not `full`: without tables and without values that are not defined.
std::string text_of(const std::vector<Measured>& measured, bool full);
std::string csv_of(const std::vector<Measured>& measured);  // blocks with a line "# name" before each
std::string json_of(const std::vector<Measured>& measured, const std::filesystem::path& file);

}  // namespace scree::cli
