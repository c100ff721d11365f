#pragma once
// What a sweep does to the two bodies of a link, as pure functions of numbers V: single ones, or as many side by side
// as a vector has lanes. A pack is anything with the fields of LinkPack.
#include "scree/base/macros.hpp"
#include "scree/implicit/soft_kernel.hpp"

namespace scree {

struct SweepSettings {
  float h = 0;
  float push = 0;  // largest speed of pushing out, length / time
  Softness<float> soft{};
};

template <class V>
SCREE_INLINE SCREE_HD V larger(const V& a, const V& b) {
  return a > b ? a : b;
}
template <class V>
SCREE_INLINE SCREE_HD V smaller(const V& a, const V& b) {
  return a < b ? a : b;
}

template <class V>
struct Three {
  V x, y, turn;
};

// The two bodies of a link: their velocities, or how they have moved.
template <class V>
struct Ends {
  Three<V> a, b;

  template <class Row>
  SCREE_INLINE SCREE_HD V along(const Row& r) const {
    return (r.gx * (b.x - a.x) + r.gy * (b.y - a.y)) + (r.ga * a.turn + r.gb * b.turn);
  }
  template <class Pack>
  SCREE_INLINE SCREE_HD void push(const Pack& p, const V& gx, const V& gy, const V& ga, const V& gb, const V& impulse) {
    const V of_a = p.mass_a * impulse, of_b = p.mass_b * impulse;
    a.x -= of_a * gx, a.y -= of_a * gy, a.turn += p.inertia_a * impulse * ga;
    b.x += of_b * gx, b.y += of_b * gy, b.turn += p.inertia_b * impulse * gb;
  }
  template <class Pack, class Row>
  SCREE_INLINE SCREE_HD void push(const Pack& p, const Row& r, const V& impulse) {
    push(p, r.gx, r.gy, r.ga, r.gb, impulse);
  }
  template <class Pack>
  SCREE_INLINE SCREE_HD void twist(const Pack& p, const V& impulse) {
    a.turn -= p.inertia_a * impulse;
    b.turn += p.inertia_b * impulse;
  }
};

// The gap of a row where bodies have moved like that.
template <class Row, class V>
SCREE_INLINE SCREE_HD V gap_of(const Row& r, const Ends<V>& moved) {
  return r.s + moved.along(r);
}

// The friction that is wanted, as far as the normal impulses allow it.
template <class Pack, class V>
SCREE_INLINE SCREE_HD void set_friction(Pack& p, const V& wanted, Ends<V>& v) {
  const V most = p.row[0].grip * p.row[0].impulse + p.row[1].grip * p.row[1].impulse;
  const V now = larger<V>(smaller<V>(wanted, most), -most);
  v.push(p, p.tx, p.ty, p.ta, p.tb, now - p.tangent_impulse);
  p.tangent_impulse = now;
}

template <class Pack, class V>
SCREE_INLINE SCREE_HD V slide_of(const Pack& p, const Ends<V>& v) {
  return (p.tx * (v.b.x - v.a.x) + p.ty * (v.b.y - v.a.y)) + (p.ta * v.a.turn + p.tb * v.b.turn);
}

template <class Pack, class V>
SCREE_INLINE SCREE_HD void rub(Pack& p, Ends<V>& v) {
  set_friction<Pack, V>(p, p.tangent_impulse - p.tangent_mass * slide_of<Pack, V>(p, v), v);
}

// The same for rolling resistance.
template <class Pack, class V>
SCREE_INLINE SCREE_HD void set_rolling(Pack& p, const V& wanted, Ends<V>& v) {
  const V most = p.roll_grip[0] * p.row[0].impulse + p.roll_grip[1] * p.row[1].impulse;
  const V now = larger<V>(smaller<V>(wanted, most), -most);
  v.twist(p, now - p.roll_impulse);
  p.roll_impulse = now;
}

// The friction that stands in for how the force may have turned: as much of that as all of it at most.
template <class Pack, class V>
SCREE_INLINE SCREE_HD void set_turning(Pack& p, const V& wanted, Ends<V>& v) {
  const V most = p.row[0].impulse + p.row[1].impulse;
  const V now = larger<V>(smaller<V>(wanted, most), -most);
  v.push(p, p.ux, p.uy, p.ua, p.ub, now - p.turn_impulse);
  p.turn_impulse = now;
}

template <class Pack, class V>
SCREE_INLINE SCREE_HD V turn_speed(const Pack& p, const Ends<V>& v) {
  return (p.ux * (v.b.x - v.a.x) + p.uy * (v.b.y - v.a.y)) + (p.ua * v.a.turn + p.ub * v.b.turn);
}

template <class Pack, class V>
SCREE_INLINE SCREE_HD void resist_turning(Pack& p, Ends<V>& v) {
  set_turning<Pack, V>(p, p.turn_impulse - p.turn_mass * turn_speed<Pack, V>(p, v), v);
}

// An impulse takes from the kinetic energy by the mean of the speeds before and after it.
template <class Pack, class Row, class V>
SCREE_INLINE SCREE_HD void push_row(const Pack& p, Row& r, bool impacts, const V& before, const V& impulse,
                                    Ends<V>& v) {
  v.push(p, r, impulse);
  if (impacts) r.absorbed -= 0.5f * impulse * (before + v.along(r));
}

// `gaps`: of the rows as the bodies have moved, gap_of().
template <class Pack, class V>
SCREE_INLINE SCREE_HD void sweep_link(Pack& p, const SweepSettings& s, bool soft, bool impacts, const V* gaps,
                                      Ends<V>& v) {
  if (p.turns) resist_turning(p, v);
  rub(p, v);
  if (p.rolls) set_rolling<Pack, V>(p, p.roll_impulse - p.spin_mass * (v.b.turn - v.a.turn), v);
  for (int k = 0; k < 2; ++k) {
    auto& r = p.row[k];
    const V gap = gaps[k];
    const auto open = gap > 0;
    V bias = open ? gap * (1 / s.h) : V{};
    V mass = r.mass, kept = r.impulse;
    if (soft) {
      bias = open ? bias : larger<V>(gap * s.soft.rate, V{} - s.push);
      mass = open ? mass : mass * s.soft.mass_scale;
      kept = open ? kept : kept * (1 - s.soft.impulse_scale);
    }
    const V speed = v.along(r), now = larger<V>(kept - mass * (speed + bias), V{});
    push_row<Pack, decltype(p.row[0]), V>(p, r, impacts, speed, now - r.impulse, v);
    r.impulse = now;
    // An impact is known until the end of the step: soon after it its row may carry nothing any more, or the other row,
    // if the two are nearly the same, may have taken over.
    if (!soft && impacts) r.approach = now > 0 ? r.approach : smaller<V>(r.approach, speed);
  }
  // What pushed overlap out is gone now, and friction must not rest on it.
  if (!soft) set_friction<Pack, V>(p, p.tangent_impulse, v);
  if (!soft && p.rolls) set_rolling<Pack, V>(p, p.roll_impulse, v);
  if (!soft && p.turns) set_turning<Pack, V>(p, p.turn_impulse, v);
}

// The impulses of the last substep once more.
template <class Pack, class V>
SCREE_INLINE SCREE_HD void warm_link(Pack& p, bool impacts, Ends<V>& v) {
  for (auto& r : p.row) {
    if (impacts) {
      const V speed = v.along(r);
      push_row<Pack, decltype(p.row[0]), V>(p, r, true, speed, r.impulse, v);
    } else {
      v.push(p, r, r.impulse);
    }
  }
  v.push(p, p.tx, p.ty, p.ta, p.tb, p.tangent_impulse);
  if (p.rolls) v.twist(p, p.roll_impulse);
  if (p.turns) v.push(p, p.ux, p.uy, p.ua, p.ub, p.turn_impulse);
}

template <class V>
struct Rubbed {
  V sliding, rolling;
};

// What friction and rolling resistance took in a substep. Of all impulses together each does its work by the mean of
// the velocities before and after them all, `mean`.
template <class Pack, class V>
SCREE_INLINE SCREE_HD Rubbed<V> rubbed(const Pack& p, const Ends<V>& mean) {
  return {V{} - p.tangent_impulse * slide_of<Pack, V>(p, mean), V{} - p.roll_impulse * (mean.b.turn - mean.a.turn)};
}

template <class Pack, class V>
SCREE_INLINE SCREE_HD void damp_link(const Pack& p, float h, Ends<V>& v) {
  const auto touch = p.row[0].impulse + p.row[1].impulse > 0;
  const V share = h * p.spin_damping / (1 + h * p.spin_damping);
  v.twist(p, touch ? -share * p.spin_mass * (v.b.turn - v.a.turn) : V{});
}

// `root`: square root of V.
template <class Pack, class V, class Root>
SCREE_INLINE SCREE_HD void rebound_link(Pack& p, float threshold, Root root, Ends<V>& v) {
  // What one row gave to the bodies and the other took from them was not theirs before the impact.
  const V lent = smaller<V>(p.row[0].absorbed, V{}) + smaller<V>(p.row[1].absorbed, V{});
  for (auto& r : p.row) {
    const V speed = v.along(r), absorbed = r.absorbed + lent;
    const auto hit = (r.approach < -threshold) & (absorbed > 0) & (r.mass > 0);
    // The speed that gives back e^2 of what was absorbed.
    const V given = speed * speed + 2 * p.restitution * p.restitution * (hit ? absorbed / r.mass : V{});
    const V wanted = larger<V>(smaller<V>(-p.restitution * r.approach, root(given)) - speed, V{});
    r.absorbed = hit ? r.mass * wanted : V{};  // from now on: the impulse of the rebound
    v.push(p, r, r.absorbed);
    // They part, unless that slowly that a load keeps them together: what it takes must not be gone.
    r.impulse = hit & (wanted > 0) & (speed + wanted > threshold) ? V{} : r.impulse;
  }
}

}  // namespace scree
