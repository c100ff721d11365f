#include "scree/shape/outline.hpp"

namespace scree {

namespace {

// Sums of one loop about `origin` (Green's theorem): area, first moments, polar second moment.
struct LoopMoments {
  double area = 0;
  Vec2d first;
  double polar = 0;
};

LoopMoments loop_moments(const Loop& loop, Vec2d origin) {
  LoopMoments m;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec2d a = loop[i] - origin;
    const Vec2d b = loop[(i + 1) % loop.size()] - origin;
    const double c = cross(a, b);
    m.area += c / 2;
    m.first += (c / 6) * (a + b);
    m.polar += c / 12 * (norm2(a) + dot(a, b) + norm2(b));
  }
  return m;
}

}  // namespace

double signed_area(const Loop& loop) { return loop.empty() ? 0.0 : loop_moments(loop, loop.front()).area; }

MassProperties mass_properties(const Outline& outline) {
  MassProperties mass;
  if (outline.loops.empty() || outline.loops.front().empty()) return mass;
  const auto total = [&](Vec2d origin) {
    LoopMoments sum;
    for (const Loop& loop : outline.loops) {
      const LoopMoments m = loop_moments(loop, origin);
      sum.area += m.area;
      sum.first += m.first;
      sum.polar += m.polar;
    }
    return sum;
  };
  // Twice: the second pass about the centroid itself, so that an outline drawn far from the origin loses no digits.
  const Vec2d start = outline.loops.front().front();
  const LoopMoments rough = total(start);
  const Vec2d centre = start + (1 / rough.area) * rough.first;
  const LoopMoments fine = total(centre);
  const Vec2d rest = (1 / fine.area) * fine.first;
  mass.area = fine.area;
  mass.centroid = centre + rest;
  mass.polar_moment = fine.polar - fine.area * norm2(rest);
  return mass;
}

BoundaryPoint nearest_boundary(const Outline& outline, Vec2d p) {
  BoundarySearch search(p);
  for (const Loop& loop : outline.loops)
    for (std::size_t i = 0; i < loop.size(); ++i) search.look_at(loop[i], loop[(i + 1) % loop.size()]);
  return search.found();
}

bool contains(const Outline& outline, Vec2d p) {
  bool inside = false;
  for (const Loop& loop : outline.loops)
    for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
      if (ray_crosses(loop[j], loop[i], p)) inside = !inside;
  return inside;
}

Outline transformed(const Outline& outline, double scale, double angle, Vec2d shift) {
  const Rotation2d turn(angle);
  Outline out = outline;
  for (Loop& loop : out.loops)
    for (Vec2d& v : loop) v = scale * (turn * v) + shift;
  // A negative scale is a half turn in the plane, so orientation is kept.
  return out;
}

}  // namespace scree
