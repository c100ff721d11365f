#include "comparison.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scree/base/text.hpp"
#include "scree/record/markup.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace {

struct Spread {
  double mean = 0, deviation = 0;
  std::size_t count = 0;
};

// Of the values that there are: a measure may have none at the end of a run.
Spread plain_spread_of(const std::vector<double>& values) {
  Spread s;
  for (const double v : values) {
    if (std::isfinite(v)) s.mean += v, ++s.count;
  }
  if (s.count > 0) s.mean /= static_cast<double>(s.count);
  for (const double v : values) {
    if (std::isfinite(v)) s.deviation += (v - s.mean) * (v - s.mean);
  }
  s.deviation = s.count > 1 ? std::sqrt(s.deviation / static_cast<double>(s.count - 1)) : 0;
  return s;
}

// Of directions of axes, which are the same after half a turn: half the mean direction of their doubles, in (-90, 90],
// and each deviation the shorter way round.
Spread axial_spread_of(const std::vector<double>& degrees) {
  constexpr double to_double = std::numbers::pi / 90;
  double x = 0, y = 0;
  for (const double d : degrees) {
    if (std::isfinite(d)) x += std::cos(to_double * d), y += std::sin(to_double * d);
  }
  const double mean = std::atan2(y, x) / to_double;
  std::vector<double> off;
  for (const double d : degrees) off.push_back(std::remainder(d - mean, 180));
  Spread s = plain_spread_of(off);
  s.mean = mean;
  return s;
}

Spread spread_of(const Row& row, const std::vector<double>& values) {
  return row.name.ends_with(": direction_deg") ? axial_spread_of(values) : plain_spread_of(values);
}

std::string heading(const Row& r) { return r.unit.empty() ? r.name : r.name + " [" + r.unit + "]"; }

std::string cell(const Row& row, const std::vector<double>& values) {
  const Spread s = spread_of(row, values);
  if (s.count == 0) return "";
  return s.count == 1 ? fmt::format("{:.4g}", s.mean) : fmt::format("{:.4g} ± {:.2g}", s.mean, s.deviation);
}

}  // namespace

std::string text_of(const Comparison& c) {
  std::vector<std::string> header = {""};
  header.insert(header.end(), c.kinds.begin(), c.kinds.end());
  TextTable table(header);
  for (const Row& r : c.rows) {
    std::vector<std::string> cells = {heading(r)};
    for (const auto& v : r.values) cells.push_back(cell(r, v));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string csv_of(const Comparison& c, bool several) {
  std::string out = "quantity,unit";
  for (const std::string& kind : c.kinds) out += several ? fmt::format(",{0},{0}_deviation", kind) : "," + kind;
  out += "\n";
  for (const Row& r : c.rows) {
    out += r.name + "," + r.unit;
    for (const auto& values : r.values) {
      const Spread s = spread_of(r, values);
      out += s.count > 0 ? fmt::format(",{:.10g}", s.mean) : ",";
      if (several) out += s.count > 1 ? fmt::format(",{:.4g}", s.deviation) : ",";
    }
    out += "\n";
  }
  return out;
}

std::string html_of(const Comparison& c, const std::string& title) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n"
      ":root {{ color-scheme: light dark; }}\nbody {{ font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: "
      "2rem auto; padding: 0 1rem; }}\ntable {{ border-collapse: collapse; }}\nth, td {{ text-align: right; padding: "
      ".25rem .8rem; border-bottom: 1px solid #8886; font-variant-numeric: tabular-nums; }}\n"
      "th:first-child, td:first-child {{ text-align: left; }}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n<table>\n"
      "<thead><tr><th></th>",
      escape_markup(title));
  for (const std::string& kind : c.kinds) out += "<th>" + escape_markup(kind) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const Row& r : c.rows) {
    out += "<tr><td>" + escape_markup(heading(r)) + "</td>";
    for (const auto& v : r.values) out += "<td>" + cell(r, v) + "</td>";
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n";
  for (const std::string& line : c.skipped) out += "<p>" + escape_markup(line) + "</p>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace scree::cli
