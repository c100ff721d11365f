// Grains against a solid polygon: the grain's corners in the solid, the solid's corners in the grain, discs on its
// edges and corners.
#include <algorithm>
#include <cmath>

#include "scree/contact/wall_feature_id.hpp"
#include "scree/contact/wall_probe.hpp"

namespace scree {

void WallProbe::outline(Here at, Near near, Contacts& out) const {
  if (!shape_.is_disc) corners_in_outline(at, near, out);
  for (const auto& entry : near) {
    at.shift = shift_of(entry.image);
    shape_.is_disc ? disc_on_outline(at, entry.element, out) : wall_corner_in_grain(at, entry.element, out);
  }
}

// A convex corner of the wall against the grain's outline.
void WallProbe::wall_corner_in_grain(const Here& at, std::uint32_t element, Contacts& out) const {
  if (at.features->corner_at[element] < 0) return;
  const Vec2d w = at.point(at.features->elements[element].p);
  if (norm2(w - x_) >= (radius_ + margin_) * (radius_ + margin_)) return;
  const BoundaryPoint b = nearest_boundary(*shape_.outline, to_unit(w));
  const double gap = radius_ * b.distance;
  if (gap >= margin_) return;
  const Vec2d n = -(rotation_ * b.normal);
  add(at, at_wall_point | feature_id(0, element), gap, n, w + 0.5 * gap * n, out);
}

// Signed distance of each of the grain's corners to the solid, from the nearest of the wall's edges close by.
void WallProbe::corners_in_outline(Here at, Near near, Contacts& out) const {
  const WallFeatures& f = *at.features;
  for (std::size_t k = 0; k < shape_.corners.size(); ++k) {
    const Vec2d p = to_world(shape_.corners[k].p);
    double best = 1e300;
    Vec2d outwards;  // from the corner to the nearest point of the wall's boundary
    Vec2d pseudo_normal;
    for (const auto& entry : near) {
      const Vec2d shift = shift_of(entry.image);
      const Vec2d local = at.turn.back(p - at.wall->pose.x - shift);
      const Edge& e = f.elements[entry.element];
      const double t = std::clamp(along_segment(local, e.p, e.q - e.p), 0.0, 1.0);
      const Vec2d to_edge = e.p + t * (e.q - e.p) - local;
      if (norm2(to_edge) >= best) continue;
      best = norm2(to_edge);
      outwards = to_edge;
      at.shift = shift;
      pseudo_normal = e.normal;
      if (t == 0) pseudo_normal += f.elements[f.previous[entry.element]].normal;
      if (t == 1) pseudo_normal += f.elements[f.next[entry.element]].normal;
    }
    if (near.empty() || best == 0) continue;
    const double gap = dot(outwards, pseudo_normal) > 0 ? -std::sqrt(best) : std::sqrt(best);
    if (gap >= margin_) continue;
    const Vec2d n = at.turned((-1 / gap) * outwards);
    add(at, feature_id(k, any_element), gap, n, p - 0.5 * gap * n, out);
  }
}

// An edge of the solid, or the corner at its start, where the distance to the disc's centre has a local minimum.
void WallProbe::disc_on_outline(const Here& at, std::uint32_t element, Contacts& out) const {
  const WallFeatures& f = *at.features;
  const Vec2d local = at.turn.back(x_ - at.wall->pose.x - at.shift);
  const auto touch = [&](std::uint32_t feature, Vec2d direction, double distance) {
    const double gap = distance - radius_;
    if (gap >= margin_) return;
    const Vec2d n = at.turned(direction);
    add(at, feature, gap, n, x_ - (radius_ + 0.5 * gap) * n, out);
  };
  const Edge& e = f.elements[element];
  const Vec2d d = local - e.p;
  const double t = along_segment(local, e.p, e.q - e.p);
  const double height = dot(d, e.normal);
  if (t >= 0 && t < 1 && height > -radius_) touch(feature_id(0, element), e.normal, height);
  const std::int32_t corner = f.corner_at[element];
  const double distance = norm(d);
  if (corner >= 0 && distance > 0 && in_cone(f.shape.corners[static_cast<std::size_t>(corner)], d)) {
    touch(at_wall_point | feature_id(0, element), (1 / distance) * d, distance);
  }
}

}  // namespace scree
