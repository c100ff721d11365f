#include "scree/record/wall_outline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <polyclipping/clipper.hpp>

namespace scree {

namespace {

constexpr int circle_sides = 256;

Loop circle(double radius, bool hole) {
  Loop loop;
  for (int k = 0; k < circle_sides; ++k) {
    const double angle = (hole ? -2 : 2) * std::numbers::pi * k / circle_sides;
    loop.push_back(radius * Vec2d{std::cos(angle), std::sin(angle)});
  }
  return loop;
}

// All points within `radius` of the chain.
Outline thick_chain(const Wall& wall) {
  double extent = wall.radius;
  for (const Vec2d p : wall.points) extent = std::max({extent, std::abs(p.x), std::abs(p.y)});
  const double grid = (1 << 30) / extent;  // Clipper works on whole numbers
  ClipperLib::Path path;
  for (const Vec2d p : wall.points) path.emplace_back(std::llround(p.x * grid), std::llround(p.y * grid));
  const double tolerance = wall.radius * grid * (1 - std::cos(std::numbers::pi / circle_sides));
  ClipperLib::ClipperOffset offset(2.0, tolerance);
  offset.AddPath(path, ClipperLib::jtRound, wall.closed ? ClipperLib::etClosedLine : ClipperLib::etOpenRound);
  ClipperLib::Paths thick;
  offset.Execute(thick, wall.radius * grid);
  Outline out;
  for (const ClipperLib::Path& loop : thick) {
    Loop& points = out.loops.emplace_back();
    for (const ClipperLib::IntPoint& p : loop)
      points.push_back({static_cast<double>(p.X) / grid, static_cast<double>(p.Y) / grid});
  }
  return out;
}

}  // namespace

Outline wall_outline(const Wall& wall) {
  switch (wall.kind) {
    case WallKind::half_plane:
      return {};
    case WallKind::circle_inside:
    case WallKind::circle_outside:
      return {{circle(wall.radius, wall.kind == WallKind::circle_inside)}};
    case WallKind::polyline:
      return thick_chain(wall);
    case WallKind::outline:
      return wall.outline;
  }
  return {};
}

}  // namespace scree
