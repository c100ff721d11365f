#pragma once
// The scenes of Table 1 of the Configurational Element Method paper, those of table1.cpp's experiments that have a file
// of their own.
#include <string>

#include "reproduce/lab.hpp"

namespace scree::cli {

// Scene file of the full or the quick version.
inline std::string scene_file(const Lab& lab, const std::string& name) {
  return lab.pick("quick/", "") + (name + ".toml");
}

Outcome silo(Lab& lab);
Outcome chain(Lab& lab);

}  // namespace scree::cli
