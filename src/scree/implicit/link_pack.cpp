#include "scree/implicit/link_pack.hpp"

#include <cmath>

#include "scree/base/macros.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are handed over only between functions that are inlined

namespace scree {

namespace {

typedef float Four __attribute__((vector_size(16)));
typedef std::int32_t Mask __attribute__((vector_size(pack_lanes * sizeof(float))));

SCREE_INLINE void load_four(const float* p, Four& out) { __builtin_memcpy(&out, p, sizeof out); }
SCREE_INLINE void store_four(float* p, const Four& in) { __builtin_memcpy(p, &in, sizeof in); }

SCREE_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
SCREE_INLINE Lanes smaller(const Lanes& a, const Lanes& b) { return a < b ? a : b; }
SCREE_INLINE Lanes all(float v) { return Lanes{} + v; }

struct Three {
  Lanes x, y, turn;
};

// Eight bodies' quadruples to three vectors.
SCREE_INLINE Three transposed(const Four* r) {
  Lanes c[4];
  for (int k = 0; k < 4; ++k) c[k] = __builtin_shufflevector(r[k], r[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
  const Lanes low0 = __builtin_shufflevector(c[0], c[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const Lanes low1 = __builtin_shufflevector(c[2], c[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const Lanes high0 = __builtin_shufflevector(c[0], c[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const Lanes high1 = __builtin_shufflevector(c[2], c[3], 2, 10, 3, 11, 6, 14, 7, 15);
  return {__builtin_shufflevector(low0, low1, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(low0, low1, 2, 3, 10, 11, 6, 7, 14, 15),
          __builtin_shufflevector(high0, high1, 0, 1, 8, 9, 4, 5, 12, 13)};
}

SCREE_INLINE Three load_v(const std::uint32_t* index, const SolverBody* bodies) {
  Four r[pack_lanes];
  for (std::size_t k = 0; k < pack_lanes; ++k) load_four(bodies[index[k]].v, r[k]);
  return transposed(r);
}

SCREE_INLINE Three load_moved(const std::uint32_t* index, const SolverBody* bodies) {
  Four r[pack_lanes];
  for (std::size_t k = 0; k < pack_lanes; ++k) load_four(bodies[index[k]].moved, r[k]);
  return transposed(r);
}

// Bodies without inverse mass keep what they have.
SCREE_INLINE void store_v(const std::uint32_t* index, const Lanes& inverse_mass, const Three& v, SolverBody* bodies) {
  for (std::size_t k = 0; k < pack_lanes; ++k) {
    if (inverse_mass[k] == 0) continue;
    store_four(bodies[index[k]].v, Four{v.x[k], v.y[k], v.turn[k], 0});
  }
}

// The two bodies of every lane.
struct Ends {
  Three a, b;

  SCREE_INLINE Lanes along(const PackRow& r) const {
    return r.gx * (b.x - a.x) + r.gy * (b.y - a.y) + r.ga * a.turn + r.gb * b.turn;
  }
  SCREE_INLINE void push(const LinkPack& p, const Lanes& gx, const Lanes& gy, const Lanes& ga, const Lanes& gb,
                         const Lanes& impulse) {
    const Lanes of_a = p.mass_a * impulse, of_b = p.mass_b * impulse;
    a.x -= of_a * gx, a.y -= of_a * gy, a.turn += p.inertia_a * impulse * ga;
    b.x += of_b * gx, b.y += of_b * gy, b.turn += p.inertia_b * impulse * gb;
  }
  SCREE_INLINE void push(const LinkPack& p, const PackRow& r, const Lanes& impulse) {
    push(p, r.gx, r.gy, r.ga, r.gb, impulse);
  }
  SCREE_INLINE void twist(const LinkPack& p, const Lanes& impulse) {
    a.turn -= p.inertia_a * impulse;
    b.turn += p.inertia_b * impulse;
  }
};

SCREE_INLINE Ends load_v(const LinkPack& p, const std::vector<SolverBody>& bodies) {
  return {load_v(p.a, bodies.data()), load_v(p.b, bodies.data())};
}
SCREE_INLINE Ends load_moved(const LinkPack& p, const std::vector<SolverBody>& bodies) {
  return {load_moved(p.a, bodies.data()), load_moved(p.b, bodies.data())};
}
SCREE_INLINE void store_v(const LinkPack& p, const Ends& v, std::vector<SolverBody>& bodies) {
  store_v(p.a, p.mass_a, v.a, bodies.data());
  store_v(p.b, p.mass_b, v.b, bodies.data());
}

// The friction that is wanted, as far as the normal impulses allow it.
SCREE_INLINE void set_friction(LinkPack& p, const Lanes& wanted, Ends& v) {
  const Lanes most = p.row[0].grip * p.row[0].impulse + p.row[1].grip * p.row[1].impulse;
  const Lanes now = larger(smaller(wanted, most), -most);
  v.push(p, p.tx, p.ty, p.ta, p.tb, now - p.tangent_impulse);
  p.tangent_impulse = now;
}

SCREE_INLINE void rub(LinkPack& p, Ends& v) {
  const Lanes slide = p.tx * (v.b.x - v.a.x) + p.ty * (v.b.y - v.a.y) + p.ta * v.a.turn + p.tb * v.b.turn;
  set_friction(p, p.tangent_impulse - p.tangent_mass * slide, v);
}

// The same for rolling resistance.
SCREE_INLINE void set_rolling(LinkPack& p, const Lanes& wanted, Ends& v) {
  const Lanes most = p.roll_grip[0] * p.row[0].impulse + p.roll_grip[1] * p.row[1].impulse;
  const Lanes now = larger(smaller(wanted, most), -most);
  v.twist(p, now - p.roll_impulse);
  p.roll_impulse = now;
}

// An impulse takes from the kinetic energy by the mean of the speeds before and after it.
template <bool impacts>
SCREE_INLINE void push(const LinkPack& p, PackRow& r, const Lanes& before, const Lanes& impulse, Ends& v) {
  v.push(p, r, impulse);
  if (impacts) r.absorbed -= 0.5f * impulse * (before + v.along(r));
}

template <bool soft, bool impacts>
SCREE_INLINE void sweep(LinkPack& p, const SweepSettings& s, std::vector<SolverBody>& bodies) {
  Ends v = load_v(p, bodies);
  const Ends moved = load_moved(p, bodies);
  rub(p, v);
  if (p.rolls) set_rolling(p, p.roll_impulse - p.spin_mass * (v.b.turn - v.a.turn), v);
  for (PackRow& r : p.row) {
    const Lanes gap = r.s + moved.along(r);
    const Mask open = gap > 0;
    Lanes bias = open ? gap * (1 / s.h) : Lanes{};
    Lanes mass = r.mass, give{};
    if (soft) {
      bias = open ? bias : larger(gap * s.soft.rate, all(-s.push));
      mass = open ? mass : mass * s.soft.mass_scale;
      give = open ? give : all(s.soft.impulse_scale);
    }
    const Lanes speed = v.along(r), now = larger(r.impulse - mass * (speed + bias) - give * r.impulse, Lanes{});
    push<impacts>(p, r, speed, now - r.impulse, v);
    r.impulse = now;
  }
  // What pushed overlap out is gone now, and friction must not rest on it.
  if (!soft) set_friction(p, p.tangent_impulse, v);
  if (!soft && p.rolls) set_rolling(p, p.roll_impulse, v);
  store_v(p, v, bodies);
}

}  // namespace

void LinkPack::set(std::size_t k, const Link& link, const Mobility& of_a, const Mobility& of_b, double h) {
  const auto f = [](double v) { return static_cast<float>(v); };
  a[k] = link.a, b[k] = link.b;
  mass_a[k] = f(of_a.inverse_mass), inertia_a[k] = f(of_a.inverse_inertia);
  mass_b[k] = f(of_b.inverse_mass), inertia_b[k] = f(of_b.inverse_inertia);
  const auto effective = [&](Vec2d x, double theta_a, double theta_b) {
    const double kappa = inverse_mass_along(x, theta_a, theta_b, of_a, of_b);
    return kappa > 0 ? 1 / kappa : 0;
  };
  for (int n = 0; n < 2; ++n) {
    const LinkRow none{}, &from = n < link.row_count ? link.rows[static_cast<std::size_t>(n)] : none;
    PackRow& r = row[n];
    r.gx[k] = f(from.gap_x.x), r.gy[k] = f(from.gap_x.y), r.ga[k] = f(from.gap_theta_a), r.gb[k] = f(from.gap_theta_b);
    r.s[k] = f(from.gap - from.along(link.taken));
    r.mass[k] = f(effective(from.gap_x, from.gap_theta_a, from.gap_theta_b));
    r.impulse[k] = f(from.force * h);
    r.grip[k] = f(link.friction * norm(from.gap_x));
    roll_grip[n][k] = f(link.rolling_lever * norm(from.gap_x));
  }
  const Vec2d t = perp(link.normal);
  const bool rough = link.friction > 0 && norm2(t) > 0;
  tx[k] = f(t.x), ty[k] = f(t.y), ta[k] = f(link.arm_a), tb[k] = f(link.arm_b);
  tangent_mass[k] = rough ? f(effective(t, link.arm_a, link.arm_b)) : 0;
  tangent_impulse[k] = rough ? f(link.tangential_force * h) : 0;
  restitution[k] = f(link.restitution);
  const double spins = of_a.inverse_inertia + of_b.inverse_inertia;
  spin_mass[k] = spins > 0 ? f(1 / spins) : 0;
  spin_damping[k] = f(link.spin_damping);
  const std::uint32_t bit = 1u << k;
  rolls = link.rolling_lever > 0 ? rolls | bit : rolls & ~bit;
  roll_impulse[k] = link.rolling_lever > 0 ? f(link.rolling_torque * h) : 0;
}

void LinkPack::clear(std::size_t k, std::uint32_t nobody) {
  Link none;
  none.a = none.b = nobody;
  set(k, none, {}, {}, 1);
  for (PackRow& r : row) r.approach[k] = r.absorbed[k] = 0;
}

void LinkPack::read_forces(std::size_t k, double h, Link& link) const {
  for (int n = 0; n < link.row_count; ++n)
    link.rows[static_cast<std::size_t>(n)].force = static_cast<double>(row[n].impulse[k]) / h;
  link.tangential_force = static_cast<double>(tangent_impulse[k]) / h;
  link.rolling_torque = static_cast<double>(roll_impulse[k]) / h;
}

void warm_start(LinkPack& p, bool impacts, std::vector<SolverBody>& bodies) {
  Ends v = load_v(p, bodies);
  for (PackRow& r : p.row) {
    if (impacts) {
      const Lanes speed = v.along(r);
      const Mask met = r.impulse > 0;
      r.approach = met ? r.approach : speed;
      r.absorbed = met ? r.absorbed : Lanes{};
      push<true>(p, r, speed, r.impulse, v);
    } else {
      v.push(p, r, r.impulse);
    }
  }
  v.push(p, p.tx, p.ty, p.ta, p.tb, p.tangent_impulse);
  if (p.rolls) v.twist(p, p.roll_impulse);
  store_v(p, v, bodies);
}

void sweep_soft(LinkPack& p, const SweepSettings& s, bool impacts, std::vector<SolverBody>& bodies) {
  impacts ? sweep<true, true>(p, s, bodies) : sweep<true, false>(p, s, bodies);
}

void sweep_rigid(LinkPack& p, const SweepSettings& s, bool impacts, std::vector<SolverBody>& bodies) {
  impacts ? sweep<false, true>(p, s, bodies) : sweep<false, false>(p, s, bodies);
}

void damp_spin(LinkPack& p, const SweepSettings& s, std::vector<SolverBody>& bodies) {
  Ends v = load_v(p, bodies);
  const Mask touch = p.row[0].impulse + p.row[1].impulse > 0;
  const Lanes share = s.h * p.spin_damping / (1 + s.h * p.spin_damping);
  v.twist(p, touch ? -share * p.spin_mass * (v.b.turn - v.a.turn) : Lanes{});
  store_v(p, v, bodies);
}

bool note_approach(LinkPack& p, float threshold, const std::vector<SolverBody>& bodies) {
  const Ends v = load_v(p, bodies);
  bool any = false;
  for (PackRow& r : p.row) {
    r.approach = v.along(r);
    r.absorbed = Lanes{};
    for (std::size_t k = 0; k < pack_lanes; ++k) any = any || (r.approach[k] < -threshold && p.restitution[k] > 0);
  }
  return any;
}

void rebound(LinkPack& p, float threshold, std::vector<SolverBody>& bodies) {
  Ends v = load_v(p, bodies);
  // What one row gave to the bodies and the other took from them was not theirs before the impact.
  const Lanes lent = smaller(p.row[0].absorbed, Lanes{}) + smaller(p.row[1].absorbed, Lanes{});
  for (PackRow& r : p.row) {
    const Lanes speed = v.along(r), absorbed = r.absorbed + lent;
    const Mask hit = (r.approach < -threshold) & (r.impulse > 0) & (absorbed > 0) & (r.mass > 0);
    // The speed that gives back e^2 of what was absorbed.
    const Lanes given = speed * speed + 2 * p.restitution * p.restitution * (hit ? absorbed / r.mass : Lanes{});
    Lanes most{};
    for (std::size_t k = 0; k < pack_lanes; ++k) most[k] = std::sqrt(given[k]);
    const Lanes wanted = larger(smaller(-p.restitution * r.approach, most) - speed, Lanes{});
    v.push(p, r, hit ? r.mass * wanted : Lanes{});
    r.impulse = hit & (wanted > 0) ? Lanes{} : r.impulse;  // they part
  }
  store_v(p, v, bodies);
}

}  // namespace scree
