#include "scree/measure/clip.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

namespace {

// Sutherland-Hodgman against one side: what remains is where inside(p) >= 0, a linear function. Parts of a non-convex
// loop stay joined by edges along the side, walked in both directions, which adds no area.
template <class Inside>
void clip(Loop& loop, Inside inside, Loop& out) {
  out.clear();
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec2d p = loop[i], q = loop[(i + 1) % loop.size()];
    const double at_p = inside(p), at_q = inside(q);
    if (at_p >= 0) out.push_back(p);
    if ((at_p < 0) != (at_q < 0)) out.push_back(p + (at_p / (at_p - at_q)) * (q - p));
  }
  loop.swap(out);
}

bool covers(const Box& outer, const Box& inner) {
  return outer.lo.x <= inner.lo.x && outer.lo.y <= inner.lo.y && outer.hi.x >= inner.hi.x && outer.hi.y >= inner.hi.y;
}

bool apart(const Box& a, const Box& b) {
  return a.hi.x <= b.lo.x || b.hi.x <= a.lo.x || a.hi.y <= b.lo.y || b.hi.y <= a.lo.y;
}

Box bounds_of(const Outline& outline) {
  Box box{{1e300, 1e300}, {-1e300, -1e300}};
  for (const Loop& loop : outline.loops) {
    for (const Vec2d p : loop) {
      box.lo = {std::min(box.lo.x, p.x), std::min(box.lo.y, p.y)};
      box.hi = {std::max(box.hi.x, p.x), std::max(box.hi.y, p.y)};
    }
  }
  return box;
}

// Signed area that the disc of radius r about the origin shares with the triangle (0, p, q).
double disc_in_triangle(Vec2d p, Vec2d q, double r) {
  const auto sector = [&](Vec2d a, Vec2d b) { return 0.5 * r * r * std::atan2(cross(a, b), dot(a, b)); };
  const Vec2d d = q - p;
  const double a = norm2(d), b = dot(p, d), root = b * b - a * (norm2(p) - r * r);
  if (!(root > 0)) return sector(p, q);
  const double enter = (-b - std::sqrt(root)) / a, leave = (-b + std::sqrt(root)) / a;
  if (leave <= 0 || enter >= 1) return sector(p, q);
  const Vec2d u = p + std::max(enter, 0.0) * d, v = p + std::min(leave, 1.0) * d;
  return (enter > 0 ? sector(p, u) : 0) + 0.5 * cross(u, v) + (leave < 1 ? sector(v, q) : 0);
}

// Columns that [lo, hi] reaches into with more than a point, as a half-open range.
std::pair<std::size_t, std::size_t> columns_of(std::span<const double> edges, double lo, double hi) {
  const auto first = std::upper_bound(edges.begin(), edges.end(), lo);
  const auto last = std::lower_bound(edges.begin(), edges.end(), hi);
  const auto index = [&](auto it) { return static_cast<std::size_t>(it - edges.begin()); };
  const std::size_t begin = index(first) == 0 ? 0 : index(first) - 1;
  return {begin, std::min(index(last), edges.size() - 1)};
}

}  // namespace

double area_in(const Outline& outline, const Box& box) {
  double area = 0;
  Loop work, scratch;
  for (const Loop& loop : outline.loops) {
    work = loop;
    clip(
        work, [&](Vec2d p) { return p.x - box.lo.x; }, scratch);
    clip(
        work, [&](Vec2d p) { return box.hi.x - p.x; }, scratch);
    clip(
        work, [&](Vec2d p) { return p.y - box.lo.y; }, scratch);
    clip(
        work, [&](Vec2d p) { return box.hi.y - p.y; }, scratch);
    if (work.size() >= 3) area += signed_area(work);
  }
  return area;
}

double disc_area_in(Vec2d centre, double radius, const Box& box) {
  // Sides far away would cost precision, and what they cut off beyond the disc does not matter.
  const auto near = [&](double side, double c) { return std::clamp(side - c, -2 * radius, 2 * radius); };
  const Vec2d lo{near(box.lo.x, centre.x), near(box.lo.y, centre.y)};
  const Vec2d hi{near(box.hi.x, centre.x), near(box.hi.y, centre.y)};
  const Vec2d corner[] = {lo, {hi.x, lo.y}, hi, {lo.x, hi.y}};
  double area = 0;
  for (int i = 0; i < 4; ++i) area += disc_in_triangle(corner[i], corner[(i + 1) % 4], radius);
  return std::max(0.0, area);
}

Solid solid_of(const Snapshot& s, std::size_t grain, Vec2d centre) {
  const Shape& shape = s.shape_of(grain);
  const double radius = s.type_of(grain).radius;
  Solid solid{{}, centre, radius, shape.is_disc};
  if (!solid.disc) solid.outline = transformed(shape.outline, radius, s.theta[grain], centre);
  return solid;
}

double Solid::area_in(const Box& box) const {
  if (disc) return disc_area_in(centre, radius, box);
  const Box own = bounds();
  if (apart(box, own)) return 0;
  const Box all{{-1e300, -1e300}, {1e300, 1e300}};
  return scree::area_in(outline, covers(box, own) ? all : box);
}

Box Solid::bounds() const {
  const Vec2d r{radius, radius};
  return disc ? Box{centre - r, centre + r} : bounds_of(outline);
}

void Solid::raise_tops(std::span<const double> edges, std::span<double> tops) const {
  if (disc) {
    const auto [begin, end] = columns_of(edges, centre.x - radius, centre.x + radius);
    for (std::size_t k = begin; k < end; ++k) {
      const double off = std::clamp(centre.x, edges[k], edges[k + 1]) - centre.x;
      tops[k] = std::max(tops[k], centre.y + std::sqrt(std::max(0.0, radius * radius - off * off)));
    }
    return;
  }
  for (const Loop& loop : outline.loops) {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      Vec2d p = loop[i], q = loop[(i + 1) % loop.size()];
      if (p.x > q.x) std::swap(p, q);
      const auto [begin, end] = columns_of(edges, p.x, q.x);
      const auto height = [&](double x) {
        return x <= p.x ? p.y : x >= q.x ? q.y : p.y + (x - p.x) / (q.x - p.x) * (q.y - p.y);
      };
      for (std::size_t k = begin; k < end; ++k) tops[k] = std::max({tops[k], height(edges[k]), height(edges[k + 1])});
    }
  }
}

}  // namespace scree
