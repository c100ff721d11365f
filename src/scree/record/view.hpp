#pragma once
// What all pictures of a run share, so that a video neither jitters nor changes its colours: the region shown and the
// tops of the colour scales.
#include <cstddef>
#include <functional>
#include <vector>

#include "scree/record/frame.hpp"

namespace scree {

struct Scales {
  Box view;                         // world region: walls and grains of the whole run
  double speed = 1;                 // top of the speed scale, round
  double grain_force = 1;           // top of the scale of the sum of normal forces on a grain, round
  double contact_force = 1;         // contact force drawn at full line width
  std::vector<std::size_t> types;   // grain types that move freely at some time, for the legend
  std::vector<std::size_t> groups;  // likewise groups
};

// From up to 48 frames spread over a run of `count` frames. Stray grains do not widen the view: 0.2 % of the centres
// on each side may lie outside.
Scales find_scales(const Statics& statics, std::size_t count, const std::function<Frame(std::size_t)>& read);
inline Scales find_scales(const Statics& statics, const Frame& frame) {
  return find_scales(statics, 1, [&](std::size_t) { return frame; });
}

// Sum of the normal forces on each grain of a frame.
std::vector<double> grain_forces(const Frame& frame);
// Grains and walls that touch each grain of a frame, one that touches at several points counted once.
std::vector<std::int32_t> grain_partners(const Frame& frame);
// Index of the grain with this id, or frame.id.size().
std::size_t find_grain(const Frame& frame, std::uint32_t id);
// The periodic image of x nearest to a point, so that no line runs across the cell.
Vec2d nearest_image(const Periodic& periodic, Vec2d x, Vec2d point);
// The point of a disc nearest to p.
Vec2d nearest_in_circle(Vec2d p, Vec2d centre, double radius);

}  // namespace scree
