#pragma once
// Exact areas and heights of solids cut by boxes and columns. Outlines are in the world; true discs have closed forms.
#include <span>

#include "scree/measure/snapshot.hpp"

namespace scree {

// A grain's solid in the world: its outline, or the disc itself.
struct Solid {
  Outline outline;  // empty for a disc
  Vec2d centre;
  double radius = 0;  // circumradius
  bool disc = false;

  double area_in(const Box& box) const;
  // The smallest box around it.
  Box bounds() const;
  // The solid cuts columns [edges[k], edges[k+1]]; raises tops[k] to its highest point there. Edges ascend.
  void raise_tops(std::span<const double> edges, std::span<double> tops) const;
};

// `centre`: where the grain's centroid is put, which may be another periodic image.
Solid solid_of(const Snapshot& s, std::size_t grain, Vec2d centre);

// Area of the solid of `outline` inside `box`: every loop is clipped, and signed areas add up.
double area_in(const Outline& outline, const Box& box);
// Area of a disc inside `box`.
double disc_area_in(Vec2d centre, double radius, const Box& box);

}  // namespace scree
