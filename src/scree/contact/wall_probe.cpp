#include "scree/contact/wall_probe.hpp"

#include <cmath>

#include "scree/contact/contact_kernel.hpp"
#include "scree/contact/wall_feature_id.hpp"

namespace scree {

namespace {

// Sine of the angle by which a flat face may lean to the wrong side of a node and still touch it. Without this a face
// that rests flat across a node would gain and lose a contact with every rounding error.
constexpr double face_slack = 0.25;

bool at_or_past(Vec2d direction, Vec2d along, double slack) {
  return dot(direction, along) >= -slack * norm(direction) * norm(along);
}

}  // namespace

Vec2d WallProbe::shift_of(std::array<std::int32_t, 2> image) const {
  const Vec2d period = world_.periodic.box.hi - world_.periodic.box.lo;
  const auto& mine = world_.bodies.image[body_];
  return {world_.periodic.x ? (image[0] - mine[0]) * period.x : 0,
          world_.periodic.y ? (image[1] - mine[1]) * period.y : 0};
}

void WallProbe::add(const Here& at, std::uint32_t feature, double gap, Vec2d normal, Vec2d point, Contacts& out) const {
  const auto g = point_geometry(gap, normal, point - at.wall->pose.x - at.shift, point - x_);
  Contact& c = out.emplace_back();
  c.b = static_cast<std::uint32_t>(body_);
  c.wall = at.index;
  c.feature = feature;
  c.gap = g.gap;
  c.gap_x = g.gap_x;
  c.gap_theta_a = g.gap_theta_a;
  c.gap_theta_b = g.gap_theta_b;
  c.normal = g.normal;
  c.arm_a = g.arm_a;
  c.arm_b = g.arm_b;
}

void WallProbe::touch_walls(Near near, Contacts& out) const {
  for (std::size_t begin = 0, end = 0; begin < near.size(); begin = end) {
    const std::int32_t w = near[begin].wall;
    while (end < near.size() && near[end].wall == w) ++end;
    const Near mine = near.subspan(begin, end - begin);
    const auto k = static_cast<std::size_t>(w);
    const Here at{w, &world_.walls[k], &walls_[k], turns_[k], {}};
    if (!at.wall->active) continue;
    switch (at.wall->kind) {
      case WallKind::half_plane:
        half_plane(at, out);
        break;
      case WallKind::circle_inside:
        circle_inside(at, out);
        break;
      case WallKind::circle_outside:
        circle_outside(at, out);
        break;
      case WallKind::polyline:
        polyline(at, mine, out);
        break;
      case WallKind::outline:
        outline(at, mine, out);
        break;
    }
  }
}

void WallProbe::half_plane(const Here& at, Contacts& out) const {
  const Vec2d n = at.turned(at.wall->normal);
  const double height = dot(n, x_ - at.wall->pose.x);
  if (height >= radius_ + margin_) return;
  if (shape_.is_disc) {
    const double gap = height - radius_;
    add(at, 0, gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
    return;
  }
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    if (!shape_.corners[k].on_hull) continue;
    const Vec2d p = to_world(shape_.corners[k].p);
    const double gap = dot(n, p - at.wall->pose.x);
    if (gap < margin_) add(at, feature_id(k, any_element), gap, n, p - 0.5 * gap * n, out);
  }
}

void WallProbe::circle_inside(Here at, Contacts& out) const {
  at.shift = x_ + world_.separation(x_, at.wall->pose.x) - at.wall->pose.x;
  const Vec2d centre = at.point({});
  const double off = norm(x_ - centre);
  if (off + radius_ + margin_ <= at.wall->radius) return;
  if (shape_.is_disc) {
    const double gap = at.wall->radius - off - radius_;
    const Vec2d n = off > 0 ? (-1 / off) * (x_ - centre) : Vec2d{0, 1};
    add(at, 0, gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
    return;
  }
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    if (!shape_.corners[k].on_hull) continue;
    const Vec2d p = to_world(shape_.corners[k].p);
    const double distance = norm(p - centre);
    const double gap = at.wall->radius - distance;
    if (gap >= margin_) continue;
    const Vec2d n = (-1 / distance) * (p - centre);
    add(at, feature_id(k, any_element), gap, n, p - 0.5 * gap * n, out);
  }
}

void WallProbe::circle_outside(Here at, Contacts& out) const {
  const auto all = [](Vec2d, double) { return true; };
  const Vec2d c = at.wall->pose.x;
  const double reach = radius_ + at.wall->radius + margin_;
  const ImageRange images = images_near(world_.periodic, {c, c}, world_.unwrapped(body_), reach);
  for (int iy = images.first[1]; iy <= images.last[1]; ++iy) {
    for (int ix = images.first[0]; ix <= images.last[0]; ++ix) {
      at.shift = shift_of({ix, iy});
      // A grain between two images touches both: their parity keeps the springs apart.
      const std::uint32_t parity = static_cast<std::uint32_t>(ix & 1) | static_cast<std::uint32_t>(iy & 1) << 1;
      round_point(at, any_element - parity, at.point({}), at.wall->radius, all, out);
    }
  }
}

template <class Admits>
void WallProbe::round_point(const Here& at, std::uint32_t id, Vec2d w, double r, Admits admits, Contacts& out) const {
  const Vec2d from = x_ - w;
  if (norm2(from) >= (r + radius_ + margin_) * (r + radius_ + margin_)) return;
  const auto touch = [&](std::uint32_t feature, double distance, Vec2d n, double slack) {
    const double gap = distance - r;
    if (gap < margin_ && admits(n, slack)) { add(at, at_wall_point | feature, gap, n, w + (r + 0.5 * gap) * n, out); }
  };
  if (shape_.is_disc) {
    const double distance = norm(from);
    if (distance > 0) touch(feature_id(0, id), distance - radius_, (1 / distance) * from, 0);
    return;
  }
  outline_minima(w, r + margin_, id, touch);
}

// Calls touch(feature, signed distance from w to the grain, unit normal towards the grain, slack) for every local
// minimum of the distance below r.
template <class Touch>
void WallProbe::outline_minima(Vec2d w, double r, std::uint32_t id, Touch touch) const {
  const Vec2d local = to_unit(w);
  const double reach = r / radius_;
  if (norm2(local) < 1 && contains(*shape_.outline, local)) {
    const BoundaryPoint b = nearest_boundary(*shape_.outline, local);
    touch(feature_id(0x3fff, id), radius_ * b.distance, -(rotation_ * b.normal), face_slack);
    return;
  }
  for (std::size_t k = 0; k < shape_.edges.size(); ++k) {
    const Edge& e = shape_.edges[k];
    const double height = dot(local - e.p, e.normal);
    if (height < 0 || height >= reach) continue;
    const double t = along_segment(local, e.p, e.q - e.p);
    if (t < 0 || t >= 1) continue;
    touch(on_edge | feature_id(k, id), radius_ * height, -(rotation_ * e.normal), face_slack);
  }
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    const Corner& c = shape_.corners[k];
    const Vec2d d = local - c.p;
    const double distance = norm(d);
    if (distance >= reach || distance == 0 || !in_cone(c, d)) continue;
    touch(feature_id(k, id), radius_ * distance, (-1 / distance) * (rotation_ * d), 0);
  }
}

// Segments act where the foot of a point lies on them (0 <= t < 1), nodes in the cone that is left between them.
void WallProbe::polyline(Here at, Near near, Contacts& out) const {
  const WallFeatures& f = *at.features;
  for (const auto& entry : near) {
    at.shift = shift_of(entry.image);
    shape_.is_disc ? disc_on_segment(at, entry.element, out) : corners_on_segment(at, entry.element, out);
    const Edge& segment = f.elements[entry.element];
    const Vec2d along = at.turned(segment.q - segment.p);
    const std::uint32_t before = f.previous[entry.element];
    const bool joint = before != no_body;
    const Vec2d arriving = joint ? at.turned(f.elements[before].q - f.elements[before].p) : Vec2d{};
    // At a joint the slack follows its turn, so that faces do not rest on the joints of a straight line.
    const double turn = joint ? std::abs(cross(along, arriving)) / (norm(along) * norm(arriving)) : 1;
    const auto admits_start = [&](Vec2d d, double slack) {
      const double s = slack * turn;
      const bool before_segment = s > 0 ? at_or_past(d, -along, s) : dot(d, along) < 0;
      return before_segment && turn > 1e-9 && (!joint || at_or_past(d, arriving, s));
    };
    round_point(at, entry.element, at.point(segment.p), at.wall->radius, admits_start, out);
    if (f.next[entry.element] == no_body) {
      const auto admits_end = [&](Vec2d d, double slack) { return at_or_past(d, along, slack); };
      round_point(at, entry.element + 1, at.point(segment.q), at.wall->radius, admits_end, out);
    }
  }
}

void WallProbe::disc_on_segment(const Here& at, std::uint32_t element, Contacts& out) const {
  const Edge& segment = at.features->elements[element];
  const Vec2d a = at.point(segment.p);
  const Vec2d along = at.turned(segment.q - segment.p);
  const double t = along_segment(x_, a, along);
  if (t < 0 || t >= 1) return;
  const Vec2d d = x_ - a - t * along;
  const double distance = norm(d);
  const double gap = distance - radius_ - at.wall->radius;
  if (gap >= margin_ || distance == 0) return;
  const Vec2d n = (1 / distance) * d;
  add(at, feature_id(0, element), gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
}

void WallProbe::corners_on_segment(const Here& at, std::uint32_t element, Contacts& out) const {
  const Edge& segment = at.features->elements[element];
  const Vec2d a = at.point(segment.p);
  const Vec2d along = at.turned(segment.q - segment.p);
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    const Vec2d p = to_world(shape_.corners[k].p);
    const double t = along_segment(p, a, along);
    if (t < 0 || t >= 1) continue;
    const Vec2d d = p - a - t * along;
    const double distance = norm(d);
    const double gap = distance - at.wall->radius;
    // A corner that has gone through the middle is not pushed out on the far side.
    if (gap >= margin_ || distance == 0 || !faces(shape_.corners[k], -rotation_.back(d))) continue;
    const Vec2d n = (1 / distance) * d;
    add(at, feature_id(k, element), gap, n, p - 0.5 * gap * n, out);
  }
}

}  // namespace scree
