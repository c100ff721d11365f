#include "scree/measure/packing.hpp"

#include <algorithm>
#include <cmath>

#include "scree/measure/clip.hpp"

namespace scree {

namespace {

double area(const Box& box) { return (box.hi.x - box.lo.x) * (box.hi.y - box.lo.y); }

}  // namespace

Box slice(const Box& region, Axis axis, int k, int n) {
  Box out = region;
  const double lo = along(region.lo, axis), step = (along(region.hi, axis) - lo) / n;
  double& from = axis == Axis::x ? out.lo.x : out.lo.y;
  double& to = axis == Axis::x ? out.hi.x : out.hi.y;
  if (k > 0) from = lo + k * step;
  if (k + 1 < n) to = lo + (k + 1) * step;
  return out;
}

void refuse_thin_slices(const Box& region, Axis axis, int n) {
  const double lo = along(region.lo, axis), hi = along(region.hi, axis);
  constexpr double least =
      1e-12;  // of the coordinates: thinner slices have sides that are off by more than a thousandth
  if (!((hi - lo) / n > least * std::max(std::abs(lo), std::abs(hi))))
    nothing_to_measure("the slices are too thin to tell apart", "choose fewer bins or a larger region");
}

Packing packing(const Snapshot& s, const Selection& selection) {
  const Members members = chosen(s, selection);
  const Box region = closed_region(s, members, selection.region);
  Packing out;
  out.area = area(region);
  for_images(s, members, region,
             [&](std::uint32_t i, Vec2d centre) { out.solid += solid_of(s, i, centre).area_in(region); });
  out.fraction = out.solid / out.area;
  return out;
}

std::vector<PackingLayer> packing_by_layer(const Snapshot& s, const Selection& selection, Axis axis, int layers) {
  const Members members = chosen(s, selection);
  const Box region = closed_region(s, members, selection.region);
  refuse_thin_slices(region, axis, layers);
  const double bottom = along(region.lo, axis), thickness = (along(region.hi, axis) - bottom) / layers;
  std::vector<double> solid(static_cast<std::size_t>(layers), 0.0);
  for_images(s, members, region, [&](std::uint32_t i, Vec2d centre) {
    const Solid grain = solid_of(s, i, centre);
    const double reach = grain.radius / thickness, at = (along(centre, axis) - bottom) / thickness;
    const int first = static_cast<int>(std::clamp(std::floor(at - reach), 0.0, double(layers)));
    const int last = static_cast<int>(std::clamp(std::ceil(at + reach), 0.0, double(layers)));
    for (int k = first; k < last; ++k)
      solid[static_cast<std::size_t>(k)] += grain.area_in(slice(region, axis, k, layers));
  });
  std::vector<PackingLayer> out;
  for (int k = 0; k < layers; ++k) {
    const Box layer = slice(region, axis, k, layers);
    out.push_back({along(layer.lo, axis), along(layer.hi, axis), solid[static_cast<std::size_t>(k)] / area(layer)});
  }
  return out;
}

}  // namespace scree
