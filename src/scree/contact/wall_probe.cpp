#include "scree/contact/wall_probe.hpp"

#include <algorithm>
#include <cmath>

#include "scree/contact/contact_kernel.hpp"

namespace scree {

namespace {

// Feature ids, unique within (grain, wall): the upper half names the grain's corner or edge, the lower the wall's
// element; the top bit marks contacts at a point of the wall.
constexpr std::uint32_t any_element = 0xffff;
constexpr std::uint32_t at_wall_point = 0x80000000u;
constexpr std::uint32_t on_edge = 0x40000000u;

std::uint32_t feature_id(std::size_t of_grain, std::uint32_t element) {
  return static_cast<std::uint32_t>(of_grain & 0x3fff) << 16 | (element & 0xffff);
}

}  // namespace

WallProbe::WallProbe(const World& world, const std::vector<WallFeatures>& walls, const ShapeFeatures& shape,
                     double radius, std::size_t body)
    : world_(world),
      walls_(walls),
      shape_(shape),
      radius_(radius),
      body_(body),
      x_(world.bodies.x[body]),
      rotation_(world.bodies.theta[body]) {}

Vec2d WallProbe::wall_point(const Wall& wall, Vec2d local) const {
  return x_ + world_.separation(x_, wall.pose * local);
}

void WallProbe::add(int index, std::uint32_t feature, double gap, Vec2d normal, Vec2d point,
                    std::vector<Contact>& out) const {
  const auto g = point_geometry(gap, normal, point, x_);
  Contact c;
  c.b = static_cast<std::uint32_t>(body_);
  c.wall = index;
  c.feature = feature;
  c.gap = g.gap;
  c.gap_x = g.gap_x;
  c.gap_theta_b = g.gap_theta_b;
  c.normal = g.normal;
  c.arm_b = g.arm_b;
  c.point = point;
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  // The wall's velocity where the wall really is, should the contact be with a periodic image of it.
  const Vec2d on_wall = wall.pose.x + world_.separation(wall.pose.x, point);
  c.wall_velocity = wall.velocity_at(on_wall);
  out.push_back(c);
}

void WallProbe::touch_walls(std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const {
  std::size_t begin = 0;
  for (int w = 0; w < static_cast<int>(world_.walls.size()); ++w) {
    std::size_t end = begin;
    while (end < near.size() && near[end].wall == w) ++end;
    const auto mine = near.subspan(begin, end - begin);
    begin = end;
    const Wall& wall = world_.walls[static_cast<std::size_t>(w)];
    if (!wall.active) continue;
    switch (wall.kind) {
      case WallKind::half_plane:
        half_plane(w, out);
        break;
      case WallKind::circle_inside:
        circle_inside(w, out);
        break;
      case WallKind::circle_outside:
        circle_outside(w, out);
        break;
      case WallKind::polyline:
        polyline(w, mine, out);
        break;
      case WallKind::outline:
        outline(w, mine, out);
        break;
    }
  }
}

void WallProbe::half_plane(int index, std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const Vec2d n = Rotation2d(wall.pose.theta) * wall.normal;
  const double height = dot(n, x_ - wall.pose.x);
  if (height >= radius_) return;
  if (shape_.is_disc) {
    const double gap = height - radius_;
    add(index, 0, gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
    return;
  }
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    if (!shape_.corners[k].on_hull) continue;
    const Vec2d p = to_world(shape_.corners[k].p);
    const double gap = dot(n, p - wall.pose.x);
    if (gap < 0) add(index, feature_id(k, any_element), gap, n, p - 0.5 * gap * n, out);
  }
}

void WallProbe::circle_inside(int index, std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const Vec2d centre = wall_point(wall, {});
  const double off = norm(x_ - centre);
  if (off + radius_ <= wall.radius) return;
  if (shape_.is_disc) {
    const double gap = wall.radius - off - radius_;
    const Vec2d n = (-1 / off) * (x_ - centre);
    add(index, 0, gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
    return;
  }
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    if (!shape_.corners[k].on_hull) continue;
    const Vec2d p = to_world(shape_.corners[k].p);
    const double distance = norm(p - centre);
    const double gap = wall.radius - distance;
    if (gap >= 0) continue;
    const Vec2d n = (-1 / distance) * (p - centre);
    add(index, feature_id(k, any_element), gap, n, p - 0.5 * gap * n, out);
  }
}

void WallProbe::circle_outside(int index, std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  round_point(
      index, any_element, wall_point(wall, {}), wall.radius, [](Vec2d) { return true; }, out);
}

template <class Admits>
void WallProbe::round_point(int index, std::uint32_t id, Vec2d w, double r, Admits admits,
                            std::vector<Contact>& out) const {
  const Vec2d from = x_ - w;
  const double distance_to_centre = norm(from);
  if (distance_to_centre >= r + radius_ || distance_to_centre == 0) return;
  const auto touch = [&](std::uint32_t feature, Vec2d p, Vec2d direction, double distance) {
    const double gap = distance - r;
    if (gap < 0 && distance > 0 && admits(direction)) {
      const Vec2d n = (1 / distance) * direction;
      add(index, at_wall_point | feature, gap, n, p - 0.5 * gap * n, out);
    }
  };
  if (shape_.is_disc) {
    const Vec2d n = (1 / distance_to_centre) * from;
    touch(feature_id(0, id), x_ - radius_ * n, (distance_to_centre - radius_) * n, distance_to_centre - radius_);
    return;
  }
  const Vec2d local = (1 / radius_) * rotation_.back(w - x_);
  const double reach = r / radius_;
  for (std::size_t k = 0; k < shape_.edges.size(); ++k) {
    const Edge& e = shape_.edges[k];
    const double height = dot(local - e.p, e.normal);
    if (height <= 0 || height >= reach) continue;
    const Vec2d along = e.q - e.p;
    const double t = dot(local - e.p, along) / norm2(along);
    if (t <= 0 || t >= 1) continue;
    touch(on_edge | feature_id(k, id), to_world(e.p + t * along), -radius_ * height * (rotation_ * e.normal),
          radius_ * height);
  }
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    const Corner& c = shape_.corners[k];
    const Vec2d d = local - c.p;
    if (norm2(d) >= reach * reach || !in_cone(c, d)) continue;
    touch(feature_id(k, id), to_world(c.p), -radius_ * (rotation_ * d), radius_ * norm(d));
  }
}

void WallProbe::polyline(int index, std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const WallFeatures& f = walls_[static_cast<std::size_t>(index)];
  const Rotation2d turn(wall.pose.theta);
  for (const auto& entry : near) {
    shape_.is_disc ? disc_on_segment(index, entry.element, out) : corners_on_segment(index, entry.element, out);
    const Edge& segment = f.elements[entry.element];
    const Vec2d along = turn * (segment.q - segment.p);
    const std::uint32_t before = f.previous[entry.element];
    const Vec2d back = before == no_body ? Vec2d{} : turn * (f.elements[before].p - f.elements[before].q);
    const auto admits_start = [&](Vec2d d) { return dot(d, along) <= 0 && dot(d, back) <= 0; };
    round_point(index, entry.element, wall_point(wall, segment.p), wall.radius, admits_start, out);
    if (f.next[entry.element] == no_body) {
      const auto admits_end = [&](Vec2d d) { return dot(d, along) >= 0; };
      round_point(index, entry.element + 1, wall_point(wall, segment.q), wall.radius, admits_end, out);
    }
  }
}

void WallProbe::disc_on_segment(int index, std::uint32_t element, std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const Edge& segment = walls_[static_cast<std::size_t>(index)].elements[element];
  const Vec2d a = wall_point(wall, segment.p);
  const Vec2d along = Rotation2d(wall.pose.theta) * (segment.q - segment.p);
  const double t = dot(x_ - a, along) / norm2(along);
  if (t <= 0 || t >= 1) return;
  const Vec2d d = x_ - a - t * along;
  const double distance = norm(d);
  const double gap = distance - radius_ - wall.radius;
  if (gap >= 0 || distance == 0) return;
  const Vec2d n = (1 / distance) * d;
  add(index, feature_id(0, element), gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
}

void WallProbe::corners_on_segment(int index, std::uint32_t element, std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const Edge& segment = walls_[static_cast<std::size_t>(index)].elements[element];
  const Vec2d a = wall_point(wall, segment.p);
  const Vec2d along = Rotation2d(wall.pose.theta) * (segment.q - segment.p);
  const double length2 = norm2(along);
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    const Vec2d p = to_world(shape_.corners[k].p);
    const double t = dot(p - a, along) / length2;
    if (t <= 0 || t >= 1) continue;
    const Vec2d d = p - a - t * along;
    const double distance = norm(d);
    const double gap = distance - wall.radius;
    if (gap >= 0 || distance == 0 || !in_cone(shape_.corners[k], -rotation_.back(d))) continue;
    const Vec2d n = (1 / distance) * d;
    add(index, feature_id(k, element), gap, n, p - 0.5 * gap * n, out);
  }
}

void WallProbe::outline(int index, std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const {
  if (near.empty()) return;
  if (shape_.is_disc) {
    disc_on_outline(index, near, out);
    return;
  }
  corners_in_outline(index, near, out);
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const WallFeatures& f = walls_[static_cast<std::size_t>(index)];
  for (const auto& entry : near) {
    if (f.corner_at[entry.element] < 0) continue;
    const Vec2d w = wall_point(wall, f.elements[entry.element].p);
    if (norm2(w - x_) >= radius_ * radius_) continue;
    const BoundaryPoint b = nearest_boundary(*shape_.outline, (1 / radius_) * rotation_.back(w - x_));
    if (b.distance >= 0) continue;
    const double gap = radius_ * b.distance;
    const Vec2d n = -(rotation_ * b.normal);
    add(index, at_wall_point | feature_id(0, entry.element), gap, n, w + 0.5 * gap * n, out);
  }
}

// Signed distance of each of the grain's corners to the solid, from the nearest of the wall's edges close by.
void WallProbe::corners_in_outline(int index, std::span<const WallCandidates::Entry> near,
                                   std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const WallFeatures& f = walls_[static_cast<std::size_t>(index)];
  const Rotation2d turn(wall.pose.theta);
  const Vec2d origin = wall_point(wall, {});
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    const Vec2d p = to_world(shape_.corners[k].p);
    const Vec2d local = turn.back(p - origin);
    double best = 1e300;
    Vec2d nearest;
    Vec2d pseudo_normal;
    for (const auto& entry : near) {
      const Edge& e = f.elements[entry.element];
      const Vec2d along = e.q - e.p;
      const double t = std::clamp(dot(local - e.p, along) / norm2(along), 0.0, 1.0);
      const Vec2d q = e.p + t * along;
      const double d2 = norm2(local - q);
      if (d2 >= best) continue;
      best = d2;
      nearest = q;
      pseudo_normal = e.normal;
      if (t == 0) pseudo_normal += f.elements[f.previous[entry.element]].normal;
      if (t == 1) pseudo_normal += f.elements[f.next[entry.element]].normal;
    }
    if (dot(local - nearest, pseudo_normal) >= 0) continue;
    const double depth = std::sqrt(best);
    const Vec2d n = turn * ((1 / depth) * (nearest - local));
    add(index, feature_id(k, any_element), -depth, n, p + 0.5 * depth * n, out);
  }
}

// Every edge and corner of the solid that is a local minimum of the distance to the disc's centre.
void WallProbe::disc_on_outline(int index, std::span<const WallCandidates::Entry> near,
                                std::vector<Contact>& out) const {
  const Wall& wall = world_.walls[static_cast<std::size_t>(index)];
  const WallFeatures& f = walls_[static_cast<std::size_t>(index)];
  const Rotation2d turn(wall.pose.theta);
  const Vec2d local = turn.back(x_ - wall_point(wall, {}));
  const auto touch = [&](std::uint32_t feature, Vec2d direction, double distance) {
    const double gap = distance - radius_;
    if (gap >= 0) return;
    const Vec2d n = turn * direction;
    add(index, feature, gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
  };
  for (const auto& entry : near) {
    const Edge& e = f.elements[entry.element];
    const Vec2d along = e.q - e.p;
    const double t = dot(local - e.p, along) / norm2(along);
    const double height = dot(local - e.p, e.normal);
    if (t > 0 && t < 1 && height > -radius_) touch(feature_id(0, entry.element), e.normal, height);
    const std::int32_t corner = f.corner_at[entry.element];
    const Vec2d d = local - e.p;
    const double distance = norm(d);
    if (corner >= 0 && distance > 0 && in_cone(f.shape.corners[static_cast<std::size_t>(corner)], d)) {
      touch(at_wall_point | feature_id(0, entry.element), (1 / distance) * d, distance);
    }
  }
}

}  // namespace scree
