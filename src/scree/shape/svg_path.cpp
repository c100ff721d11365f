#include "scree/shape/svg_path.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/shape/curve.hpp"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;

PathSegment arc_piece(Vec2d centre, double rx, double ry, double tilt, double from, double sweep, Vec2d end) {
  PathSegment s;
  s.kind = PathSegment::Kind::arc;
  s.end = end;
  s.centre = centre;
  s.radii = {rx, ry};
  s.tilt = tilt;
  s.from = from;
  s.sweep = sweep;
  return s;
}

PathSegment line_piece(Vec2d end) {
  PathSegment s;
  s.end = end;
  return s;
}

void append_transformed_arc(Loop& loop, const PathSegment& s, const Affine& transform, double tolerance) {
  // An ellipse is a squeezed circle: chords of the circle through the longer radius bound the error.
  const double radius = std::max(s.radii.x, s.radii.y) * transform.stretch();
  // A whole number of chords to each eighth of a turn: a drawing with that symmetry keeps it.
  const int eighths = std::max(1, static_cast<int>(std::lround(std::abs(s.sweep) / (pi / 4))));
  const int n = (arc_segments(radius, s.sweep, tolerance) + eighths - 1) / eighths * eighths;
  const Rotation2d turn(s.tilt);
  for (int k = 1; k < n; ++k) {
    const double t = s.from + s.sweep * k / n;
    loop.push_back(transform * (s.centre + turn * Vec2d{s.radii.x * std::cos(t), s.radii.y * std::sin(t)}));
  }
  loop.push_back(transform * s.end);
}

}  // namespace

Affine Affine::operator*(const Affine& o) const {
  const Vec2d shift = *this * Vec2d{o.e, o.f};
  return {a * o.a + c * o.b, b * o.a + d * o.b, a * o.c + c * o.d, b * o.c + d * o.d, shift.x, shift.y};
}

double Affine::stretch() const {
  // Largest singular value of (a c; b d).
  const double sum = a * a + b * b + c * c + d * d;
  const double det = a * d - b * c;
  return std::sqrt((sum + std::sqrt(std::max(0.0, sum * sum - 4 * det * det))) / 2);
}

SubPath rect_path(double x, double y, double width, double height, double rx, double ry) {
  rx = std::min(rx, width / 2);
  ry = std::min(ry, height / 2);
  SubPath path;
  path.closed = true;
  path.start = {x + rx, y};
  const auto side = [&](Vec2d corner_start, Vec2d centre, double from, Vec2d corner_end) {
    path.segments.push_back(line_piece(corner_start));
    if (rx > 0 && ry > 0) path.segments.push_back(arc_piece(centre, rx, ry, 0, from, pi / 2, corner_end));
  };
  const double right = x + width;
  const double top = y + height;
  if (rx <= 0 || ry <= 0) rx = ry = 0, path.start = {x, y};
  side({right - rx, y}, {right - rx, y + ry}, -pi / 2, {right, y + ry});
  side({right, top - ry}, {right - rx, top - ry}, 0, {right - rx, top});
  side({x + rx, top}, {x + rx, top - ry}, pi / 2, {x, top - ry});
  side({x, y + ry}, {x + rx, y + ry}, pi, {x + rx, y});
  return path;
}

SubPath ellipse_path(Vec2d centre, double rx, double ry) {
  SubPath path;
  path.closed = true;
  path.start = centre + Vec2d{rx, 0};
  path.segments.push_back(arc_piece(centre, rx, ry, 0, 0, pi, centre - Vec2d{rx, 0}));
  path.segments.push_back(arc_piece(centre, rx, ry, 0, pi, pi, path.start));
  return path;
}

Loop flattened(const SubPath& path, const Affine& transform, double tolerance) {
  Loop loop = {transform * path.start};
  for (const PathSegment& s : path.segments) {
    switch (s.kind) {
      case PathSegment::Kind::line:
        loop.push_back(transform * s.end);
        break;
      case PathSegment::Kind::quadratic:
        append_quadratic(loop, transform * s.control1, transform * s.end, tolerance);
        break;
      case PathSegment::Kind::cubic:
        append_cubic(loop, transform * s.control1, transform * s.control2, transform * s.end, tolerance);
        break;
      case PathSegment::Kind::arc:
        append_transformed_arc(loop, s, transform, tolerance);
        break;
    }
  }
  return loop;
}

}  // namespace scree
