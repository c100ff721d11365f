#include "scree/shape/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/hash.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/curve.hpp"

namespace scree {

namespace {

// A rotation that moves every vertex onto another within this distance (unit circumradius) counts as a symmetry. Well
// below the error of any contact map, well above rounding in glyph units and in six-digit coordinates.
constexpr double symmetry_tolerance = 1e-5;

std::uint64_t content_hash(const Shape& shape) {
  Hash hash;
  hash.number(shape.is_disc ? 1 : 0);
  hash.number(static_cast<std::uint64_t>(shape.outline.loops.size()));
  for (const Loop& loop : shape.outline.loops) {
    hash.number(static_cast<std::uint64_t>(loop.size()));
    for (const Vec2d v : loop) hash.number(v.x).number(v.y);
  }
  return hash.value();
}

double circumradius(const Outline& outline, Vec2d centre) {
  double r2 = 0;
  for (const Loop& loop : outline.loops)
    for (const Vec2d v : loop) r2 = std::max(r2, norm2(v - centre));
  return std::sqrt(r2);
}

}  // namespace

Shape make_shape(std::string name, Outline outline, double flatten_tolerance) {
  outline = checked_outline(std::move(outline), name);
  const Vec2d centre = mass_properties(outline).centroid;
  Shape shape;
  shape.name = std::move(name);
  shape.natural_radius = circumradius(outline, centre);
  for (Loop& loop : outline.loops)
    for (Vec2d& v : loop) v = (1 / shape.natural_radius) * (v - centre);
  const MassProperties mass = mass_properties(outline);
  shape.outline = std::move(outline);
  shape.flatten_tolerance = flatten_tolerance;
  shape.area = mass.area;
  shape.polar_moment = mass.polar_moment;
  shape.thinnest = thinnest_feature(shape.outline);
  shape.symmetry = symmetry_order(shape.outline, symmetry_tolerance);
  shape.pieces = convex_cover(shape.outline);
  shape.hash = content_hash(shape);
  return shape;
}

Shape make_disc(std::string name, double radius, double flatten_tolerance) {
  if (!(radius > 0) || !std::isfinite(radius))
    throw Error(ErrorKind::input, cat("shape \"", name, "\""), cat("radius ", radius, " is not a positive length"),
                "give a disc a radius above 0");
  Shape shape;
  shape.name = std::move(name);
  shape.outline.loops = {circle_loop({0, 0}, 1, flatten_tolerance)};
  shape.natural_radius = radius;
  shape.flatten_tolerance = flatten_tolerance;
  shape.is_disc = true;
  shape.area = std::numbers::pi;
  shape.polar_moment = std::numbers::pi / 2;
  shape.thinnest = 2;
  shape.symmetry = 0;
  shape.pieces = {shape.outline.loops.front()};
  shape.hash = content_hash(shape);
  return shape;
}

}  // namespace scree
