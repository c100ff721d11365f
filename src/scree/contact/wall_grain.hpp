#pragma once
// What the parts of the wall probe share: one grain, one wall in one of its images, and how a touch is told.
#include <cstdint>

#include "scree/contact/contact_kernel.hpp"
#include "scree/contact/wall_feature_id.hpp"
#include "scree/contact/wall_view.hpp"
#include "scree/shape/outline_kernel.hpp"

namespace scree {

// A wall in one of its periodic images.
struct WallHere {
  std::int32_t index = 0;
  const WallView* wall = nullptr;
  Vec2d shift;
  SCREE_HD Vec2d turned(Vec2d local) const { return wall->turn * local; }
  SCREE_HD Vec2d point(Vec2d local) const { return wall->turn * local + wall->x + shift; }
};

// Consecutive candidates of one wall.
struct NearSpan {
  const NearWall* first = nullptr;
  const NearWall* last = nullptr;  // one past the last
  SCREE_HD const NearWall* begin() const { return first; }
  SCREE_HD const NearWall* end() const { return last; }
};

// Gaps below `margin` count as touches; they go to `sink`.
template <class Sink>
struct WallGrain {
  const GrainView& grain;
  const Periodic& periodic;
  double margin;
  Sink& sink;

  SCREE_HD Vec2d to_world(Vec2d local) const { return grain.x + grain.rotation * (grain.radius * local); }
  SCREE_HD Vec2d to_unit(Vec2d point) const { return (1 / grain.radius) * grain.rotation.back(point - grain.x); }
  // Where the image of a wall is that a candidate names.
  SCREE_HD Vec2d shift_to(ImageIndex image) const { return shift_of(periodic, image, grain.image); }

  SCREE_HD void add(const WallHere& at, std::uint32_t feature, double gap, Vec2d normal, Vec2d point) const {
    sink(WallTouch{at.index, feature, point_geometry(gap, normal, point - at.wall->x - at.shift, point - grain.x)});
  }
};

SCREE_HD inline bool contains(const ShapeView& shape, Vec2d p) {
  bool inside = false;
  for (int k = 0; k < shape.edge_count; ++k)
    if (ray_crosses(shape.edges[k].p, shape.edges[k].q, p)) inside = !inside;
  return inside;
}

SCREE_HD inline BoundaryPoint nearest_boundary(const ShapeView& shape, Vec2d p) {
  BoundarySearch search(p);
  for (int k = 0; k < shape.edge_count; ++k) search.look_at(shape.edges[k].p, shape.edges[k].q);
  return search.found();
}

}  // namespace scree
