#pragma once
// Numbers over time as CSV: one line a sample, a header that names the columns.
#include <cstdint>
#include <string>
#include <vector>

#include "scree/record/csv_file.hpp"
#include "scree/step/simulation.hpp"

namespace scree {

// Names of the columns, and their values now.
std::vector<std::string> series_columns();
std::vector<double> series_values(double time, std::uint64_t step, const Ledger& ledger, const StepStats& stats,
                                  std::size_t grains);

class SeriesWriter {
 public:
  // Starts a new file, or goes on with one (CsvFile). Error(system) when it cannot.
  explicit SeriesWriter(const std::filesystem::path& csv, std::optional<double> keep_until = {});
  // One line, handed to the operating system before this returns. Error(system) when the disk fails.
  void write(double time, std::uint64_t step, const Ledger& ledger, const StepStats& stats, std::size_t grains);

 private:
  CsvFile file_;
};

}  // namespace scree
