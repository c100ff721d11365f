#pragma once
// Trajectories: one HDF5 file that grows by a frame at a time. Layout: docs/files.md.
#include <filesystem>
#include <memory>
#include <string>

#include "scree/record/frame.hpp"

namespace scree {

// Everything written by a call of write() stays readable when the process is killed afterwards (HDF5's
// single-writer-multiple-readers mode), and other programs may read while this one writes.
// Failures of the disk throw Error(system).
class TrajectoryWriter {
 public:
  TrajectoryWriter(const std::filesystem::path& file, const World& world, const std::string& run_json);
  ~TrajectoryWriter();
  TrajectoryWriter(TrajectoryWriter&&) noexcept;

  // Appends the present state. Shapes, types, materials, groups and the number of walls are those of the first world.
  void write(const World& world);
  // Appends a frame of an earlier trajectory of the same world.
  void write(const Frame& frame);
  std::size_t frames() const;

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

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree
