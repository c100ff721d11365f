#pragma once
// Frames as VTK files: XML PolyData, compressed, one file a frame and part, and .pvd files that give their times.
// ParaView and VTK read them. Layout: docs/files.md.
#include <memory>
#include <string>
#include <vector>

#include "scree/record/frame.hpp"

namespace scree {

enum class VtkPart {
  grains,    // the solids: a polygon each where they are convex, else triangles; holes left out
  outlines,  // closed lines, one a loop
  centres,   // one vertex a grain
  contacts,  // lines from centre to centre, or from the point at a wall to the centre
  walls,     // lines of the surfaces, polygons and triangles of the solids
};

// Thread-safe after construction.
class VtkWriter {
 public:
  // `statics` must outlive it. Half-planes are drawn as far as `view` reaches.
  VtkWriter(const Statics& statics, const Box& view);
  ~VtkWriter();
  VtkWriter(VtkWriter&&) noexcept;

  // The text of a .vtp file.
  std::string text(VtkPart part, const Frame& frame) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The text of a .pvd file: files, relative to it, with their times.
std::string vtk_collection(const std::vector<double>& times, const std::vector<std::string>& files);

}  // namespace scree
