#pragma once
// Measures by name: what scene files, `scree run` and `scree measure` share. A Measure turns snapshots, in order of
// time, into named numbers and, for profiles and distributions, a table. Definitions: docs/measures.md.
//
// To add one: a pure function in a file of its family, a maker in kinds_*.cpp, a line in registry.cpp; new options also
// in MeasureSettings, scene/schema_measures.cpp and scene/read_measures.cpp.
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "scree/measure/memory.hpp"
#include "scree/measure/packing.hpp"
#include "scree/measure/selection.hpp"
#include "scree/measure/surface.hpp"

namespace scree {

enum class Species { grain, group, start };
enum class RunoutSide { both, left, right };

// What a user may say about a measure. Each kind uses some of it (MeasureKind::options).
struct MeasureSettings {
  std::string name;  // names the files; unique in a scene
  std::string kind;
  double every = 0;  // time between samples of a run
  Selection selection;

  Axis axis = Axis::y;
  int bins = 20;
  SurfaceSettings surface;
  Flank flank = Flank::both;
  double band_lo = 0.1, band_hi = 0.9;
  double span = 0.5;
  double from = 0;
  double window = 0;
  double hold = 0;
  std::optional<Vec2d> opening;
  RunoutSide side = RunoutSide::both;
  std::optional<double> origin;
  std::optional<double> start_radius;
  double gap = 0;
  bool walls = true;
  int rattlers = 2;
  double angle = std::numbers::pi / 4;
  int least = 3;
  bool average = false;
  Species by = Species::grain;
  double cell = 0;
  double floor = 0.01;
};

struct MeasureColumn {
  std::string name;
  std::string unit;  // "" for a pure number
};

struct Reading {
  using Cells =
      std::vector<std::optional<double>>;  // nothing where a value is not defined (yet); never nan or infinite
  Cells values;                            // one a column
  std::vector<Cells> rows;                 // of the table, each as wide as it
};

struct Measure {
  std::vector<MeasureColumn> columns;
  std::vector<MeasureColumn> table;  // empty: there is none
  // Error(input) with a remedy where the measure is not defined; the next snapshot may be fine.
  std::function<Reading(const Snapshot&)> read;
  std::function<void(Memory&)> remember = {};  // empty where every sample stands alone

  Reading nothing() const { return {std::vector<std::optional<double>>(columns.size()), {}}; }
};

struct MeasureKind {
  std::string name;
  std::string summary;
  std::vector<std::string> options;  // names in scene files, beside those of every measure
  Measure (*make)(const MeasureSettings&);
};
const std::vector<MeasureKind>& measure_kinds();
// Error(input) for an unknown kind.
Measure make_measure(const MeasureSettings& settings);

}  // namespace scree
