#pragma once
// One grain against the walls near it: which of its points touch. See wall_features.hpp for the idea.
#include <cmath>
#include <cstdint>

#include "scree/contact/wall_grain.hpp"
#include "scree/contact/wall_outline_kernel.hpp"
#include "scree/world/contact.hpp"

namespace scree {

// Sine of the angle by which a flat face may lean to the wrong side of a node and still touch it. Without this a face
// that rests flat across a node would gain and lose a contact with every rounding error.
inline constexpr double face_slack = 0.25;

SCREE_HD inline bool at_or_past(Vec2d direction, Vec2d along, double slack) {
  return dot(direction, along) >= -slack * norm(direction) * norm(along);
}

template <class Sink>
SCREE_HD inline void probe_half_plane(const WallGrain<Sink>& g, const WallHere& at) {
  const GrainView& grain = g.grain;
  const Vec2d n = at.turned(at.wall->normal);
  const double height = dot(n, grain.x - at.wall->x);
  if (height >= grain.radius + g.margin) return;
  if (grain.shape.is_disc) {
    const double gap = height - grain.radius;
    g.add(at, 0, gap, n, grain.x - (grain.radius + 0.5 * gap) * n);
    return;
  }
  for (int k = 0; k < grain.shape.corner_count; ++k) {
    if (!grain.shape.corners[k].on_hull) continue;
    const Vec2d p = g.to_world(grain.shape.corners[k].p);
    const double gap = dot(n, p - at.wall->x);
    if (gap < g.margin) g.add(at, feature_id(k, any_element), gap, n, p - 0.5 * gap * n);
  }
}

template <class Sink>
SCREE_HD inline void probe_circle_inside(const WallGrain<Sink>& g, WallHere at) {
  const GrainView& grain = g.grain;
  at.shift = grain.x + separation(g.periodic, grain.x, at.wall->x) - at.wall->x;
  const Vec2d centre = at.point({});
  const double off = norm(grain.x - centre);
  if (off + grain.radius + g.margin <= at.wall->radius) return;
  if (grain.shape.is_disc) {
    const double gap = at.wall->radius - off - grain.radius;
    const Vec2d n = off > 0 ? (-1 / off) * (grain.x - centre) : Vec2d{0, 1};
    g.add(at, 0, gap, n, grain.x - (grain.radius + 0.5 * gap) * n);
    return;
  }
  for (int k = 0; k < grain.shape.corner_count; ++k) {
    if (!grain.shape.corners[k].on_hull) continue;
    const Vec2d p = g.to_world(grain.shape.corners[k].p);
    const double distance = norm(p - centre);
    const double gap = at.wall->radius - distance;
    if (gap >= g.margin) continue;
    const Vec2d n = (-1 / distance) * (p - centre);
    g.add(at, feature_id(k, any_element), gap, n, p - 0.5 * gap * n);
  }
}

// Calls touch(feature, signed distance from w to the grain, unit normal towards the grain, slack) for every local
// minimum of the distance below r.
template <class Sink, class Touch>
SCREE_HD inline void outline_minima(const WallGrain<Sink>& g, Vec2d w, double r, std::uint32_t id, const Touch& touch) {
  const ShapeView& shape = g.grain.shape;
  const Rotation2d rotation = g.grain.rotation;
  const double radius = g.grain.radius, reach = r / radius;
  const Vec2d local = g.to_unit(w);
  if (norm2(local) < 1 && contains(shape, local)) {
    const BoundaryPoint b = nearest_boundary(shape, local);
    touch(feature_id(0x3fff, id), radius * b.distance, -(rotation * b.normal), face_slack);
    return;
  }
  for (int k = 0; k < shape.edge_count; ++k) {
    const Edge& e = shape.edges[k];
    const double height = dot(local - e.p, e.normal);
    if (height < 0 || height >= reach) continue;
    const double t = along_segment(local, e.p, e.q - e.p);
    if (t < 0 || t >= 1) continue;
    touch(on_edge | feature_id(k, id), radius * height, -(rotation * e.normal), face_slack);
  }
  for (int k = 0; k < shape.corner_count; ++k) {
    const Corner& c = shape.corners[k];
    const Vec2d d = local - c.p;
    const double distance = norm(d);
    if (distance >= reach || distance == 0 || !in_cone(c, d)) continue;
    touch(feature_id(k, id), radius * distance, (-1 / distance) * (rotation * d), 0);
  }
}

// The grain against a round point of the wall (world position w, radius r): all local minima of the distance.
// `admits(direction, slack)` says whether the wall is nearest at w in that direction, give or take slack.
template <class Sink, class Admits>
SCREE_HD inline void round_point(const WallGrain<Sink>& g, const WallHere& at, std::uint32_t id, Vec2d w, double r,
                                 const Admits& admits) {
  const Vec2d from = g.grain.x - w;
  const double reach = r + g.grain.radius + g.margin;
  if (norm2(from) >= reach * reach) return;
  const auto touch = [&](std::uint32_t feature, double distance, Vec2d n, double slack) {
    const double gap = distance - r;
    if (gap < g.margin && admits(n, slack)) g.add(at, at_wall_point | feature, gap, n, w + (r + 0.5 * gap) * n);
  };
  if (g.grain.shape.is_disc) {
    const double distance = norm(from);
    if (distance > 0) touch(feature_id(0, id), distance - g.grain.radius, (1 / distance) * from, 0);
    return;
  }
  outline_minima(g, w, r + g.margin, id, touch);
}

template <class Sink>
SCREE_HD inline void probe_circle_outside(const WallGrain<Sink>& g, WallHere at) {
  const auto all = [](Vec2d, double) { return true; };
  const Vec2d c = at.wall->x;
  const double reach = g.grain.radius + at.wall->radius + g.margin;
  const ImageRange images = images_near(g.periodic, {c, c}, unwrapped(g.periodic, g.grain.x, g.grain.image), reach);
  for (std::int32_t iy = images.first[1]; iy <= images.last[1]; ++iy) {
    for (std::int32_t ix = images.first[0]; ix <= images.last[0]; ++ix) {
      at.shift = g.shift_to({ix, iy});
      // A grain between two images touches both: their parity keeps the springs apart.
      const std::uint32_t parity = static_cast<std::uint32_t>(ix & 1) | static_cast<std::uint32_t>(iy & 1) << 1;
      round_point(g, at, any_element - parity, at.point({}), at.wall->radius, all);
    }
  }
}

template <class Sink>
SCREE_HD inline void disc_on_segment(const WallGrain<Sink>& g, const WallHere& at, std::uint32_t element) {
  const Edge& segment = at.wall->elements[element];
  const Vec2d x = g.grain.x, a = at.point(segment.p), along = at.turned(segment.q - segment.p);
  const double t = along_segment(x, a, along);
  if (t < 0 || t >= 1) return;
  const Vec2d d = x - a - t * along;
  const double distance = norm(d);
  const double gap = distance - g.grain.radius - at.wall->radius;
  if (gap >= g.margin || distance == 0) return;
  const Vec2d n = (1 / distance) * d;
  g.add(at, feature_id(0, element), gap, n, x - (g.grain.radius + 0.5 * gap) * n);
}

template <class Sink>
SCREE_HD inline void corners_on_segment(const WallGrain<Sink>& g, const WallHere& at, std::uint32_t element) {
  const Edge& segment = at.wall->elements[element];
  const Vec2d a = at.point(segment.p), along = at.turned(segment.q - segment.p);
  for (int k = 0; k < g.grain.shape.corner_count; ++k) {
    const Corner& corner = g.grain.shape.corners[k];
    const Vec2d p = g.to_world(corner.p);
    const double t = along_segment(p, a, along);
    if (t < 0 || t >= 1) continue;
    const Vec2d d = p - a - t * along;
    const double distance = norm(d);
    const double gap = distance - at.wall->radius;
    // A corner that has gone through the middle is not pushed out on the far side.
    if (gap >= g.margin || distance == 0 || !faces(corner, -g.grain.rotation.back(d))) continue;
    const Vec2d n = (1 / distance) * d;
    g.add(at, feature_id(k, element), gap, n, p - 0.5 * gap * n);
  }
}

// Segments act where the foot of a point lies on them (0 <= t < 1), nodes in the cone that is left between them.
template <class Sink>
SCREE_HD inline void probe_polyline(const WallGrain<Sink>& g, WallHere at, NearSpan near) {
  const WallView& wall = *at.wall;
  for (const NearWall& entry : near) {
    at.shift = g.shift_to(entry.image);
    if (g.grain.shape.is_disc) {
      disc_on_segment(g, at, entry.element);
    } else {
      corners_on_segment(g, at, entry.element);
    }
    const Edge& segment = wall.elements[entry.element];
    const Vec2d along = at.turned(segment.q - segment.p);
    const std::uint32_t before = wall.previous[entry.element];
    const bool joint = before != no_body;
    const Vec2d arriving = joint ? at.turned(wall.elements[before].q - wall.elements[before].p) : Vec2d{};
    // At a joint the slack follows its turn, so that faces do not rest on the joints of a straight line.
    const double turn = joint ? std::abs(cross(along, arriving)) / (norm(along) * norm(arriving)) : 1;
    const auto admits_start = [&](Vec2d d, double slack) {
      const double s = slack * turn;
      const bool before_segment = s > 0 ? at_or_past(d, -along, s) : dot(d, along) < 0;
      return before_segment && turn > 1e-9 && (!joint || at_or_past(d, arriving, s));
    };
    round_point(g, at, entry.element, at.point(segment.p), wall.radius, admits_start);
    if (wall.next[entry.element] != no_body) continue;
    const auto admits_end = [&](Vec2d d, double slack) { return at_or_past(d, along, slack); };
    round_point(g, at, entry.element + 1, at.point(segment.q), wall.radius, admits_end);
  }
}

template <class Sink>
SCREE_HD inline void probe_wall(const WallGrain<Sink>& g, const WallHere& at, NearSpan near) {
  switch (at.wall->kind) {
    case WallKind::half_plane:
      return probe_half_plane(g, at);
    case WallKind::circle_inside:
      return probe_circle_inside(g, at);
    case WallKind::circle_outside:
      return probe_circle_outside(g, at);
    case WallKind::polyline:
      return probe_polyline(g, at, near);
    case WallKind::outline:
      return probe_outline(g, at, near);
  }
}

// Calls sink(WallTouch) for every gap below `margin`: by wall and, within a wall, as found. `near`: the candidates of
// the grain, in the order of near_walls().
template <class Sink>
SCREE_HD inline void probe_walls(const GrainView& grain, const Periodic& periodic, const WallView* walls,
                                 const NearWall* near, int count, double margin, Sink&& sink) {
  const WallGrain<Sink> g{grain, periodic, margin, sink};
  for (int begin = 0, end = 0; begin < count; begin = end) {
    const std::int32_t w = near[begin].wall;
    while (end < count && near[end].wall == w) ++end;
    if (walls[w].active) probe_wall(g, {w, &walls[w], {}}, {near + begin, near + end});
  }
}

}  // namespace scree
