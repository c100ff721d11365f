#pragma once
// Charts as SVG text, to stand inside a page. Lines and text are drawn in the page's own text colour, so that a chart
// reads on light and on dark ground.
#include <optional>
#include <string>
#include <vector>

namespace scree {

struct ChartAxis {
  std::string label = {};
  bool logarithmic = false;
  std::optional<double> lo = {}, hi = {};    // left out: as the data ask for
  std::vector<std::string> categories = {};  // x only: names of the positions 0, 1, 2, ... instead of numbers
};

struct ChartSeries {
  std::string name;                    // in the legend; empty: not there
  std::vector<double> x = {}, y = {};  // of the same length; points that are not finite are left out
  std::vector<double> error = {};      // half the length of the error bars; empty: none
  bool line = false;                   // join the points
  bool marks = true;                   // draw the points
  bool dashed = false;                 // for a fit or a reference
  std::optional<int> colour_of = {};   // index of the series whose colour it shares, as a fit of its points does
};

struct Chart {
  std::string title;
  ChartAxis x = {}, y = {};
  std::vector<ChartSeries> series = {};
  int width = 560;  // pixels
  int height = 340;
};

// Error(input) when a series has lists of unlike length.
std::string chart_svg(const Chart& chart);

// Round positions in [lo, hi], about `count` of them; with `logarithmic` (lo > 0) powers of ten, or 1, 2 and 5 times
// them where there are few.
std::vector<double> axis_ticks(double lo, double hi, int count, bool logarithmic);

}  // namespace scree
