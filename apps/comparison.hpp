#pragma once
// Runs side by side: a table of quantities as text, CSV and HTML.
#include <string>
#include <vector>

namespace scree::cli {

// A line of the comparison: a quantity, and its values with every variant, one a seed.
struct Row {
  std::string name, unit;
  std::vector<std::vector<double>> values;
};

struct Comparison {
  std::vector<std::string> kinds;  // that could be run
  std::vector<Row> rows;
  std::vector<std::string> skipped;  // one line each

  // Of the last of `kinds`. The rows come in the same order for every run.
  void add(std::size_t row, const std::string& name, const std::string& unit, double value) {
    if (row == rows.size()) rows.push_back({name, unit, {}});
    rows[row].values.resize(kinds.size());
    rows[row].values.back().push_back(value);
  }
};

// Several values of a quantity are given as mean and standard deviation.
std::string text_of(const Comparison& c);
std::string csv_of(const Comparison& c, bool several);
std::string html_of(const Comparison& c, const std::string& title);

}  // namespace scree::cli
