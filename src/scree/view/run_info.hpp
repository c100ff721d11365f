#pragma once
// What the page must know of a run before its first frame, as JSON: shapes as triangles, colours, walls, scales, times.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scree/record/scene_look.hpp"
#include "scree/record/trajectory.hpp"
#include "scree/record/view.hpp"

namespace scree {

// Numbers over time, for plots.
struct PlotSeries {
  std::string name, unit;
  std::string measure;  // the one it is a column of
  std::vector<double> times;
  std::vector<double> values;  // nan where there is none
};

struct RunInfo {
  Statics statics;
  SceneLook look;
  Scales scales;
  std::string title;
  Vec2d origin;  // of the coordinates in frames: the middle of the first view
};

// {"type": "hello", ...} without times and series.
nlohmann::json hello_of(const RunInfo& info);
nlohmann::json json_of(const Scales& scales);
// Samples of `series` from index `first` of each on.
nlohmann::json json_of(const std::vector<PlotSeries>& series, std::size_t first = 0);

std::vector<PlotSeries> series_of(const std::vector<MeasureSamples>& measures);

}  // namespace scree
