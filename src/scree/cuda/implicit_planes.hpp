#pragma once
// The planes of links on a device: a pair's from its map, with what goes on of the forces. Formulas are those of the
// CPU (implicit/link_kernel.hpp), in single precision.
#include "scree/contact/wall_probe_kernel.hpp"
#include "scree/cuda/implicit_views.hpp"
#include "scree/cuda/pair_stage.hpp"
#include "scree/world/restitution_kernel.hpp"

namespace scree::gpu {

// Where two bodies are to each other, as their map sees it.
struct PairPlace {
  const PairView<float>* pair;
  std::uint32_t a, b;
  Rotation<float> turn;
  Vec2<float> x_ab;
  Pose<float> pose;    // drawn in to where the circumcircles touch: beyond that maps know nothing but those
  Vec2<float> excess;  // by which it was, in units of the map
};

SCREE_HD inline PairPlace place_of(const World32& w, std::uint32_t lower, std::uint32_t higher) {
  PairPlace at;
  at.pair = &w.pair(w.bodies.moving[lower].type, w.bodies.moving[higher].type);
  at.a = at.pair->lower_is_a ? lower : higher;
  at.b = at.pair->lower_is_a ? higher : lower;
  const Placed<float>& a = w.bodies.placed[at.a];
  const Placed<float>& b = w.bodies.placed[at.b];
  const Vec2d apart = separation(w.periodic, a.x, b.x);
  at.turn = a.turn;
  at.x_ab = a.turn.back({static_cast<float>(apart.x), static_cast<float>(apart.y)});
  const Vec2<float> x = (1 / at.pair->scale) * at.x_ab;
  const float reach = at.pair->reach / at.pair->scale;
  const float drawn_in = std::min(1.0f, reach * (1 - 1e-6f) / norm(x));
  at.pose = {static_cast<float>(wrap_angle(b.theta - a.theta)), drawn_in * x};
  at.excess = (1 - drawn_in) * x;
  return at;
}

// `tilt`: of B against A.
SCREE_HD inline ContactGeometryOf<float> answer_of(const World32& w, const PairPlace& at, float tilt) {
  if (at.pair->kind == MapKind::table)
    return query_table(w.tables[at.pair->map], Pose<float>{wrap_angle(at.pose.theta + tilt), at.pose.x});
  ContactGeometryOf<float> g;  // discs
  const float distance = norm(at.pose.x), reach = at.pair->reach / at.pair->scale;
  g.gap = distance - reach;
  g.gap_x = distance > 0 ? (1 / distance) * at.pose.x : Vec2<float>{1, 0};
  g.arm = 1 - 0.5f * reach;
  return g;
}

// The gap is no less, offset taken off.
SCREE_HD inline float sure_gap(const PairPlace& at, const ContactGeometryOf<float>& middle, float offset) {
  return at.pair->scale * (middle.gap - norm(at.excess)) - offset;
}

// A link before it is put in its place.
struct NewLink {
  std::uint32_t a, b;
  int row_count = 0;
  LinkRowOf<float> rows[2];
  LinkRowOf<float> middle;  // the pair's own plane
  Vec2<float> normal;
  float arm_a = 0, arm_b = 0, tangential_force = 0, rolling_torque = 0, sure = 0;
};

SCREE_HD inline NewLink pair_planes(const World32& w, const LinksView& l, const PairPlace& at) {
  ContactGeometryOf<float> g[3];
  g[0] = answer_of(w, at, 0);
  NewLink link;
  link.a = at.a, link.b = at.b;
  link.sure = sure_gap(at, g[0], l.scales.offset);
  g[0].gap += dot(g[0].gap_x, at.excess);
  const float scale = at.pair->scale, gap = scale * g[0].gap - l.scales.offset;
  const PlaneOf<float> middle = plane_of(g[0], 0.0f, scale, at.x_ab, at.turn, l.scales.offset);
  link.normal = middle.normal, link.arm_a = middle.arm_a, link.arm_b = middle.arm_b;
  link.rows[0] = link.middle = middle.row, link.row_count = 1;
  if (at.pair->kind == MapKind::discs || l.scales.one_plane) return link;
  for (int k = 1; k < 3; ++k) {
    g[k] = answer_of(w, at, k == 1 ? l.scales.tilt : -l.scales.tilt);
    g[k].gap += dot(g[k].gap_x, at.excess);
  }
  side_planes(middle, gap, g + 1, scale, at.x_ab, at.turn, l.scales, link.rows);
  link.row_count = 2;
  return link;
}

SCREE_HD inline NewLink wall_plane(std::uint32_t wall, std::uint32_t body, const WorldGeometry<float>& g,
                                   float offset) {
  NewLink link;
  link.a = wall, link.b = body;
  link.rows[0] = link.middle = {g.gap_x, g.gap_theta_a, g.gap_theta_b, g.gap - offset, 0};
  link.sure = link.rows[0].gap;
  link.row_count = 1;
  link.normal = g.normal, link.arm_a = g.arm_a, link.arm_b = g.arm_b;
  return link;
}

template <class T>
SCREE_HD inline WorldGeometry<float> in_single(const WorldGeometry<T>& g) {
  const auto vec = [](Vec2<T> v) { return Vec2<float>{static_cast<float>(v.x), static_cast<float>(v.y)}; };
  return {static_cast<float>(g.gap),         vec(g.gap_x),  static_cast<float>(g.gap_theta_a),
          static_cast<float>(g.gap_theta_b), vec(g.normal), static_cast<float>(g.arm_a),
          static_cast<float>(g.arm_b)};
}

// The force of a row goes on in the same row.
SCREE_HD inline void hand_on(const LinkRowOf<float>& from, int row, const MobilityOf<float>& a,
                             const MobilityOf<float>& b, NewLink& link) {
  LinkRowOf<float>& to = link.rows[row < link.row_count ? row : link.row_count - 1];
  to.force += handed_on(from, to, a, b);
}

SCREE_HD inline void hand_on_friction(Vec2<float> normal, float force, NewLink& link) {
  link.tangential_force += force * std::max(0.0f, dot(normal, link.normal));
}

// Of the last look.
SCREE_HD inline void hand_on(const Held& old, const MobilityOf<float>& a, const MobilityOf<float>& b, NewLink& link) {
  for (int r = 0; r < 2; ++r) {
    const WorldGeometry<float>& g = old.row[r].geometry;
    const ContactForce<float>& f = old.row[r].force;
    if (!(f.normal > 0)) continue;
    hand_on({g.gap_x, g.gap_theta_a, g.gap_theta_b, g.gap, f.normal}, r, a, b, link);
    hand_on_friction(g.normal, f.tangential, link);
    link.rolling_torque += f.rotational;
  }
}

SCREE_HD inline Vec2<float> normal_of(const SweptLink& p) { return {p.ty, -p.tx}; }

// Of planes that are taken anew; p is as it was.
SCREE_HD inline void hand_on(const SweptLink& p, float h, const MobilityOf<float>& a, const MobilityOf<float>& b,
                             NewLink& link) {
  for (int r = 0; r < 2; ++r) {
    const SweptRow& row = p.row[r];
    hand_on({{row.gx, row.gy}, row.ga, row.gb, 0, row.impulse / h}, r, a, b, link);
  }
  hand_on_friction(normal_of(p), p.tangent_impulse / h, link);
  link.rolling_torque = p.roll_impulse / h;
}

SCREE_HD inline float restitution_at(const LinkParameters& p, double kappa) {
  if (p.normal_damping < 0 || !(kappa > 0)) return p.restitution;
  return static_cast<float>(restitution_of(0.5 * p.normal_damping * std::sqrt(kappa / p.stiffness)));
}

// Planes and forces of `link` into p; what an impact has absorbed stays.
SCREE_HD inline void set_planes(const LinksView& l, const NewLink& link, const LinkParameters& of,
                                const MobilityOf<float>& a, const MobilityOf<float>& b, const Shift& taken,
                                SweptLink& p) {
  const float h = l.frame->sweep.h;
  p.a = link.a, p.b = link.b;
  p.mass_a = a.inverse_mass, p.inertia_a = a.inverse_inertia;
  p.mass_b = b.inverse_mass, p.inertia_b = b.inverse_inertia;
  const auto effective = [&](Vec2<float> x, float theta_a, float theta_b) {
    const float kappa = inverse_mass_along(x, theta_a, theta_b, a, b);
    return kappa > 0 ? 1 / kappa : 0;
  };
  const float curvature = a.inverse_radius + b.inverse_radius;
  const float lever = curvature > 0 ? of.rolling_friction / curvature : 0;
  for (int r = 0; r < 2; ++r) {
    const LinkRowOf<float> from = r < link.row_count ? link.rows[r] : LinkRowOf<float>{};
    SweptRow& row = p.row[r];
    row.gx = from.gap_x.x, row.gy = from.gap_x.y, row.ga = from.gap_theta_a, row.gb = from.gap_theta_b;
    row.s = from.gap - from.along(taken);
    row.mass = effective(from.gap_x, from.gap_theta_a, from.gap_theta_b);
    row.impulse = from.force * h;
    row.grip = of.friction * norm(from.gap_x);
    p.roll_grip[r] = lever * norm(from.gap_x);
  }
  const Vec2<float> t = perp(link.normal);
  const bool rough = of.friction > 0 && norm2(t) > 0;
  p.tx = t.x, p.ty = t.y, p.ta = link.arm_a, p.tb = link.arm_b;
  p.tangent_mass = rough ? effective(t, link.arm_a, link.arm_b) : 0;
  p.tangent_impulse = rough ? link.tangential_force * h : 0;
  const LinkRowOf<float>& along = link.middle;
  p.restitution = restitution_at(of, inverse_mass_along(along.gap_x, along.gap_theta_a, along.gap_theta_b, a, b));
  p.spin_mass = effective_inertia(a, b);
  p.spin_damping = of.spin_damping;
  p.rolls = lever > 0 ? 1 : 0;
  p.roll_impulse = lever > 0 ? link.rolling_torque * h : 0;
}

SCREE_HD inline Ends<float> ends_of(const float* a, const float* b) { return {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}}; }

// Whether the planes of a link are to be taken anew.
SCREE_HD inline bool moved_on(const World32& w, const LinksView& l, const SweptLink& p, const LinkState& state) {
  const Shift now = l.shift(p.a, p.b), then = state.taken;
  const Shift by{now.x - then.x, now.y - then.y, now.turn_a - then.turn_a, now.turn_b - then.turn_b};
  const double way = way_of(by, radius_of(w, l, p.a), radius_of(w, l, p.b));
  if (way < l.limits.renewal) return false;
  double least = state.sure - way;
  const Ends<float> moved = ends_of(l.bodies[p.a].moved, l.bodies[p.b].moved);
  for (const SweptRow& r : p.row) {
    if (r.mass > 0) least = std::min(least, static_cast<double>(r.s + moved.along(r)));
  }
  return planes_are_due(way, least, l.limits);
}

SCREE_HD inline const LinkParameters& parameters_of(const World32& w, const LinksView& l, std::uint32_t a,
                                                    std::uint32_t b) {
  const std::uint32_t n = w.bodies.count, type_b = w.bodies.moving[b].type;
  return a >= n ? l.of_walls[type_b * w.walls.count + (a - n)]
                : l.of_pairs[w.bodies.moving[a].type * w.type_count + type_b];
}

// Calls sink(WallTouch) for all that a grain is nearer to than `margin`.
template <class Sink>
SCREE_HD inline void touch_walls(const World32& w, std::uint32_t k, double margin, Sink&& sink) {
  if (w.walls.count == 0) return;
  const std::uint32_t first = w.walls.near_first[k], end = w.walls.near_first[k + 1];
  const Moving<float> m = w.bodies.moving[k];
  if (first == end || m.kind != BodyKind::moving) return;
  const TypeView<float>& type = w.types[m.type];
  const Placed<float>& at = w.bodies.placed[k];
  const GrainView grain{at.x, w.bodies.image[k], type.exact_radius, turned_by<double>(at.theta),
                        w.walls.shapes[type.shape]};
  probe_walls(grain, w.periodic, w.walls.views, w.walls.entries + first, static_cast<int>(end - first), margin, sink);
}

}  // namespace scree::gpu
