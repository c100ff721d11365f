#include "scree/record/measure_csv.hpp"

#include <fmt/format.h>

#include "scree/scene/scene.hpp"

namespace scree {

namespace {

std::string measure_file(const std::string& name) { return std::string(measure_file_prefix) + name + ".csv"; }
std::string table_file(const std::string& name) { return std::string(table_file_prefix) + name + ".csv"; }

}  // namespace

std::string csv_header(const std::vector<MeasureColumn>& columns) {
  std::string out = "time";
  for (const MeasureColumn& c : columns) out += "," + c.name;
  return out + "\n";
}

std::string csv_line(double time, const Reading::Cells& values) {
  std::string out = fmt::format("{:.10g}", time);
  for (const auto& v : values) out += v ? fmt::format(",{:.12g}", *v) : ",";
  return out + "\n";
}

std::string csv_rows(double time, const std::vector<Reading::Cells>& rows) {
  std::string out;
  for (const Reading::Cells& row : rows) out += csv_line(time, row);
  return out;
}

std::vector<std::string> measure_file_names(const MeasureSettings& settings) {
  std::vector<std::string> names = {measure_file(settings.name)};
  if (!make_measure(settings).table.empty()) names.push_back(table_file(settings.name));
  return names;
}

MeasureFiles::MeasureFiles(const std::filesystem::path& folder, const MeasureSettings& settings, const Measure& measure,
                           std::optional<double> keep_until)
    : values_(folder / measure_file(settings.name), csv_header(measure.columns), keep_until) {
  if (!measure.table.empty()) table_.emplace(folder / table_file(settings.name), csv_header(measure.table), keep_until);
}

void MeasureFiles::write(double time, const Reading& reading) {
  values_.put(csv_line(time, reading.values));
  if (table_ && !reading.rows.empty()) table_->put(csv_rows(time, reading.rows));
}

}  // namespace scree
