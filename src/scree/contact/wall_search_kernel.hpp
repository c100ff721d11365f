#pragma once
// Which walls, and which elements of them, are within reach of one grain.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "scree/contact/wall_view.hpp"

namespace scree {

// An element of a wall in the world.
struct PlacedElement {
  Vec2d p;
  Vec2d q;
  Box box;  // around it
};

SCREE_HD inline PlacedElement placed(const Edge& e, const Pose2d& pose) {
  const Vec2d p = pose * e.p, q = pose * e.q;
  return {p, q, {{std::min(p.x, q.x), std::min(p.y, q.y)}, {std::max(p.x, q.x), std::max(p.y, q.y)}}};
}

// A wall as the search sees it.
struct PlacedWallView {
  WallKind kind = WallKind::half_plane;
  Vec2d normal;       // half_plane: in the world
  double radius = 0;  // circles: radius; polyline: half thickness
  Vec2d x;            // of its pose
  const PlacedElement* elements = nullptr;
  int element_count = 0;  // 0: the wall is one thing
  Box box;                // around all elements
};

SCREE_HD inline double distance_to_segment(Vec2d p, Vec2d a, Vec2d b) {
  const Vec2d along = b - a;
  const double t = std::clamp(dot(p - a, along) / std::max(norm2(along), 1e-300), 0.0, 1.0);
  return norm(p - a - t * along);
}

SCREE_HD inline bool apart(const Box& b, Vec2d p, double reach) {
  return p.x < b.lo.x - reach || p.x > b.hi.x + reach || p.y < b.lo.y - reach || p.y > b.hi.y + reach;
}

// Whether a point is within `reach` of a wall that has no elements.
SCREE_HD inline bool near_whole(const Periodic& periodic, const PlacedWallView& wall, Vec2d x, double reach) {
  if (wall.kind == WallKind::half_plane) {
    // Across a period such a wall is not the same: a grain may come near it by being wrapped.
    const bool crossed = (periodic.x && wall.normal.x != 0) || (periodic.y && wall.normal.y != 0);
    return crossed || dot(wall.normal, x - wall.x) < reach;
  }
  if (wall.kind == WallKind::circle_inside) return norm(separation(periodic, x, wall.x)) + reach > wall.radius;
  return wall.kind == WallKind::circle_outside && norm(separation(periodic, x, wall.x)) < reach + wall.radius;
}

// The elements of wall number w near a grain of the given radius at the unwrapped place u.
template <class Sink>
SCREE_HD inline void near_elements(const Periodic& periodic, const PlacedWallView& wall, std::int32_t w, Vec2d u,
                                   double radius, double skin, Sink& sink) {
  const Vec2d period = periodic.period();
  const double thickness = wall.kind == WallKind::polyline ? wall.radius : 0;
  const double reach = radius + thickness + skin;
  const ImageRange images = images_near(periodic, wall.box, u, reach);
  for (std::int32_t iy = images.first[1]; iy <= images.last[1]; ++iy) {
    for (std::int32_t ix = images.first[0]; ix <= images.last[0]; ++ix) {
      const Vec2d p = u - Vec2d{ix * period.x, iy * period.y};
      if (apart(wall.box, p, reach)) continue;
      for (int k = 0; k < wall.element_count; ++k) {
        const PlacedElement& e = wall.elements[k];
        if (apart(e.box, p, reach) || distance_to_segment(p, e.p, e.q) >= reach) continue;
        sink(NearWall{w, static_cast<std::uint32_t>(k), {ix, iy}});
      }
    }
  }
}

// Calls sink(NearWall) for what is within `skin` of a moving grain: by wall, then image, then element.
template <class Sink>
SCREE_HD inline void near_walls(const Periodic& periodic, const PlacedWallView* walls, int wall_count, Vec2d x,
                                ImageIndex image, double radius, double skin, Sink&& sink) {
  const Vec2d u = unwrapped(periodic, x, image);
  for (int w = 0; w < wall_count; ++w) {
    if (walls[w].element_count > 0) {
      near_elements(periodic, walls[w], w, u, radius, skin, sink);
    } else if (near_whole(periodic, walls[w], x, radius + skin)) {
      sink(NearWall{w, 0, {0, 0}});
    }
  }
}

}  // namespace scree
