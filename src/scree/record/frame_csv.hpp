#pragma once
// Frames as CSV tables, a line a grain, contact or wall; numbers read back to the same bits. Columns: docs/files.md.
#include <string>

#include "scree/record/frame.hpp"

namespace scree {

struct FrameCsv {
  std::string header;  // with its end of line
  std::string (*lines)(const Statics& statics, const Frame& frame, std::size_t index);
};
FrameCsv grains_csv();
FrameCsv contacts_csv();
FrameCsv walls_csv();

}  // namespace scree
