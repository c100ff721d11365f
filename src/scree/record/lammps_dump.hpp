#pragma once
// Frames in LAMMPS' text dump format, which OVITO, VMD, ASE and LAMMPS itself read. Layout: docs/files.md.
#include <string>

#include "scree/record/frame.hpp"

namespace scree {

// What stands once at the start of a file; `units` is the scene's text, "si" for one that begins with SI, else "lj":
// units of the user's own.
std::string lammps_header(const std::string& units);
// One frame. The box is the periodic cell, and in other directions `view`, widened where grains lie outside of it.
std::string lammps_frame(const Statics& statics, const Frame& frame, const Box& view);

}  // namespace scree
