#pragma once
// From drawn loops, which may overlap and wind as they like, to the outline of what they fill (Clipper by A. Johnson).
// Header only, since it is shared by the two sources that need a geometry library.
#include <algorithm>
#include <cmath>
#include <polyclipping/clipper.hpp>
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

enum class FillRule { nonzero, evenodd };

struct FilledPart {
  std::vector<Loop> loops;
  FillRule rule = FillRule::nonzero;
};

// Largest side of the box around all points.
inline double largest_extent(const std::vector<FilledPart>& parts, Vec2d* middle = nullptr) {
  Vec2d low{HUGE_VAL, HUGE_VAL};
  Vec2d high = -low;
  for (const FilledPart& part : parts)
    for (const Loop& loop : part.loops)
      for (const Vec2d v : loop) {
        low = {std::min(low.x, v.x), std::min(low.y, v.y)};
        high = {std::max(high.x, v.x), std::max(high.y, v.y)};
      }
  if (middle) *middle = 0.5 * (low + high);
  return std::max(high.x - low.x, high.y - low.y);
}

// The union of all parts, each filled by its own rule. Coordinates are rounded to 1e-9 of the extent. Empty when
// nothing is filled.
inline Outline filled_outline(const std::vector<FilledPart>& parts) {
  Vec2d middle;
  const double extent = largest_extent(parts, &middle);
  if (!(extent > 0) || !std::isfinite(extent)) return {};
  const double grid = 1e9 / extent;  // within Clipper's fast 32-bit range
  ClipperLib::Paths solid;
  ClipperLib::Clipper unite;
  for (const FilledPart& part : parts) {
    ClipperLib::Paths paths;
    for (const Loop& loop : part.loops) {
      ClipperLib::Path& path = paths.emplace_back();
      for (const Vec2d v : loop)
        path.emplace_back(std::llround((v.x - middle.x) * grid), std::llround((v.y - middle.y) * grid));
    }
    ClipperLib::Paths filled;
    ClipperLib::SimplifyPolygons(paths, filled,
                                 part.rule == FillRule::evenodd ? ClipperLib::pftEvenOdd : ClipperLib::pftNonZero);
    unite.AddPaths(filled, ClipperLib::ptSubject, true);
  }
  unite.StrictlySimple(true);
  unite.Execute(ClipperLib::ctUnion, solid, ClipperLib::pftNonZero, ClipperLib::pftNonZero);
  Outline outline;
  for (const ClipperLib::Path& path : solid) {
    Loop loop;
    for (const ClipperLib::IntPoint& p : path)
      loop.push_back(middle + (1 / grid) * Vec2d{static_cast<double>(p.X), static_cast<double>(p.Y)});
    // Clipper's rounding may leave slivers of a few grid units.
    if (loop.size() >= 3 && std::abs(signed_area(loop)) > 1e-10 * extent * extent)
      outline.loops.push_back(std::move(loop));
  }
  return outline;
}

}  // namespace scree
