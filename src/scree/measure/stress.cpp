#include "scree/measure/stress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scree/measure/contacts.hpp"

namespace scree {

namespace {

// The part of the segment from p to p + l inside the box (Liang-Barsky), 0 to 1.
double part_inside(Vec2d p, Vec2d l, const Box& box) {
  double enter = 0, leave = 1;
  const auto cut = [&](double at, double d, double lo, double hi) {
    if (d == 0) {  // half open: a branch along the seam of a periodic cell lies in one image only
      if (at < lo || at >= hi) leave = -1;
      return;
    }
    enter = std::max(enter, ((d > 0 ? lo : hi) - at) / d);
    leave = std::min(leave, ((d > 0 ? hi : lo) - at) / d);
  };
  cut(p.x, l.x, box.lo.x, box.hi.x);
  cut(p.y, l.y, box.lo.y, box.hi.y);
  return std::max(0.0, leave - enter);
}

// The periods by which [at, at + d] reaches into [lo, hi], first and last; {0, 0} in a direction without images.
std::pair<double, double> periods_into(bool periodic, double period, double at, double d, double lo, double hi) {
  if (!periodic) return {0, 0};
  return {std::floor((lo - std::max(at, at + d)) / period), std::ceil((hi - std::min(at, at + d)) / period)};
}

// The same over all periodic images of the segment.
double images_inside(const Snapshot& s, Vec2d p, Vec2d l, const Box& box) {
  const Vec2d period = s.period();
  const auto [first_x, last_x] = periods_into(s.periodic.x, period.x, p.x, l.x, box.lo.x, box.hi.x);
  const auto [first_y, last_y] = periods_into(s.periodic.y, period.y, p.y, l.y, box.lo.y, box.hi.y);
  double sum = 0;
  for (double kx = first_x; kx <= last_x; ++kx) {
    for (double ky = first_y; ky <= last_y; ++ky)
      sum += part_inside(p + Vec2d{s.periodic.x ? kx * period.x : 0, s.periodic.y ? ky * period.y : 0}, l, box);
  }
  return sum;
}

struct Branch {
  Vec2d from, along;
};

// From A to B inside the material: boundaries end at the contact point.
Branch branch_of(const Snapshot& s, const SnapshotContact& c) {
  const bool from_point = c.a == no_body || s.driven(c.a);
  const Vec2d x_b = s.x[c.b];
  const Vec2d to_point = s.separation(x_b, c.point);
  if (from_point) return {x_b + to_point, -to_point};
  const Vec2d x_a = s.x[c.a];
  return {x_a, s.driven(c.b) ? s.separation(x_a, c.point) : s.separation(x_a, x_b)};
}

void add_kinetic(const Snapshot& s, const Members& inside, Stress& out) {
  double mass = 0;
  Vec2d momentum;
  for (const std::uint32_t i : inside) mass += s.type_of(i).mass, momentum += s.type_of(i).mass * s.v[i];
  for (const std::uint32_t i : inside) {
    const Vec2d v = s.v[i] - (1 / mass) * momentum;
    out.kinetic.add(v, v, -s.type_of(i).mass / out.area);
  }
}

}  // namespace

double Stress::direction() const {
  const SymmetricTensor t = contact.symmetric();
  return SymmetricTensor{-t.xx, -t.xy, -t.yy}.direction();
}

Stress stress(const Snapshot& s, const Selection& selection) {
  const Members members = chosen(s, selection);
  const Box region = closed_region(s, members, selection.region);
  Stress out;
  out.area = (region.hi.x - region.lo.x) * (region.hi.y - region.lo.y);
  for (const SnapshotContact* c : contacts_of(s, members, true)) {
    const Branch branch = branch_of(s, *c);
    const double part = images_inside(s, branch.from, branch.along, region);
    if (part > 0) ++out.contacts;
    out.contact.add(c->force_on_b(), branch.along, -part / out.area);
  }
  Selection inside = selection;
  inside.region = region;
  add_kinetic(s, chosen_inside(s, inside), out);
  return out;
}

std::vector<SymmetricTensor> grain_compression(const Snapshot& s) {
  std::vector<Tensor2> sums(s.size());
  for (const SnapshotContact& c : s.contacts) {
    const Vec2d f = c.force_on_b();
    const auto add = [&](std::uint32_t grain, Vec2d force) {
      if (!s.driven(grain)) sums[grain].add(force, s.separation(s.x[grain], c.point), -1 / s.area_of(grain));
    };
    add(c.b, f);
    if (c.a != no_body) add(c.a, -f);
  }
  std::vector<SymmetricTensor> out;
  out.reserve(sums.size());
  for (const Tensor2& t : sums) out.push_back(t.symmetric());
  return out;
}

}  // namespace scree
