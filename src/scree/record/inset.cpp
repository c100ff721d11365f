#include "scree/record/inset.hpp"

#include <cmath>
#include <polyclipping/clipper.hpp>

namespace scree {

Outline inset(const Outline& outline, double width) {
  constexpr double grid = 1 << 24;  // Clipper works on whole numbers
  ClipperLib::Paths paths;
  for (const Loop& loop : outline.loops) {
    ClipperLib::Path path;
    for (Vec2d p : loop) path.emplace_back(std::llround(p.x * grid), std::llround(p.y * grid));
    paths.push_back(std::move(path));
  }
  ClipperLib::ClipperOffset offset(4.0);
  offset.AddPaths(paths, ClipperLib::jtMiter, ClipperLib::etClosedPolygon);
  ClipperLib::Paths inner;
  offset.Execute(inner, -width * grid);
  Outline out;
  for (const ClipperLib::Path& path : inner) {
    Loop loop;
    for (const ClipperLib::IntPoint& p : path)
      loop.push_back({static_cast<double>(p.X) / grid, static_cast<double>(p.Y) / grid});
    out.loops.push_back(std::move(loop));
  }
  return out;
}

}  // namespace scree
