#pragma once
// Packing fraction: area of solid over area of the region, with the true outlines cut at its sides. Where grains
// overlap, both count.
#include "scree/measure/selection.hpp"

namespace scree {

struct Packing {
  double fraction = 0;
  double solid = 0;  // area of the grains inside the region
  double area = 0;   // of the region
};
Packing packing(const Snapshot& s, const Selection& selection);

enum class Axis { x, y };

struct PackingLayer {
  double lo = 0, hi = 0;  // along the axis
  double fraction = 0;
};
// The region cut into `layers` slices of equal thickness along the axis.
std::vector<PackingLayer> packing_by_layer(const Snapshot& s, const Selection& selection, Axis axis, int layers);

// Error(input) when n slices of the region along the axis are too thin to tell apart.
void refuse_thin_slices(const Box& region, Axis axis, int n);
// Slice k of n of a box along an axis.
Box slice(const Box& region, Axis axis, int k, int n);
inline double along(Vec2d p, Axis axis) { return axis == Axis::x ? p.x : p.y; }

}  // namespace scree
