#pragma once
// A grain against a solid polygon: the grain's corners in the solid, the solid's corners in the grain, discs on its
// edges and corners.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "scree/contact/wall_grain.hpp"

namespace scree {

// A convex corner of the wall against the grain's outline.
template <class Sink>
SCREE_HD inline void wall_corner_in_grain(const WallGrain<Sink>& g, const WallHere& at, std::uint32_t element) {
  if (at.wall->corner_at[element] < 0) return;
  const double radius = g.grain.radius;
  const Vec2d w = at.point(at.wall->elements[element].p);
  if (norm2(w - g.grain.x) >= (radius + g.margin) * (radius + g.margin)) return;
  const BoundaryPoint b = nearest_boundary(g.grain.shape, g.to_unit(w));
  const double gap = radius * b.distance;
  if (gap >= g.margin) return;
  const Vec2d n = -(g.grain.rotation * b.normal);
  g.add(at, at_wall_point | feature_id(0, element), gap, n, w + 0.5 * gap * n);
}

// Signed distance of each of the grain's corners to the solid, from the nearest of the wall's edges close by.
template <class Sink>
SCREE_HD inline void corners_in_outline(const WallGrain<Sink>& g, WallHere at, NearSpan near) {
  const WallView& wall = *at.wall;
  for (int k = 0; k < g.grain.shape.corner_count; ++k) {
    const Vec2d p = g.to_world(g.grain.shape.corners[k].p);
    double best = 1e300;
    Vec2d outwards;  // from the corner to the nearest point of the wall's boundary
    Vec2d pseudo_normal;
    for (const NearWall& entry : near) {
      const Vec2d shift = g.shift_to(entry.image);
      const Vec2d local = wall.turn.back(p - wall.x - shift);
      const Edge& e = wall.elements[entry.element];
      const double t = std::clamp(along_segment(local, e.p, e.q - e.p), 0.0, 1.0);
      const Vec2d to_edge = e.p + t * (e.q - e.p) - local;
      if (norm2(to_edge) >= best) continue;
      best = norm2(to_edge);
      outwards = to_edge;
      at.shift = shift;
      pseudo_normal = e.normal;
      if (t == 0) pseudo_normal += wall.elements[wall.previous[entry.element]].normal;
      if (t == 1) pseudo_normal += wall.elements[wall.next[entry.element]].normal;
    }
    if (best == 0) continue;
    const double gap = dot(outwards, pseudo_normal) > 0 ? -std::sqrt(best) : std::sqrt(best);
    if (gap >= g.margin) continue;
    const Vec2d n = at.turned((-1 / gap) * outwards);
    g.add(at, feature_id(k, any_element), gap, n, p - 0.5 * gap * n);
  }
}

// An edge of the solid, or the corner at its start, where the distance to the disc's centre has a local minimum.
template <class Sink>
SCREE_HD inline void disc_on_outline(const WallGrain<Sink>& g, const WallHere& at, std::uint32_t element) {
  const WallView& wall = *at.wall;
  const double radius = g.grain.radius;
  const Vec2d local = wall.turn.back(g.grain.x - wall.x - at.shift);
  const auto touch = [&](std::uint32_t feature, Vec2d direction, double distance) {
    const double gap = distance - radius;
    if (gap >= g.margin) return;
    const Vec2d n = at.turned(direction);
    g.add(at, feature, gap, n, g.grain.x - (radius + 0.5 * gap) * n);
  };
  const Edge& e = wall.elements[element];
  const Vec2d d = local - e.p;
  const double t = along_segment(local, e.p, e.q - e.p);
  const double height = dot(d, e.normal);
  if (t >= 0 && t < 1 && height > -radius) touch(feature_id(0, element), e.normal, height);
  const std::int32_t corner = wall.corner_at[element];
  const double distance = norm(d);
  if (corner >= 0 && distance > 0 && in_cone(wall.corners[corner], d))
    touch(at_wall_point | feature_id(0, element), (1 / distance) * d, distance);
}

template <class Sink>
SCREE_HD inline void probe_outline(const WallGrain<Sink>& g, WallHere at, NearSpan near) {
  const bool disc = g.grain.shape.is_disc;
  if (!disc) corners_in_outline(g, at, near);
  for (const NearWall& entry : near) {
    at.shift = g.shift_to(entry.image);
    if (disc) {
      disc_on_outline(g, at, entry.element);
    } else {
      wall_corner_in_grain(g, at, entry.element);
    }
  }
}

}  // namespace scree
