#pragma once
// A look around on a device: which bodies may meet before the next one, and the links of those that may. As
// implicit/outlook.cpp and implicit/find_links.cpp; a pair is asked whenever a look comes by it.
#include "scree/cuda/cell_stages.hpp"
#include "scree/cuda/implicit_planes.hpp"

namespace scree::gpu {

// What is known of all bodies together. Boxes hold 0.
// Velocities of bodies, and of their rims against their centres.
struct Motions {
  Vec2d low, high;  // holds 0
  double rim = 0;

  SCREE_HD void take(Vec2d v) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y)};
  }
  SCREE_HD void merge(const Motions& o) {
    take(o.low), take(o.high);
    rim = std::max(rim, o.rim);
  }
};

struct Speeds {
  Motions free, driven;  // driven bodies and walls do not meet each other
  double wall = 0;       // of a wall, where a grain could be

  SCREE_HD void merge(const Speeds& o) {
    free.merge(o.free), driven.merge(o.driven);
    wall = std::max(wall, o.wall);
  }
  // Nothing approaches anything faster.
  SCREE_HD double approach() const {
    const Vec2d across{std::max(free.high.x - driven.low.x, driven.high.x - free.low.x),
                       std::max(free.high.y - driven.low.y, driven.high.y - free.low.y)};
    return std::max(norm(free.high - free.low) + free.rim, norm(across) + driven.rim) + free.rim;
  }
};

SCREE_HD inline Speeds speeds_of(const World32& w, const LinksView& l, std::uint32_t k) {
  Speeds s;
  if (w.bodies.moving[k].kind == gone) return s;
  Motions& kind = obeys(w, k) ? s.free : s.driven;
  kind.take(velocity_of(l.bodies[k]));
  kind.rim = rim_speed(w, l, k);
  for (std::uint32_t q = 0; q < w.walls.count; ++q) {
    const WallState& wall = w.walls.now[q];
    if (wall.omega == 0) continue;
    const double reach = norm(w.bodies.placed[k].x - wall.pose.x) + body_radius(w, k);
    s.driven.rim = std::max(s.driven.rim, std::abs(wall.omega) * reach);
    s.wall = std::max(s.wall, norm(wall.velocity) + std::abs(wall.omega) * reach);
  }
  return s;
}

// Those of walls that do not turn, too.
SCREE_HD inline void add_walls(const World32& w, Speeds& s) {
  for (std::uint32_t q = 0; q < w.walls.count; ++q) {
    s.driven.take(w.walls.now[q].velocity);
    s.wall = std::max(s.wall, norm(w.walls.now[q].velocity));
  }
}

struct View {
  Speeds speeds;
  Vec2d low, high;  // moves since the list was built
  SCREE_HD void merge(const View& o) {
    speeds.merge(o.speeds);
    low = {std::min(low.x, o.low.x), std::min(low.y, o.low.y)};
    high = {std::max(high.x, o.high.x), std::max(high.y, o.high.y)};
  }
};

// By how much walls and bodies can have come closer since the list was built.
SCREE_HD inline double closer_since(const World32& w, const View& all) {
  double most = 0;
  for (std::uint32_t q = 0; q < w.walls.count; ++q)
    most = std::max(most, wall_move(w.walls.views[q].kind, w.walls.now[q].pose, w.walls.built_at[q], w.walls.extent[q],
                                    w.walls.farthest[q]));
  return norm(all.high - all.low) + most;
}

// The horizon, and whether the list still serves.
struct Observe {
  using Value = View;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD View value(std::uint32_t k) const {
    View v;
    v.speeds = speeds_of(w, l, k);
    if (w.control->stale) return v;
    const Vec2d move = separation(w.periodic, w.bodies.built_at[k], w.bodies.placed[k].x);
    v.low = {std::min(0.0, move.x), std::min(0.0, move.y)};
    v.high = {std::max(0.0, move.x), std::max(0.0, move.y)};
    return v;
  }
  SCREE_HD void finish(View all) const {
    Frame& f = *l.frame;
    f.rebuild = 0;
    f.goes_on = 1;
    if (w.control->halt) return;
    add_walls(w, all.speeds);
    set_sweep(f);
    const double h = f.pace.h, approach = all.speeds.approach(), g = norm(f.gravity);
    const double left = f.pace.substeps - static_cast<int>(f.substep);
    const double most = std::floor(large_step::farthest * l.grains.radius / std::max(approach * h, 1e-300));
    f.elapsed = f.absorbed = 0;
    f.gravity_then = f.gravity;
    f.horizon = h * std::min(std::max(most, 1.0), left);
    f.room_time = std::max(room_share * f.horizon, h);
    f.fall = 0.5 * g * f.horizon * (f.horizon + h);
    f.wall_way = 0;
    f.wall_room = 2 * all.speeds.wall * f.horizon;
    for (std::uint32_t q = 0; q < w.walls.count; ++q) l.wall_reach[q] = 0;
    const double wide = std::max(
        approach * (f.horizon + 2 * f.room_time) + 2 * large_step::margin * l.grains.radius + f.fall + f.wall_room,
        l.skin);
    const bool slim = f.again || f.skin <= 3 * wide;
    if (!w.control->stale && slim && closer_since(w, all) + wide <= f.skin) return;
    w.control->stale = f.rebuild = 1;
    f.skin = list_margin * wide;
  }

 private:
  SCREE_HD void set_sweep(Frame& f) const {
    const auto h = static_cast<float>(f.pace.h);
    f.sweep = {h, static_cast<float>(large_step::push * l.grains.radius / f.pace.h),
               soft_contact(static_cast<float>(f.pace.omega), h)};
  }
};

struct StartRooms {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    l.then[k] = l.bodies[k];
    l.upon[k] = 0;
    for (std::uint32_t q = 0; q < w.walls.count && w.bodies.moving[k].kind != gone; ++q) {
      if (w.walls.now[q].omega == 0) continue;
      raise(&l.wall_reach[q], bits_above(norm(w.bodies.placed[k].x - w.walls.now[q].pose.x) + body_radius(w, k)));
    }
  }
};

SCREE_HD inline double relative_speed(const World32& w, const LinksView& l, std::uint32_t i, std::uint32_t j) {
  return norm(velocity_of(l.bodies[i]) - velocity_of(l.bodies[j])) + rim_speed(w, l, i) + rim_speed(w, l, j);
}

SCREE_HD inline double own_speed(const World32& w, const LinksView& l, std::uint32_t k) {
  return norm(velocity_of(l.bodies[k])) + rim_speed(w, l, k);
}

SCREE_HD inline double distance(const World32& w, std::uint32_t i, std::uint32_t j) {
  return norm(separation(w.periodic, w.bodies.placed[i].x, w.bodies.placed[j].x));
}

SCREE_HD inline bool may_meet(const World32& w, std::uint32_t i, std::uint32_t j) {
  const BodyKind a = w.bodies.moving[i].kind, b = w.bodies.moving[j].kind;
  return a != gone && b != gone && (a == BodyKind::moving || b == BodyKind::moving);
}

SCREE_HD inline double reach_of(const World32& w, std::uint32_t i, std::uint32_t j) {
  return body_radius(w, i) + body_radius(w, j);
}

// Speeds at which pairs come upon each other.
struct ComeUpon {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }
  SCREE_HD void run(std::uint32_t p) const {
    const auto [i, j] = w.list.ends[p];
    if (!may_meet(w, i, j)) return;
    const double speed = relative_speed(w, l, i, j);
    const double near = reach_of(w, i, j) + 2 * large_step::margin * l.grains.radius;
    if (distance(w, i, j) > near + speed * l.frame->horizon) return;
    raise_at(&l.upon[i], bits_above(speed));
    raise_at(&l.upon[j], bits_above(speed));
  }
};

struct ComeUponWalls {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->near; }
  SCREE_HD void run(std::uint32_t rank) const {
    const Frame& f = *l.frame;
    const std::uint32_t k = w.walls.near_body[rank];
    const double speed = own_speed(w, l, k);
    bool any = false;
    touch_walls(w, k, speed * f.horizon + f.fall + f.wall_room + 2 * large_step::margin * l.grains.radius,
                [&](const WallTouch&) { any = true; });
    if (any) raise_at(&l.upon[k], bits_above(speed + f.wall_room / f.horizon));
  }
};

struct FindRooms {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const Frame& f = *l.frame;
    l.room[k] = large_step::margin * l.grains.radius + static_cast<double>(bits_float(l.upon[k])) * f.room_time;
    l.wall_slack[k] = own_speed(w, l, k) * f.horizon + f.fall + f.wall_room + l.room[k];
  }
};

// The link of a body with another in the last look, or nullptr.
SCREE_HD inline const Held* held_of(const LinkSide& side, std::uint32_t body, std::uint32_t other,
                                    std::uint32_t feature) {
  for (std::uint32_t k = side.first[body]; k < side.first[body + 1]; ++k)
    if (side.held[k].other == other && side.held[k].feature == feature) return side.held + k;
  return nullptr;
}

// Which pairs of the list are links.
struct FlagPairs {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }
  SCREE_HD bool open(std::uint32_t p) const {
    l.flag[p] = 0;
    const auto [i, j] = w.list.ends[p];
    return may_meet(w, i, j) && distance(w, i, j) - reach_of(w, i, j) <= slack(i, j);
  }
  SCREE_HD void tried(std::uint32_t pairs) const { add(&w.control->queries, pairs); }
  SCREE_HD void run(std::uint32_t p) const {
    const auto [i, j] = w.list.ends[p];
    const Held* old = held_of(l.now(), i, j, 0);  // sides have not been changed yet
    if (old && old->serves) {
      const double least = least_gap(w, l, i, j, old->planes);
      if (std::isfinite(least)) {
        l.flag[p] = least > slack(i, j) ? 0 : 2;
        return;
      }
    }
    const PairPlace at = place_of(w, i, j);
    const float sure = sure_gap(at, answer_of(w, at, 0), l.scales.offset);
    l.flag[p] = static_cast<double>(sure) > slack(i, j) ? 0 : 1;
  }

 private:
  SCREE_HD double slack(std::uint32_t i, std::uint32_t j) const {
    const Frame& f = *l.frame;
    const bool held = !obeys(w, i) || !obeys(w, j);
    return relative_speed(w, l, i, j) * f.horizon + l.room[i] + l.room[j] + (held ? f.fall : 0);
  }
};

// By body: pairs of which it is the lower one, and walls. Sums are made of these.
struct CountLinks {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    std::uint32_t links = 0;
    if (k < w.bodies.count) {
      for (std::uint32_t p = w.list.pair_first[k]; p < w.list.pair_first[k + 1]; ++p) links += l.flag[p] ? 1 : 0;
      touch_walls(w, k, l.wall_slack[k] + l.scales.offset, [&](const WallTouch&) { ++links; });
    }
    l.count[k] = links;
  }
};

// One thread: the links that were swept are those of the last look from now on.
struct TurnSides {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    Frame& f = *l.frame;
    f.wanted = l.count[w.bodies.count];
    if (f.wanted > l.capacity) {
      w.control->halt |= halt_grow;
      return;
    }
    f.links = f.wanted;
    f.side ^= 1u;
    f.looked = 1;
    f.impacts = f.rounds = f.colours = 0;
    f.left = f.links > 0 ? 1 : 0;
    for (std::uint32_t& size : f.colour_size) size = 0;
  }
};

struct NumberLinks {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    const LinkSide& now = l.now();
    std::uint32_t at = now.first[k] = l.count[k];
    if (k == w.bodies.count) return;
    const auto add = [&](std::uint32_t other, std::uint32_t feature, std::uint32_t source) {
      Held& held = now.held[at++];
      held.body = k, held.other = other, held.feature = feature, held.source = source;
      return &held.planes;
    };
    for (std::uint32_t p = w.list.pair_first[k]; p < w.list.pair_first[k + 1]; ++p) {
      if (l.flag[p]) add(w.list.ends[p][1], 0, p);
    }
    const std::uint32_t n = w.bodies.count, end = l.count[k + 1];
    touch_walls(w, k, l.wall_slack[k] + l.scales.offset, [&](const WallTouch& touch) {
      if (at == end) return;
      const std::uint32_t wall = n + static_cast<std::uint32_t>(touch.wall);
      *add(wall, touch.feature, none) = wall_plane(wall, k, in_single(touch.geometry), l.scales.offset);
    });
    l.best[k] = l.taken[k] = 0;
  }
};

// Planes and forces of the links, in their places; and how fast they approach.
struct FillLinks {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : l.frame->links; }
  SCREE_HD void run(std::uint32_t k) const {
    const NewLink link = found(l.now().held[k]);
    SweptLink p;
    const LinkState state =
        set_planes(l, link, parameters_of(w, l, link.a, link.b), mobility_at(w, link.a), mobility_at(w, link.b), p);
    const Ends<float> v = ends_of(l.bodies[p.a].v, l.bodies[p.b].v);
    for (SweptRow& r : p.row) {
      r.approach = v.along(r);
      r.absorbed = 0;
      if (r.approach < -l.frame->threshold && p.restitution > 0) set_flag(&l.frame->impacts, 1);
    }
    l.swept[l.place[k]] = p;
    l.state[l.place[k]] = state;
  }

 private:
  SCREE_HD NewLink found(const Held& held) const {
    const Held* old = held_of(l.before(), held.body, held.other, held.feature);
    if (held.source == none) return at_wall(held, old);
    if (l.flag[held.source] == 2) {
      const bool in_order = lower_is_a(w, held);
      return link_of(old->planes, in_order ? held.body : held.other, in_order ? held.other : held.body);
    }
    NewLink link = pair_planes(w, l, place_of(w, held.body, held.other));
    if (!old) return link;
    const MobilityOf<float> a = mobility_at(w, link.a), b = mobility_at(w, link.b);
    hand_on(old->planes, a, b, link);
    if (old->serves) foresee_turn(w, l, old->planes, a, b, link);
    return link;
  }
  SCREE_HD NewLink at_wall(const Held& held, const Held* old) const {
    NewLink link = link_of(held.planes, held.other, held.body);
    if (old) hand_on(old->planes, {}, mobility_at(w, link.b), link);
    return link;
  }
};

}  // namespace scree::gpu
