#pragma once
// The planes of links on a device: a pair's from its map, with what goes on of the forces. Formulas are those of the
// CPU (implicit/link_kernel.hpp), in single precision.
#include "scree/contact/wall_probe_kernel.hpp"
#include "scree/cuda/implicit_views.hpp"
#include "scree/cuda/pair_stage.hpp"
#include "scree/implicit/turn_kernel.hpp"
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
struct NewLink : Planes {
  std::uint32_t a = 0, b = 0;
  LinkRowOf<float> along;  // impacts are along this one: the pair's own
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
  link.rows[0] = link.along = middle.row, link.row_count = 1;
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
  link.rows[0] = link.along = {g.gap_x, g.gap_theta_a, g.gap_theta_b, g.gap - offset, 0};
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

SCREE_HD inline float force_of(const Planes& planes) { return planes.rows[0].force + planes.rows[1].force; }

// The forces of planes go on in others that are taken in their stead, each in the same row.
SCREE_HD inline void hand_on(const Planes& old, const MobilityOf<float>& a, const MobilityOf<float>& b, Planes& to) {
  for (int r = 0; r < old.row_count; ++r) {
    LinkRowOf<float>& row = to.rows[r < to.row_count ? r : to.row_count - 1];
    row.force += handed_on(old.rows[r], row, a, b);
  }
  to.tangential_force = old.tangential_force * std::max(0.0f, dot(old.normal, to.normal));
  to.rolling_torque = old.rolling_torque;
}

// How much the force of new planes may turn, told by those before them.
SCREE_HD inline void foresee_turn(const World32& w, const LinksView& l, const Planes& old, const MobilityOf<float>& a,
                                  const MobilityOf<float>& b, NewLink& link) {
  const double way = way_of(old.since, radius_of(w, l, link.a), radius_of(w, l, link.b));
  link.turn = turn_to_come(old.rows, link.rows, link.row_count, old.since, static_cast<float>(way),
                           static_cast<float>(l.limits.renewal), a, b);
  link.turn.force = handed_on(old.turn, link.turn, force_of(link), a, b);
}

// Of a link that is swept. What carries nothing has no friction.
SCREE_HD inline Planes planes_of(const LinksView& l, const SweptLink& p, const LinkState& state) {
  const float h = l.frame->sweep.h;
  Planes planes;
  planes.row_count = state.row_count;
  for (int r = 0; r < state.row_count; ++r) {
    const SweptRow& row = p.row[r];
    planes.rows[r] = {{row.gx, row.gy}, row.ga, row.gb, state.gap[r], row.impulse / h};
  }
  planes.normal = {p.ty, -p.tx}, planes.arm_a = p.ta, planes.arm_b = p.tb;
  planes.turn = {{p.ux, p.uy}, p.ua, p.ub, 0};
  if (force_of(planes) > 0) {
    planes.tangential_force = p.tangent_impulse / h, planes.rolling_torque = p.roll_impulse / h;
    planes.turn.force = p.turn_impulse / h;
  }
  planes.sure = state.sure;
  const Shift now = l.shift(p.a, p.b), then = state.taken;
  planes.since = {now.x - then.x, now.y - then.y, now.turn_a - then.turn_a, now.turn_b - then.turn_b};
  return planes;
}

SCREE_HD inline bool lower_is_a(const World32& w, const Held& held) {
  return w.pair(w.bodies.moving[held.body].type, w.bodies.moving[held.other].type).lower_is_a;
}

// Of planes that are known already.
SCREE_HD inline NewLink link_of(const Planes& planes, std::uint32_t a, std::uint32_t b) {
  NewLink link;
  static_cast<Planes&>(link) = planes;
  link.a = a, link.b = b;
  link.along = link.rows[0];
  return link;
}

SCREE_HD inline float restitution_at(const LinkParameters& p, double kappa) {
  if (p.normal_damping < 0 || !(kappa > 0)) return p.restitution;
  return static_cast<float>(restitution_of(0.5 * p.normal_damping * std::sqrt(kappa / p.stiffness)));
}

// Planes and forces of `link` into p, to be swept; what an impact has absorbed stays.
SCREE_HD inline LinkState set_planes(const LinksView& l, const NewLink& link, const LinkParameters& of,
                                     const MobilityOf<float>& a, const MobilityOf<float>& b, SweptLink& p) {
  const float h = l.frame->sweep.h;
  const Shift now = l.shift(link.a, link.b), since = link.since;
  LinkState state;
  state.taken = {now.x - since.x, now.y - since.y, now.turn_a - since.turn_a, now.turn_b - since.turn_b};
  state.sure = link.sure, state.row_count = link.row_count;
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
    row.s = from.gap - from.along(state.taken);
    state.gap[r] = from.gap;
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
  const LinkTurnOf<float>& turn = link.turn;
  p.ux = turn.x.x, p.uy = turn.x.y, p.ua = turn.theta_a, p.ub = turn.theta_b;
  p.turn_mass = effective(turn.x, turn.theta_a, turn.theta_b);
  p.turn_impulse = turn.force * h;
  p.turns = p.turn_mass > 0 ? 1 : 0;
  const LinkRowOf<float>& along = link.along;
  p.restitution = restitution_at(of, inverse_mass_along(along.gap_x, along.gap_theta_a, along.gap_theta_b, a, b));
  p.spin_mass = effective_inertia(a, b);
  p.spin_damping = of.spin_damping;
  p.rolls = lever > 0 ? 1 : 0;
  p.roll_impulse = lever > 0 ? link.rolling_torque * h : 0;
  return state;
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

// How near the bodies of planes that were taken may be to each other now, unless they are to be taken anew: then less
// than any number.
SCREE_HD inline double least_gap(const World32& w, const LinksView& l, std::uint32_t i, std::uint32_t j,
                                 const Planes& planes) {
  const double way = way_of(planes.since, body_radius(w, i), body_radius(w, j)), sure = planes.sure - way;
  double least = sure;
  for (int r = 0; r < planes.row_count; ++r)
    least = std::min(least, static_cast<double>(planes.rows[r].gap + planes.rows[r].along(planes.since)));
  return planes_are_due(way, least, l.limits) ? -std::numeric_limits<double>::infinity() : sure;
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
