#pragma once
// Boxes, and worlds that repeat in one direction or two. An image is a number of periods: what a body has been wrapped
// by, or which copy of a wall is meant.
#include <array>
#include <cmath>
#include <cstdint>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

struct Box {
  Vec2d lo;
  Vec2d hi;
  SCREE_HD bool contains(Vec2d p) const { return p.x >= lo.x && p.x <= hi.x && p.y >= lo.y && p.y <= hi.y; }
};

struct Periodic {
  bool x = false;
  bool y = false;
  Box box;  // the cell; used in periodic directions only
  SCREE_HD Vec2d period() const { return box.hi - box.lo; }
};

using ImageIndex = std::array<std::int32_t, 2>;

// A coordinate difference as seen to the nearest periodic image.
SCREE_HD inline double nearest_image(double d, double period) {
  return std::abs(d) < 0.5 * period ? d : d - period * std::round(d / period);
}

// Moves a coordinate into [lo, hi) and counts the periods in `image`.
SCREE_HD inline void wrap_axis(double lo, double hi, double& x, std::int32_t& image) {
  if (x >= lo && x < hi) return;
  const double turns = std::floor((x - lo) / (hi - lo));
  // Not finite or absurdly far: left for the watchdog to report.
  if (!(std::abs(turns) < 1e9)) return;
  x -= turns * (hi - lo);
  image += static_cast<std::int32_t>(turns);
  if (x < hi) return;
  x = lo;  // rounding put it on the upper edge, which is the lower one of the next image
  ++image;
}

// x_b - x_a, the nearest periodic image.
SCREE_HD inline Vec2d separation(const Periodic& periodic, Vec2d x_a, Vec2d x_b) {
  Vec2d d = x_b - x_a;
  if (periodic.x) d.x = nearest_image(d.x, periodic.box.hi.x - periodic.box.lo.x);
  if (periodic.y) d.y = nearest_image(d.y, periodic.box.hi.y - periodic.box.lo.y);
  return d;
}

// Where a body at x would be, had it never been wrapped.
SCREE_HD inline Vec2d unwrapped(const Periodic& periodic, Vec2d x, ImageIndex image) {
  const Vec2d period = periodic.period();
  return x + Vec2d{image[0] * period.x, image[1] * period.y};
}

// How far the image `there` of something is shifted as a body sees it that has been wrapped by `mine`.
SCREE_HD inline Vec2d shift_of(const Periodic& periodic, ImageIndex there, ImageIndex mine) {
  const Vec2d period = periodic.period();
  return {periodic.x ? (there[0] - mine[0]) * period.x : 0, periodic.y ? (there[1] - mine[1]) * period.y : 0};
}

// Images of something in `box` that are within `reach` of the unwrapped point u. In a direction that is not periodic
// the only image is 0.
struct ImageRange {
  ImageIndex first{0, 0};
  ImageIndex last{0, 0};
};

SCREE_HD inline ImageRange images_near(const Periodic& periodic, const Box& box, Vec2d u, double reach) {
  ImageRange r;
  const Vec2d period = periodic.period();
  if (periodic.x && std::isfinite(u.x)) {
    r.first[0] = static_cast<std::int32_t>(std::ceil((u.x - box.hi.x - reach) / period.x));
    r.last[0] = static_cast<std::int32_t>(std::floor((u.x - box.lo.x + reach) / period.x));
  }
  if (periodic.y && std::isfinite(u.y)) {
    r.first[1] = static_cast<std::int32_t>(std::ceil((u.y - box.hi.y - reach) / period.y));
    r.last[1] = static_cast<std::int32_t>(std::floor((u.y - box.lo.y + reach) / period.y));
  }
  return r;
}

}  // namespace scree
