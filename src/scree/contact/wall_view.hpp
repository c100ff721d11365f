#pragma once
// Walls, and grains as walls see them, as plain views of arrays that live elsewhere: what the pure functions of
// wall_search_kernel.hpp and wall_probe_kernel.hpp work on, on either device.
#include <cmath>
#include <cstdint>

#include "scree/base/macros.hpp"
#include "scree/base/pose.hpp"
#include "scree/contact/contact_kernel.hpp"
#include "scree/world/periodic.hpp"
#include "scree/world/wall.hpp"

namespace scree {

// A convex vertex of an outline, with the outward normals of the edges before and after it: the vertex can be nearest
// to a point only if that point lies in the cone between the two normals.
struct Corner {
  Vec2d p;
  Vec2d normal_before;
  Vec2d normal_after;
  bool on_hull = false;  // of the convex hull: the only ones that can touch a half-plane or a circle from inside
};

struct Edge {
  Vec2d p;
  Vec2d q;
  Vec2d normal;  // unit, outward
};

// True when `direction` lies in the normal cone of the corner. Half open, like the range 0 <= t < 1 of an edge, so that
// every direction belongs to one edge or to one corner.
SCREE_HD inline bool in_cone(const Corner& c, Vec2d direction) {
  return cross(c.normal_before, direction) >= 0 && cross(direction, c.normal_after) > 0;
}

// True when the material of the corner is not between it and what lies in `direction`.
SCREE_HD inline bool faces(const Corner& c, Vec2d direction) {
  return dot(c.normal_before + c.normal_after, direction) > 0;
}

// A grain's shape at unit radius (ShapeFeatures).
struct ShapeView {
  bool is_disc = false;
  const Corner* corners = nullptr;
  int corner_count = 0;
  const Edge* edges = nullptr;
  int edge_count = 0;
};

struct GrainView {
  Vec2d x;
  ImageIndex image{0, 0};  // what it has been wrapped by
  double radius = 1;
  Rotation2d rotation;
  ShapeView shape;
};

// A wall where it is now (Wall, WallFeatures). Arrays are in its own frame.
struct WallView {
  WallKind kind = WallKind::half_plane;
  bool active = true;
  Vec2d normal;       // half_plane
  double radius = 0;  // circles: radius; polyline: half thickness
  Vec2d x;            // of its pose
  Rotation2d turn;    // of its pose
  const Edge* elements = nullptr;
  const std::uint32_t* next = nullptr;      // by element
  const std::uint32_t* previous = nullptr;  // by element
  const std::int32_t* corner_at = nullptr;  // outline: by element
  const Corner* corners = nullptr;          // outline
};

// A wall, or an element of one, near a grain.
struct NearWall {
  std::int32_t wall;
  std::uint32_t element;  // 0 where the wall is one thing
  ImageIndex image;       // of the wall, in the grain's unwrapped frame: outlives a wrap of the grain
};

// A point where a grain touches a wall.
struct WallTouch {
  std::int32_t wall;
  std::uint32_t feature;
  WorldGeometry<double> geometry;  // A is the wall, about the origin of its frame
};

// How far the surface of a wall has moved since it was at `then`, where a grain may meet it. `extent`: largest distance
// of its points from its origin; `farthest`: of a half-plane, that of the grains then.
SCREE_HD inline double wall_move(WallKind kind, const Pose2d& now, const Pose2d& then, double extent, double farthest) {
  const double shift = norm(now.x - then.x), turn = std::abs(now.theta - then.theta);
  const double arm = kind == WallKind::half_plane ? farthest + shift : extent;
  return shift + turn * arm;
}

}  // namespace scree
