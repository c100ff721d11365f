#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are handed over only between functions that are inlined

#include "scree/implicit/link_pack.hpp"

#include <cmath>
#include <limits>

#include "scree/base/macros.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace scree {

#if defined(__AVX__)
// To the same bits; of the general ones compilers make a comparison and a choice.
template <>
SCREE_INLINE Lanes larger<Lanes>(const Lanes& a, const Lanes& b) {
  return _mm256_max_ps(a, b);
}
template <>
SCREE_INLINE Lanes smaller<Lanes>(const Lanes& a, const Lanes& b) {
  return _mm256_min_ps(a, b);
}
#endif

namespace {

typedef float Four __attribute__((vector_size(16)));
typedef std::int32_t Mask __attribute__((vector_size(pack_lanes * sizeof(float))));

SCREE_INLINE void load_four(const float* p, Four& out) { __builtin_memcpy(&out, p, sizeof out); }
SCREE_INLINE void store_four(float* p, const Four& in) { __builtin_memcpy(p, &in, sizeof in); }

using Triple = Three<Lanes>;
using PackEnds = Ends<Lanes>;

// Eight bodies' quadruples to three vectors.
SCREE_INLINE Triple transposed(const Four* r) {
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

// Of `SolverBody` or `BodyVelocity`.
template <class Body>
SCREE_INLINE Triple load_v(const std::uint32_t* index, const Body* bodies) {
  Four r[pack_lanes];
  for (std::size_t k = 0; k < pack_lanes; ++k) load_four(bodies[index[k]].v, r[k]);
  return transposed(r);
}

SCREE_INLINE Triple load_moved(const std::uint32_t* index, const SolverBody* bodies) {
  Four r[pack_lanes];
  for (std::size_t k = 0; k < pack_lanes; ++k) load_four(bodies[index[k]].moved, r[k]);
  return transposed(r);
}

// The other way round; of each quadruple the last is 0.
SCREE_INLINE void transpose(const Triple& v, Four* r) {
  const Lanes none{};
  const Lanes low0 = __builtin_shufflevector(v.x, v.y, 0, 8, 1, 9, 4, 12, 5, 13);
  const Lanes high0 = __builtin_shufflevector(v.x, v.y, 2, 10, 3, 11, 6, 14, 7, 15);
  const Lanes low1 = __builtin_shufflevector(v.turn, none, 0, 8, 1, 9, 4, 12, 5, 13);
  const Lanes high1 = __builtin_shufflevector(v.turn, none, 2, 10, 3, 11, 6, 14, 7, 15);
  const Lanes c[4] = {__builtin_shufflevector(low0, low1, 0, 1, 8, 9, 4, 5, 12, 13),
                      __builtin_shufflevector(low0, low1, 2, 3, 10, 11, 6, 7, 14, 15),
                      __builtin_shufflevector(high0, high1, 0, 1, 8, 9, 4, 5, 12, 13),
                      __builtin_shufflevector(high0, high1, 2, 3, 10, 11, 6, 7, 14, 15)};
  for (int k = 0; k < 4; ++k) {
    r[k] = __builtin_shufflevector(c[k], c[k], 0, 1, 2, 3);
    r[k + 4] = __builtin_shufflevector(c[k], c[k], 4, 5, 6, 7);
  }
}

// Those of the lanes `held` keep what they have.
SCREE_INLINE void store_v(const std::uint32_t* index, std::uint32_t held, const Triple& v, SolverBody* bodies) {
  Four r[pack_lanes];
  transpose(v, r);
  for (std::size_t k = 0; k < pack_lanes; ++k)
    if (held == 0 || (held >> k & 1) == 0) store_four(bodies[index[k]].v, r[k]);
}

template <class Body>
SCREE_INLINE PackEnds load_v(const LinkPack& p, const std::vector<Body>& bodies) {
  return {load_v(p.a, bodies.data()), load_v(p.b, bodies.data())};
}
SCREE_INLINE PackEnds load_moved(const LinkPack& p, const std::vector<SolverBody>& bodies) {
  return {load_moved(p.a, bodies.data()), load_moved(p.b, bodies.data())};
}
SCREE_INLINE void store_v(const LinkPack& p, const PackEnds& v, std::vector<SolverBody>& bodies) {
  store_v(p.a, p.held_a, v.a, bodies.data());
  store_v(p.b, p.held_b, v.b, bodies.data());
}

template <bool soft, bool impacts>
SCREE_INLINE void sweep(LinkPack& p, const SweepSettings& s, std::vector<SolverBody>& bodies) {
  PackEnds v = load_v(p, bodies);
  const Lanes gaps[] = {p.row[0].gap, p.row[1].gap};
  sweep_link(p, s, soft, impacts, gaps, v);
  store_v(p, v, bodies);
}

}  // namespace

void LinkPack::set(std::size_t k, const Link& link, const Shift& now, const Mobility& of_a, const Mobility& of_b,
                   double h) {
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
    const double s = from.gap - from.along(link.taken);
    r.s[k] = f(s), r.gap[k] = f(s + from.along(now));
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
  const auto note = [&](bool is, std::uint32_t& lanes) { lanes = is ? lanes | bit : lanes & ~bit; };
  ux[k] = f(link.turn.x.x), uy[k] = f(link.turn.x.y), ua[k] = f(link.turn.theta_a), ub[k] = f(link.turn.theta_b);
  turn_mass[k] = f(effective(link.turn.x, link.turn.theta_a, link.turn.theta_b));
  turn_impulse[k] = f(link.turn.force * h);
  note(turn_mass[k] > 0, turns);
  note(link.rolling_lever > 0, rolls);
  note(of_a.inverse_mass == 0, held_a), note(of_b.inverse_mass == 0, held_b);
  roll_impulse[k] = link.rolling_lever > 0 ? f(link.rolling_torque * h) : 0;
}

void LinkPack::clear(std::size_t k, std::uint32_t nobody) {
  Link none;
  none.a = none.b = nobody;
  set(k, none, {}, {}, {}, 1);
  for (PackRow& r : row) r.approach[k] = r.absorbed[k] = 0;
}

void LinkPack::read_forces(std::size_t k, double h, Link& link) const {
  for (int n = 0; n < link.row_count; ++n)
    link.rows[static_cast<std::size_t>(n)].force = static_cast<double>(row[n].impulse[k]) / h;
  link.tangential_force = static_cast<double>(tangent_impulse[k]) / h;
  link.rolling_torque = static_cast<double>(roll_impulse[k]) / h;
  link.turn.force = static_cast<double>(turn_impulse[k]) / h;
}

void PackWatch::set(std::size_t k, const Link& link, double of_a, double of_b, double until) {
  constexpr double rounding = 1e-5;  // of what may_be_due() finds in single precision
  x[k] = link.taken.x, y[k] = link.taken.y, turn_a[k] = link.taken.turn_a, turn_b[k] = link.taken.turn_b;
  radius_a[k] = static_cast<float>(of_a), radius_b[k] = static_cast<float>(of_b);
  way[k] = static_cast<float>(until * (1 - rounding));
}

void PackWatch::clear(std::size_t k) { set(k, {}, 0, 0, std::numeric_limits<double>::infinity()); }

std::uint32_t may_be_due(const PackWatch& w, const LinkPack& p, const std::vector<SolverBody>& bodies) {
  const PackEnds now = load_moved(p, bodies);
  const auto size = [](const Lanes& v) { return larger<Lanes>(v, -v); };
  const Lanes dx = now.b.x - now.a.x - w.x, dy = now.b.y - now.a.y - w.y;
  const Lanes left = w.way - w.radius_a * size(now.a.turn - w.turn_a) - w.radius_b * size(now.b.turn - w.turn_b);
  const Mask due = (left <= 0) | (dx * dx + dy * dy >= left * left);
  std::uint32_t lanes = 0;
  for (std::size_t k = 0; k < pack_lanes; ++k) lanes |= due[k] ? 1u << k : 0u;
  return lanes;
}

void warm_start(LinkPack& p, bool impacts, std::vector<SolverBody>& bodies) {
  PackEnds v = load_v(p, bodies);
  impacts ? warm_link(p, true, v) : warm_link(p, false, v);
  store_v(p, v, bodies);
}

void sweep_soft(LinkPack& p, const SweepSettings& s, bool impacts, std::vector<SolverBody>& bodies) {
  impacts ? sweep<true, true>(p, s, bodies) : sweep<true, false>(p, s, bodies);
}

void sweep_rigid(LinkPack& p, const SweepSettings& s, bool impacts, bool moved, std::vector<SolverBody>& bodies) {
  if (moved) {
    const PackEnds by = load_moved(p, bodies);
    for (PackRow& r : p.row) r.gap = gap_of(r, by);
  }
  impacts ? sweep<false, true>(p, s, bodies) : sweep<false, false>(p, s, bodies);
}

Rubbed<double> rubbed(const LinkPack& p, const std::vector<BodyVelocity>& before,
                      const std::vector<SolverBody>& bodies) {
  const PackEnds u = load_v(p, before), v = load_v(p, bodies);
  const auto mean = [](const Triple& x, const Triple& y) {
    return Triple{0.5f * (x.x + y.x), 0.5f * (x.y + y.y), 0.5f * (x.turn + y.turn)};
  };
  const Rubbed<Lanes> lanes = rubbed<LinkPack, Lanes>(p, PackEnds{mean(u.a, v.a), mean(u.b, v.b)});
  Rubbed<double> sum{};
  for (std::size_t k = 0; k < pack_lanes; ++k) sum.sliding += lanes.sliding[k], sum.rolling += lanes.rolling[k];
  return sum;
}

void damp_spin(LinkPack& p, const SweepSettings& s, std::vector<SolverBody>& bodies) {
  PackEnds v = load_v(p, bodies);
  damp_link(p, s.h, v);
  store_v(p, v, bodies);
}

bool note_approach(LinkPack& p, float threshold, const std::vector<SolverBody>& bodies) {
  const PackEnds v = load_v(p, bodies);
  bool any = false;
  for (PackRow& r : p.row) {
    r.approach = v.along(r);
    r.absorbed = Lanes{};
    for (std::size_t k = 0; k < pack_lanes; ++k) any = any || (r.approach[k] < -threshold && p.restitution[k] > 0);
  }
  return any;
}

void rebound(LinkPack& p, float threshold, std::vector<SolverBody>& bodies) {
  PackEnds v = load_v(p, bodies);
  const auto root = [](const Lanes& of) {
    Lanes roots{};
    for (std::size_t k = 0; k < pack_lanes; ++k) roots[k] = std::sqrt(of[k]);
    return roots;
  };
  rebound_link(p, threshold, root, v);
  store_v(p, v, bodies);
}

}  // namespace scree
