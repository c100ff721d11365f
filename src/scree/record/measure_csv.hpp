#pragma once
// Measures as CSV: measure-NAME.csv has a line a sample, table-NAME.csv the rows of every sample's table. Values that
// are not defined are empty cells.
#include <optional>
#include <string>
#include <vector>

#include "scree/measure/measure.hpp"
#include "scree/record/csv_file.hpp"

namespace scree {

std::string csv_header(const std::vector<MeasureColumn>& columns);  // "time,a,b\n"
std::string csv_line(double time, const Reading::Cells& values);
std::string csv_rows(double time, const std::vector<Reading::Cells>& rows);

// Names of the files of a measure; the second only when it has a table.
std::vector<std::string> measure_file_names(const MeasureSettings& settings);

class MeasureFiles {
 public:
  MeasureFiles(const std::filesystem::path& folder, const MeasureSettings& settings, const Measure& measure,
               std::optional<double> keep_until = {});  // as CsvFile
  void write(double time, const Reading& reading);

 private:
  CsvFile values_;
  std::optional<CsvFile> table_;
};

}  // namespace scree
