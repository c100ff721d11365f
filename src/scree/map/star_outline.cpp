#include "scree/map/star_outline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/pose.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

double angle_of(Vec2d p) { return std::min(std::atan2(p.y, p.x), std::nextafter(pi, 0)); }

}  // namespace

double StarOutline::Edge::distance2(Vec2d p, double& along) const {
  along = dot(p - from, direction);
  return norm2(p - from - std::clamp(along, 0.0, length) * direction);
}

StarOutline::StarOutline(const Loop& loop, Vec2d centre, double scale) : centre_(centre) {
  const auto corner = [&](std::size_t k) { return scale * loop[k % loop.size()]; };
  std::size_t start = 0;
  for (std::size_t k = 1; k < loop.size(); ++k)
    if (angle_of(corner(k) - centre) < angle_of(corner(start) - centre)) start = k;
  for (std::size_t k = start; k < start + loop.size(); ++k) {
    const Vec2d from = corner(k), by = corner(k + 1) - from;
    const double length = norm(by);
    if (!(length > 0)) continue;
    edges_.push_back({from, (1 / length) * by, length});
    begin_.push_back(std::max(angle_of(from - centre), begin_.empty() ? -pi : begin_.back()));
  }
}

std::size_t StarOutline::edge_towards(double angle) const {
  const auto after = std::ranges::upper_bound(begin_, angle);
  return after == begin_.begin() ? edges_.size() - 1 : static_cast<std::size_t>(after - begin_.begin()) - 1;
}

StarOutline::Answer StarOutline::at(Vec2d p) const {
  const Vec2d seen = p - centre_;
  const double towards = angle_of(seen), rho = norm(seen);
  const std::size_t n = edges_.size();
  std::size_t nearest = edge_towards(towards);
  double along, least = edges_[nearest].distance2(p, along);
  // What is nearer is seen no farther aside than this.
  std::size_t first = 0, count = n;
  if (const double off = std::sqrt(least); off < rho) {
    const double aside = std::asin(off / rho);
    first = edge_towards(wrap_angle(towards - aside));
    count = (edge_towards(wrap_angle(towards + aside)) + n - first) % n + 1;
  }
  for (std::size_t k = first; k < first + count; ++k) {
    double here;
    const double d2 = edges_[k % n].distance2(p, here);
    if (d2 < least) least = d2, nearest = k % n, along = here;
  }
  const Edge& e = edges_[nearest];
  if (along > 0 && along < e.length) return {dot(p - e.from, e.normal()), e.normal()};
  // At a corner both edges say which side it is.
  const Edge& beside = edges_[(nearest + (along > 0 ? 1 : n - 1)) % n];
  const Vec2d outward = e.normal() + beside.normal(), from = p - (along > 0 ? beside.from : e.from);
  const double distance = norm(from), side = dot(from, outward) < 0 ? -1 : 1;
  constexpr double rounding = 1e-9;
  if (distance > rounding * e.length) return {side * distance, (side / distance) * from};
  const double length = norm(outward);
  return {side * distance, length > 0 ? (1 / length) * outward : e.normal()};
}

}  // namespace scree
