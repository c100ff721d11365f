#include "measure_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scree/record/measure_csv.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace {

constexpr std::size_t most_lines = 20;  // of one table on the terminal

// The unit, unless there is none or the name says it.
std::string heading(const MeasureColumn& c) {
  return c.unit.empty() || c.name.ends_with("_" + c.unit) ? c.name : c.name + " [" + c.unit + "]";
}

// The sum makes a zero of a minus zero.
std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value + 0.0) : ""; }

// `most_lines` of n, evenly spaced, the first and the last among them.
std::vector<std::size_t> shown(std::size_t n) {
  std::vector<std::size_t> out;
  const std::size_t count = std::min(n, most_lines);
  for (std::size_t k = 0; k < count; ++k) out.push_back(count < 2 ? 0 : k * (n - 1) / (count - 1));
  return out;
}

// One sample reads best from top to bottom, several from left to right.
std::string values_text(const Measured& m, bool with_missing) {
  if (m.times.size() == 1) {
    TextTable table({});
    table.row({"time", number(m.times[0], 6)});
    for (std::size_t c = 0; c < m.measure.columns.size(); ++c) {
      const auto& value = m.readings[0].values[c];
      if (value || with_missing) table.row({heading(m.measure.columns[c]), value ? cell(value) : "-"});
    }
    return table.text();
  }
  std::vector<std::string> header = {"time"};
  for (const MeasureColumn& c : m.measure.columns) header.push_back(heading(c));
  TextTable table(header);
  for (const std::size_t k : shown(m.times.size())) {
    std::vector<std::string> row = {number(m.times[k], 6)};
    for (const auto& value : m.readings[k].values) row.push_back(cell(value));
    table.row(std::move(row));
  }
  return table.text();
}

// The table of the last sample that has one.
std::string table_text(const Measured& m) {
  const auto has_rows = [](const Reading& r) { return !r.rows.empty(); };
  const auto last = std::find_if(m.readings.rbegin(), m.readings.rend(), has_rows);
  if (last == m.readings.rend()) return {};
  std::vector<std::string> header;
  for (const MeasureColumn& c : m.measure.table) header.push_back(heading(c));
  TextTable table(header);
  for (const std::size_t k : shown(last->rows.size())) {
    std::vector<std::string> row;
    for (const auto& v : last->rows[k]) row.push_back(cell(v));
    table.row(std::move(row));
  }
  const auto at = static_cast<std::size_t>(last.base() - m.readings.begin()) - 1;
  const std::size_t hidden = last->rows.size() - shown(last->rows.size()).size();
  return fmt::format("  at time {}{}\n{}", number(m.times[at], 6),
                     hidden > 0 ? fmt::format(", {} of {} rows", most_lines, last->rows.size()) : "",
                     table.text("    "));
}

nlohmann::ordered_json json_columns(const std::vector<MeasureColumn>& columns) {
  auto out = nlohmann::ordered_json::array();
  for (const MeasureColumn& c : columns) out.push_back({{"name", c.name}, {"unit", c.unit}});
  return out;
}

nlohmann::ordered_json json_cells(const Reading::Cells& cells) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& value : cells)
    out.push_back(value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr));
  return out;
}

nlohmann::ordered_json json_sample(double time, const Reading& reading, bool table) {
  nlohmann::ordered_json out = {{"time", time}, {"values", json_cells(reading.values)}};
  if (!table) return out;
  out["rows"] = nlohmann::ordered_json::array();
  for (const Reading::Cells& row : reading.rows) out["rows"].push_back(json_cells(row));
  return out;
}

}  // namespace

void Measured::add(const Snapshot& snapshot) {
  times.push_back(snapshot.time);
  try {
    readings.push_back(measure.read(snapshot));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::input) throw;
    failure = e;
    readings.push_back(measure.nothing());
  }
}

bool Measured::defined() const {
  if (!failure) return true;
  return std::ranges::any_of(readings, [](const Reading& r) {
    return std::ranges::any_of(r.values, [](const auto& value) { return value.has_value(); });
  });
}

Measured measure_run(const RunSource& source, const MeasureSettings& settings, bool last_only) {
  Measured measured{settings, make_measure(settings), {}, {}, {}};
  const std::size_t last = source.times.size() - 1;
  for (std::size_t k = last_only ? last : 0; k <= last; ++k) {
    const Frame frame = source.read(k);
    measured.add(snapshot_of(source.statics, frame));
  }
  return measured;
}

std::string text_of(const std::vector<Measured>& measured, bool full) {
  std::string out;
  for (const Measured& m : measured) {
    const std::size_t n = m.times.size();
    const std::string kind = m.settings.name == m.settings.kind ? "" : " (" + m.settings.kind + ")";
    const std::string thinned = n > most_lines ? fmt::format(", {} of {} samples", most_lines, n) : "";
    out += (out.empty() ? "" : "\n") + m.settings.name + kind + thinned + "\n" + values_text(m, full);
    if (full) out += table_text(m);
  }
  return out;
}

std::string csv_of(const std::vector<Measured>& measured) {
  std::string out;
  for (const Measured& m : measured) {
    // A single block stays what a program expects of CSV.
    if (measured.size() > 1 || !m.measure.table.empty()) out += "# " + m.settings.name + "\n";
    out += csv_header(m.measure.columns);
    for (std::size_t k = 0; k < m.times.size(); ++k) out += csv_line(m.times[k], m.readings[k].values);
    if (m.measure.table.empty()) continue;
    out += "# " + m.settings.name + " table\n" + csv_header(m.measure.table);
    for (std::size_t k = 0; k < m.times.size(); ++k) out += csv_rows(m.times[k], m.readings[k].rows);
  }
  return out;
}

std::string json_of(const std::vector<Measured>& measured, const std::filesystem::path& file) {
  nlohmann::ordered_json out = {{"file", file.string()}, {"measures", nlohmann::ordered_json::array()}};
  for (const Measured& m : measured) {
    nlohmann::ordered_json entry = {{"name", m.settings.name}, {"kind", m.settings.kind}};
    entry["columns"] = json_columns(m.measure.columns);
    if (!m.measure.table.empty()) entry["table"] = json_columns(m.measure.table);
    entry["samples"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < m.times.size(); ++k)
      entry["samples"].push_back(json_sample(m.times[k], m.readings[k], !m.measure.table.empty()));
    out["measures"].push_back(std::move(entry));
  }
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace scree::cli
