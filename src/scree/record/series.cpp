#include "scree/record/series.hpp"

#include <fmt/format.h>

#include <array>

namespace scree {

namespace {

struct Column {
  const char* name;
  int digits;  // significant ones in the file
};

constexpr int whole = 17;  // digits of a count, all of which are written
constexpr std::array<Column, 19> columns = {{
    {"time", 10},           {"step", whole},        {"grains", whole},        {"contacts", whole},
    {"deepest_overlap", 6}, {"max_speed", 6},       {"kinetic", 12},          {"gravity", 12},
    {"elastic", 12},        {"normal_damping", 12}, {"friction", 12},         {"rotational_damping", 12},
    {"wall_work", 12},      {"gravity_work", 12},   {"inserted", 12},         {"initial", 12},
    {"moved", 12},          {"residual", 6},        {"relative_residual", 6},
}};

}  // namespace

std::vector<std::string> series_columns() {
  std::vector<std::string> names;
  for (const Column& c : columns) names.emplace_back(c.name);
  return names;
}

std::vector<double> series_values(double time, std::uint64_t step, const Ledger& l, const StepStats& s,
                                  std::size_t grains) {
  const auto count = [](std::uint64_t n) { return static_cast<double>(n); };  // exact: far below 2^53
  return {
      time,       count(step), count(grains),    count(s.contacts), s.deepest_overlap,    s.max_speed, l.kinetic,
      l.gravity,  l.elastic,   l.normal_damping, l.friction,        l.rotational_damping, l.wall_work, l.gravity_work,
      l.inserted, l.initial,   l.moved,          l.residual(),      l.relative_residual()};
}

SeriesWriter::SeriesWriter(const std::filesystem::path& csv, std::optional<double> keep_until)
    : file_(csv, fmt::format("{}\n", fmt::join(series_columns(), ",")), keep_until) {}

void SeriesWriter::write(double time, std::uint64_t step, const Ledger& ledger, const StepStats& stats,
                         std::size_t grains) {
  const std::vector<double> values = series_values(time, step, ledger, stats, grains);
  std::string line;
  for (std::size_t k = 0; k < values.size(); ++k)
    line += fmt::format("{}{:.{}g}", k == 0 ? "" : ",", values[k], columns[k].digits);
  file_.put(line + "\n");
}

}  // namespace scree
