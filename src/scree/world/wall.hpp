#pragma once
// Boundaries that are not grains. Geometry is given in the wall's own frame; `pose` places it.
#include <string>
#include <vector>

#include "scree/base/pose.hpp"
#include "scree/shape/outline.hpp"

namespace scree {

enum class WallKind {
  half_plane,      // solid where normal . x < 0
  circle_inside,   // a container: solid where |x| > radius
  circle_outside,  // an obstacle: solid where |x| < radius
  polyline,        // a chain of segments of thickness 2 radius with round ends and joints
  outline,         // a solid polygon with holes
};

struct Wall {
  std::string name;
  WallKind kind = WallKind::half_plane;
  int material = 0;
  bool active = true;  // events switch walls off ("remove") and on

  Vec2d normal{0, 1};         // half_plane: unit, out of the solid
  double radius = 1;          // circles: radius; polyline: half thickness
  std::vector<Vec2d> points;  // polyline: nodes
  bool closed = false;        // polyline: last node joins the first
  Outline outline;            // outline: solid on the left of its edges

  Pose2d pose;     // now
  Vec2d velocity;  // of the frame's origin, now
  double omega = 0;
  Pose2d anchor;  // pose when its motion started

  Vec2d velocity_at(Vec2d p) const { return velocity + omega * perp(p - pose.x); }
};

}  // namespace scree
