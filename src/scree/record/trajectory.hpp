#pragma once
// Trajectories: one HDF5 file that grows by a frame at a time. Layout: docs/files.md.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "scree/measure/measure.hpp"
#include "scree/record/frame.hpp"

namespace scree {

// What a measure's samples are called in the file.
struct RecordedMeasure {
  std::string name;
  std::string kind;
  std::vector<MeasureColumn> columns;
  std::vector<MeasureColumn> table;  // empty: there is none
};
RecordedMeasure recorded_measure(const MeasureSettings& settings, const Measure& measure);

struct MeasureSamples {
  RecordedMeasure measure;
  std::vector<double> times;
  std::vector<Reading> readings;  // one a time
};

// Everything written by a call of write() stays readable when the process is killed afterwards (HDF5's
// single-writer-multiple-readers mode), and other programs may read while this one writes. The file is laid out for the
// number of grains of `world`, and compressed unless they are few.
// Failures of the disk throw Error(system).
class TrajectoryWriter {
 public:
  TrajectoryWriter(const std::filesystem::path& file, const World& world, const std::string& run_json,
                   const std::vector<RecordedMeasure>& measures = {});
  ~TrajectoryWriter();
  TrajectoryWriter(TrajectoryWriter&&) noexcept;

  // Appends the present state. Shapes, types, materials, groups and the number of walls are those of the first world.
  void write(const World& world);
  // Appends a frame of an earlier trajectory of the same world.
  void write(const Frame& frame);
  // Appends a sample of the measure with this index; it need not belong to a frame.
  void write_measure(std::size_t index, double time, const Reading& reading);
  std::size_t frames() const;
  // Gives the file another name, and takes the place of one that has it.
  void rename(const std::filesystem::path& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Opens a finished file, a growing one, or one whose writer was killed. Error(input) names what is wrong otherwise.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::filesystem::path& file);
  ~TrajectoryReader();
  TrajectoryReader(TrajectoryReader&&) noexcept;

  std::size_t frames() const;
  Frame read(std::size_t index) const;
  const Statics& statics() const;
  const std::vector<double>& times() const;  // of every frame
  std::vector<MeasureSamples> measures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree
