#pragma once
// The planes of a link as pure functions of what its map answers, and when they are to be taken anew.
#include <algorithm>
#include <cmath>

#include "scree/contact/contact_kernel.hpp"
#include "scree/force/contact_force_kernel.hpp"
#include "scree/map/contact_geometry.hpp"
#include "scree/world/link.hpp"

namespace scree {

// How closely the planes of a link follow the gap.
template <class T>
struct LinkScalesOf {
  T offset = 0;            // surfaces are held apart by this, length
  T renewal = 0;           // planes are taken anew when bodies have come this way, length
  T below = 0;             // a plane this much below the gap says nothing of it, length
  T turnover = 0;          // way in which another contact of a pair may become its deepest, length
  T tilt = T(0.01);        // rad: planes are taken this far to both sides of the angle
  bool one_plane = false;  // instead, only the plane of the pair itself
};
using LinkScales = LinkScalesOf<double>;

// When planes are taken anew: when bodies have moved by `renewal`, if they may touch within `stride`, lengths.
struct LinkLimits {
  double renewal = 0, stride = 0;
};

inline constexpr double open_share = 0.25;  // of an open gap: way after which its planes are taken anew

template <class T>
struct PlaneOf {
  LinkRowOf<T> row;
  Vec2<T> normal;
  T arm_a = 0, arm_b = 0;
  T slope = 0;  // |gap_x|
};

template <class T>
SCREE_HD inline PlaneOf<T> plane_of(const ContactGeometryOf<T>& g, T shift, T scale, Vec2<T> x_ab,
                                    Rotation<T> rotation_a, T offset) {
  const auto w = world_geometry(g.gap + shift, g.gap_theta, g.gap_x, g.arm, scale, x_ab, rotation_a);
  return {{w.gap_x, w.gap_theta_a, w.gap_theta_b, w.gap - offset, 0}, w.normal, w.arm_a, w.arm_b, norm(g.gap_x)};
}

// The plane of a tilted pair with the normal that the pair itself has: flat faces tilted by `tilt` touch at an edge,
// and where that face is B's, the normal is tilted too. Left to itself it would push along the faces.
template <class T>
SCREE_HD inline LinkRowOf<T> upright(const PlaneOf<T>& tilted, Vec2<T> normal, T tilt) {
  LinkRowOf<T> row = tilted.row;
  const T found = cross(normal, tilted.normal), most = std::abs(tilt);
  if (dot(normal, tilted.normal) <= 0) return row;
  // As it is up to the tilt, not at all from three times the tilt on, where it is another face.
  const T turned = found * std::clamp(T(1.5) - (T(0.5) / most) * std::abs(found), T(0), T(1));
  row.gap_x -= turned * perp(row.gap_x);
  row.gap_theta_a -= turned * tilted.slope * tilted.arm_a;
  row.gap_theta_b -= turned * tilted.slope * tilted.arm_b;
  return row;
}

// From p to q: planes must follow the pose without jumps, or the bed would never rest.
template <class T>
SCREE_HD inline LinkRowOf<T> between(const LinkRowOf<T>& p, const LinkRowOf<T>& q, T share) {
  const auto mix = [&](T u, T v) { return u + share * (v - u); };
  return {p.gap_x + share * (q.gap_x - p.gap_x), mix(p.gap_theta_a, q.gap_theta_a), mix(p.gap_theta_b, q.gap_theta_b),
          mix(p.gap, q.gap), 0};
}

// The two planes of a pair. `gap`: of the middle, offset taken off; `sides`: answers at the angle plus and minus the
// tilt.
template <class T>
SCREE_HD inline void side_planes(const PlaneOf<T>& middle, T gap, const ContactGeometryOf<T>* sides, T scale,
                                 Vec2<T> x_ab, Rotation<T> rotation_a, const LinkScalesOf<T>& scales,
                                 LinkRowOf<T>* rows) {
  for (int k = 0; k < 2; ++k) {
    const T tilt = k == 0 ? scales.tilt : -scales.tilt;
    const PlaneOf<T> plane = plane_of(sides[k], -tilt * sides[k].gap_theta, scale, x_ab, rotation_a, scales.offset);
    rows[k] = upright(plane, middle.normal, tilt);
  }
  // Where the gap is the least of several planes, those of the sides lie above it: the lower one is let down to it.
  // Where it is the largest, they lie below it and say nothing: the middle takes their place.
  const T high = std::max(T(0), std::min(rows[0].gap, rows[1].gap) - gap);
  for (int k = 0; k < 2; ++k) {
    const T under = std::clamp((gap - rows[k].gap) / scales.below, T(0), T(1));
    rows[k].gap -= high;
    if (under > 0) rows[k] = between(rows[k], middle.row, under);
  }
}

// How far an impulse along one row moves the bodies along another.
template <class T>
SCREE_HD inline T moved_along(const LinkRowOf<T>& from, const LinkRowOf<T>& to, const MobilityOf<T>& a,
                              const MobilityOf<T>& b) {
  return (a.inverse_mass + b.inverse_mass) * dot(from.gap_x, to.gap_x) +
         a.inverse_inertia * from.gap_theta_a * to.gap_theta_a + b.inverse_inertia * from.gap_theta_b * to.gap_theta_b;
}

// What goes on of a row's force in another row, as far as it does the same to the bodies: where planes turn, or slope
// otherwise, the mere number would be a blow.
template <class T>
SCREE_HD inline T handed_on(const LinkRowOf<T>& from, const LinkRowOf<T>& to, const MobilityOf<T>& a,
                            const MobilityOf<T>& b) {
  if (from.force <= 0) return 0;
  const T alike = moved_along(from, to, a, b);
  const T kappa = inverse_mass_along(to.gap_x, to.gap_theta_a, to.gap_theta_b, a, b);
  return alike > 0 ? from.force * std::min(T(1), alike / kappa) : 0;
}

// The way of two bodies against each other, turning included.
SCREE_HD inline double way_of(const Shift& by, double radius_a, double radius_b) {
  return norm(Vec2d{by.x, by.y}) + radius_a * std::abs(by.turn_a) + radius_b * std::abs(by.turn_b);
}

// Of bodies that have come that way, with a gap that is no less than `least` now. Open gaps need less care: planes turn
// by the way, and what that does to the gap is small against it.
SCREE_HD inline bool planes_are_due(double way, double least, const LinkLimits& limits) {
  return way >= limits.renewal && least < limits.stride && way > open_share * least;
}

// No planes are due before the bodies have come this way, whichever way it is: along it a gap shrinks by no more than
// its steepest slope says.
template <class Rows>
SCREE_HD inline double way_until_due(double sure, const Rows& rows, int row_count, double radius_a, double radius_b,
                                     const LinkLimits& limits) {
  const auto of = [&](double gap, double slope) {
    return std::max((gap - limits.stride) / slope, open_share * gap / (1 + open_share * slope));
  };
  double way = of(sure, 1);
  for (int r = 0; r < row_count; ++r) {
    const auto& row = rows[static_cast<std::size_t>(r)];
    const double turning = std::max(std::abs(row.gap_theta_a) / radius_a, std::abs(row.gap_theta_b) / radius_b);
    way = std::min(way, of(row.gap, std::max(std::max(norm(row.gap_x), turning), 1e-30)));
  }
  return std::max(way, limits.renewal);
}

}  // namespace scree
