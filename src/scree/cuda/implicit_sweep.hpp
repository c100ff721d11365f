#pragma once
// Sweeps over links on a device: one colour after the other, a thread for every link.
#include "scree/cuda/implicit_planes.hpp"

namespace scree::gpu {

enum class Sweep : std::uint8_t { warm, soft, rigid, damp, rebound };

// What a sweep touches: few bytes, for there are many launches.
struct SweepView {
  const Control* control = nullptr;
  const Frame* frame = nullptr;
  SweptLink* swept = nullptr;
  SolverBody* bodies = nullptr;
};

// Half a SolverBody in one access.
SCREE_HD inline Three<float> load_three(const float* from) {
#if defined(__CUDA_ARCH__)
  const float4 four = *reinterpret_cast<const float4*>(from);
  return {four.x, four.y, four.z};
#else
  return {from[0], from[1], from[2]};
#endif
}
SCREE_HD inline void store_three(float* to, const Three<float>& t) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<float4*>(to) = make_float4(t.x, t.y, t.turn, 0);
#else
  to[0] = t.x, to[1] = t.y, to[2] = t.turn;
#endif
}

template <Sweep kind>
SCREE_HD inline void sweep_place(const SweepView& s, std::uint32_t place) {
  const Frame& f = *s.frame;
  SweptLink& at = s.swept[place];
  SweptLink p = at;
  SolverBody &body_a = s.bodies[p.a], &body_b = s.bodies[p.b];
  Ends<float> v{load_three(body_a.v), load_three(body_b.v)};
  const bool impacts = f.impacts;
  if constexpr (kind == Sweep::warm) {
    warm_link(p, impacts, v);
  } else if constexpr (kind == Sweep::damp) {
    damp_link(p, f.sweep.h, v);
  } else if constexpr (kind == Sweep::rebound) {
    rebound_link(
        p, f.threshold, [](float x) { return std::sqrt(x); }, v);
  } else {
    const Ends<float> moved{load_three(body_a.moved), load_three(body_b.moved)};
    const float gaps[] = {gap_of(p.row[0], moved), gap_of(p.row[1], moved)};
    sweep_link(p, f.sweep, kind == Sweep::soft, impacts, gaps, v);
  }
  if (p.mass_a > 0) store_three(body_a.v, v.a);
  if (p.mass_b > 0) store_three(body_b.v, v.b);
  for (int r = 0; r < 2; ++r) {
    if constexpr (kind != Sweep::warm && kind != Sweep::damp) at.row[r].impulse = p.row[r].impulse;
    if (kind != Sweep::damp && impacts) at.row[r].approach = p.row[r].approach, at.row[r].absorbed = p.row[r].absorbed;
  }
  if constexpr (kind == Sweep::soft || kind == Sweep::rigid) {
    at.tangent_impulse = p.tangent_impulse;
    if (p.rolls) at.roll_impulse = p.roll_impulse;
    if (p.turns) at.turn_impulse = p.turn_impulse;
  }
}

// The links of one colour.
template <Sweep kind>
struct SweepColour {
  SweepView s;
  std::uint32_t colour = 0;
  SCREE_HD std::uint32_t count() const { return s.control->halt ? 0 : s.frame->colour_size[colour]; }
  SCREE_HD void run(std::uint32_t k) const { sweep_place<kind>(s, s.frame->colour_first[colour] + k); }
};

// Those of the colours from `first` on, and what has none: phase after phase.
template <Sweep kind>
struct SweepRest {
  SweepView s;
  std::uint32_t first = 0;
  SCREE_HD std::uint32_t phases() const {
    if (s.control->halt) return 0;
    const std::uint32_t colours = s.frame->colours > first ? s.frame->colours - first : 0;
    return colours + s.frame->colour_size[most_colours];
  }
  SCREE_HD std::uint32_t begin(std::uint32_t phase) const {
    const std::uint32_t used = s.frame->colours;
    return first + phase < used ? s.frame->colour_first[first + phase]
                                : s.frame->colour_first[most_colours] + (phase - (used > first ? used - first : 0));
  }
  SCREE_HD std::uint32_t end(std::uint32_t phase) const {
    return first + phase < s.frame->colours ? begin(phase) + s.frame->colour_size[first + phase] : begin(phase) + 1;
  }
  SCREE_HD void run(std::uint32_t place) const { sweep_place<kind>(s, place); }
};

// Planes of pairs that have moved on.
struct RenewPairs {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt || l.frame->looked ? 0 : l.frame->links; }
  SCREE_HD bool open(std::uint32_t place) const {
    const SweptLink& p = l.swept[place];
    return p.a < w.bodies.count && (l.strayed[p.a] || l.strayed[p.b]) && moved_on(w, l, p, l.state[place]);
  }
  SCREE_HD void tried(std::uint32_t pairs) const { add(&w.control->queries, pairs); }
  SCREE_HD void run(std::uint32_t place) const {
    SweptLink p = l.swept[place];
    const Planes old = planes_of(l, p, l.state[place]);
    NewLink link = pair_planes(w, l, place_of(w, std::min(p.a, p.b), std::max(p.a, p.b)));
    const MobilityOf<float> a = mobility_at(w, link.a), b = mobility_at(w, link.b);
    hand_on(old, a, b, link);
    foresee_turn(w, l, old, a, b, link);
    l.state[place] = set_planes(l, link, parameters_of(w, l, link.a, link.b), a, b, p);
    l.swept[place] = p;
  }
};

// The same for the links of a body with walls. Features that are gone keep their planes.
struct RenewWalls {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt || l.frame->looked ? 0 : w.control->near; }
  SCREE_HD void run(std::uint32_t rank) const {
    const std::uint32_t k = w.walls.near_body[rank], n = w.bodies.count;
    const LinkSide& now = l.now();
    const std::uint32_t end = now.first[k + 1];
    std::uint32_t first = end;
    bool due = false;
    for (; first > now.first[k] && now.held[first - 1].other >= n; --first) {
      const std::uint32_t place = l.place[first - 1];
      due = due || moved_on(w, l, l.swept[place], l.state[place]);
    }
    if (!due) return;
    touch_walls(w, k, l.wall_slack[k] + l.scales.offset, [&](const WallTouch& touch) {
      for (std::uint32_t q = first; q < end; ++q) {
        if (now.held[q].other != n + static_cast<std::uint32_t>(touch.wall) || now.held[q].feature != touch.feature)
          continue;
        renew(l.place[q], in_single(touch.geometry));
        return;
      }
    });
  }

 private:
  SCREE_HD void renew(std::uint32_t place, const WorldGeometry<float>& g) const {
    SweptLink p = l.swept[place];
    NewLink link = wall_plane(p.a, p.b, g, l.scales.offset);
    const MobilityOf<float> b = mobility_at(w, p.b);
    hand_on(planes_of(l, p, l.state[place]), {}, b, link);
    l.state[place] = set_planes(l, link, parameters_of(w, l, p.a, p.b), {}, b, p);
    l.swept[place] = p;
  }
};

// Links by number: before another look of the step, or at its end (`last`), where the watchdog is told.
struct WriteHeld {
  World32 w;
  LinksView l;
  bool last = false;
  SCREE_HD std::uint32_t count() const { return w.control->halt || !(last || l.frame->again) ? 0 : l.frame->links; }
  SCREE_HD void run(std::uint32_t k) const {
    const SweptLink p = l.swept[l.place[k]];
    const Planes planes = planes_of(l, p, l.state[l.place[k]]);
    Held& held = l.now().held[k];
    held.planes = planes;
    held.serves = 1;
    for (int r = 0; r < planes.row_count; ++r) {
      const float gap = held.gap[r] = planes.rows[r].gap + planes.rows[r].along(planes.since) + l.scales.offset;
      if (!last || !(planes.rows[r].force > 0)) continue;
      raise_at(&w.control->deepest, float_bits(std::max(0.0f, -gap) / limit_of(p)));
      if (!std::isfinite(gap)) set_flag(&w.control->faults, 1);
    }
  }

 private:
  SCREE_HD float limit_of(const SweptLink& p) const {
    const std::uint32_t n = w.bodies.count, type = w.bodies.moving[p.b].type;
    return p.a >= n ? static_cast<float>(w.walls.pairs[type * w.walls.count + (p.a - n)].overlap_limit)
                    : w.pair(w.bodies.moving[p.a].type, w.bodies.moving[p.b].type).overlap_limit;
  }
};

}  // namespace scree::gpu
