#pragma once
// The slow references: two polygons compared edge by edge. Nothing here is shared with the maps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/base/pose.hpp"
#include "scree/base/rng.hpp"
#include "scree/shape/shape.hpp"

namespace scree::test {

inline Outline placed(const Shape& shape, double scale, const Pose2d& q) {
  Outline out = shape.outline;
  for (Loop& loop : out.loops)
    for (Vec2d& v : loop) v = q * (scale * v);
  return out;
}

template <class Body>
void each_edge(const Outline& outline, Body&& body) {
  for (const Loop& loop : outline.loops)
    for (std::size_t i = 0; i < loop.size(); ++i) body(loop[i], loop[(i + 1) % loop.size()]);
}

inline double point_segment(Vec2d x, Vec2d p, Vec2d q) {
  const Vec2d d = q - p;
  const double t = std::clamp(dot(x - p, d) / norm2(d), 0.0, 1.0);
  return norm(x - p - t * d);
}

inline bool cross_properly(Vec2d a, Vec2d b, Vec2d c, Vec2d d) {
  const auto side = [](Vec2d p, Vec2d q, Vec2d r) { return cross(q - p, r - p); };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

// Even-odd rule.
inline bool inside(const Outline& outline, Vec2d x) {
  bool in = false;
  each_edge(outline, [&](Vec2d p, Vec2d q) {
    if ((p.y > x.y) != (q.y > x.y) && x.x < p.x + (x.y - p.y) / (q.y - p.y) * (q.x - p.x)) in = !in;
  });
  return in;
}

inline bool overlap(const Outline& a, const Outline& b) {
  bool found = false;
  each_edge(a, [&](Vec2d p, Vec2d q) {
    each_edge(b, [&](Vec2d r, Vec2d s) { found = found || cross_properly(p, q, r, s); });
  });
  if (found) return true;
  for (const Loop& loop : b.loops)
    if (inside(a, loop[0])) return true;
  for (const Loop& loop : a.loops)
    if (inside(b, loop[0])) return true;
  return false;
}

inline double boundary_distance(const Outline& a, const Outline& b) {
  double d = std::numeric_limits<double>::infinity();
  const auto one_way = [&](const Outline& s, const Outline& t) {
    each_edge(s, [&](Vec2d p, Vec2d q) {
      for (const Loop& loop : t.loops)
        for (const Vec2d v : loop) d = std::min(d, point_segment(v, p, q));
    });
  };
  one_way(a, b);
  one_way(b, a);
  return d;
}

inline Pose2d random_pose(Rng& rng, double reach) {
  const double theta = rng.uniform(-std::numbers::pi, std::numbers::pi);
  const double phi = rng.uniform(-std::numbers::pi, std::numbers::pi), r = reach * std::sqrt(rng.uniform());
  return {theta, {r * std::cos(phi), r * std::sin(phi)}};
}

}  // namespace scree::test
