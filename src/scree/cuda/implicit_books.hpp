#pragma once
// The energy of a large step on a device: work and losses of substeps, rebounds, what is owed and given back, the
// ledger.
#include "scree/cuda/implicit_motion.hpp"
#include "scree/implicit/books_kernel.hpp"

namespace scree::gpu {

SCREE_HD inline double kinetic_of(const World32& w, std::uint32_t k, const TwistOf<double>& u) {
  if (!obeys(w, k)) return 0;
  const MobilityOf<double>& of = w.types[w.bodies.moving[k].type].exact_mobility;
  return 0.5 * norm2(u.v) / of.inverse_mass + 0.5 * u.omega * u.omega / of.inverse_inertia;
}

// Within a step.
SCREE_HD inline double kinetic_of(const World32& w, const LinksView& l, std::uint32_t k) {
  return kinetic_of(w, k, {velocity_of(l.bodies[k]), l.bodies[k].v[2]});
}

// Between steps.
SCREE_HD inline double energy_of(const World32& w, const LinksView& l, std::uint32_t k) {
  if (!obeys(w, k)) return 0;
  const double mass = 1 / w.types[w.bodies.moving[k].type].exact_mobility.inverse_mass;
  const Vec2d x = unwrapped(w.periodic, w.bodies.placed[k].x, w.bodies.image[k]);
  return kinetic_of(w, k, l.velocity[k]) - mass * dot(l.frame->gravity, x);
}

struct Sum {
  double all = 0;
  SCREE_HD void merge(const Sum& o) { all += o.all; }
};

// What overlaps may give back at the end of a step.
struct FindHoldable {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : l.frame->links; }
  SCREE_HD Sum value(std::uint32_t k) const {
    const SweptLink& p = l.swept[l.place[k]];
    const Frame& f = *l.frame;
    const Ends<float> moved = ends_of(l.bodies[p.a].moved, l.bodies[p.b].moved);
    Sum sum;
    for (const SweptRow& r : p.row) sum.all += may_hold(r.impulse / f.sweep.h, -gap_of(r, moved), r.mass, f.pace.load);
    return sum;
  }
  SCREE_HD void finish(const Sum& sum) const {
    if (!w.control->halt) l.frame->holdable = sum.all;
  }
};

struct EnergyBefore {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const { return {energy_of(w, l, k)}; }
  SCREE_HD void finish(const Sum& sum) const {
    if (!w.control->halt) l.frame->energy = sum.all;
  }
};

// Velocities of those ends of a link that are driven.
SCREE_HD inline Ends<double> driven_ends(const LinksView& l, const SweptLink& p) {
  const float still[3] = {};
  const float *a = p.mass_a > 0 ? still : l.bodies[p.a].v, *b = p.mass_b > 0 ? still : l.bodies[p.b].v;
  return {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
}

// What walls and kinematic bodies did in a substep: the impulse on a driven end, against that end's velocity.
struct DrivenWork {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : l.frame->links; }
  SCREE_HD Sum value(std::uint32_t k) const {
    const SweptLink& p = l.swept[l.place[k]];
    if (p.mass_a > 0 && p.mass_b > 0) return {};
    const Ends<double> v = driven_ends(l, p);
    double work = 0;
    for (const SweptRow& r : p.row) work -= r.impulse * v.along(r);
    work -= p.tangent_impulse * slide_of(p, v);
    work -= p.turn_impulse * turn_speed(p, v);
    work -= p.roll_impulse * (v.b.turn - v.a.turn);
    return {work};
  }
  SCREE_HD void finish(const Sum& sum) const { l.frame->driving = w.control->halt ? 0 : sum.all; }
};

// Before contacts do anything in a substep.
struct KineticBefore {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const { return {kinetic_of(w, l, k)}; }
  SCREE_HD void finish(const Sum& sum) const {
    l.frame->kinetic = sum.all;
    l.frame->rigid_sweeps = fewest_rigid_sweeps;
  }
};

// Whether they have given energy to the bodies, so that it takes another sweep.
struct FindGain {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const { return {kinetic_of(w, l, k)}; }
  SCREE_HD void finish(const Sum& sum) const {
    Frame& f = *l.frame;
    f.gain = w.control->halt ? 0 : sum.all - f.kinetic - f.driving;
    f.gaining = f.rigid_sweeps++ < most_rigid_sweeps && f.gain > kinetic_rounding * f.kinetic;
  }
};

// Velocities before some rebound.
struct KeepVelocities {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    note_hit(l, k);
    const float* v = l.bodies[k].v;
    l.kicked[k] = {{v[0], v[1], v[2]}};
  }
};

// What walls and kinematic bodies do when others rebound from them.
struct ReboundWork {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : l.frame->links; }
  SCREE_HD Sum value(std::uint32_t k) const {
    const SweptLink& p = l.swept[l.place[k]];
    if (p.mass_a > 0 && p.mass_b > 0) return {};
    const Ends<double> v = driven_ends(l, p);
    return {-p.row[0].absorbed * v.along(p.row[0]) - p.row[1].absorbed * v.along(p.row[1])};
  }
  SCREE_HD void finish(const Sum& sum) const { l.frame->rebounding = w.control->halt ? 0 : sum.all; }
};

// Each pair gives back no more than it has absorbed, but several at a body may together give more: then all give less.
struct FindShare {
  using Value = KineticGain;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD KineticGain value(std::uint32_t k) const {
    KineticGain gain;
    if (!obeys(w, k)) return gain;
    const MobilityOf<double>& of = w.types[w.bodies.moving[k].type].exact_mobility;
    const float *v = l.bodies[k].v, *u = l.kicked[k].v;
    for (int n = 0; n < 3; ++n) {
      const double mass = 1 / (n < 2 ? of.inverse_mass : of.inverse_inertia), by = v[n] - u[n];
      gain.merge({mass * u[n] * by, 0.5 * mass * by * by});
    }
    return gain;
  }
  SCREE_HD void finish(const KineticGain& gain) const {
    Frame& f = *l.frame;
    if (w.control->halt) return;
    f.share = share_to_give(gain, f.absorbed, f.rebounding);
    f.driven += f.share * f.rebounding;
    f.rebounding = 0;
  }
};

struct BlendVelocities {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt || l.frame->share >= 1 ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    if (!obeys(w, k)) return;
    float* v = l.bodies[k].v;
    const float *u = l.kicked[k].v, share = static_cast<float>(l.frame->share);
    for (int n = 0; n < 3; ++n) v[n] = u[n] + share * (v[n] - u[n]);
  }
};

// Done by gravity that turns, in a substep.
struct TurningWork {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const {
    const Moving<float> m = w.bodies.moving[k];
    if (m.kind != BodyKind::moving) return {};
    const Vec2d change = gravity_after(w, *l.frame, l.frame->substep + 1) - l.frame->gravity;
    const Vec2d x = unwrapped(w.periodic, w.bodies.placed[k].x, w.bodies.image[k]);
    return {-dot(change, x) / w.types[m.type].exact_mobility.inverse_mass};
  }
  SCREE_HD void finish(const Sum& sum) const {
    if (!w.control->halt) l.frame->turned += sum.all;
  }
};

struct Losses {
  double sliding = 0, rolling = 0;
  SCREE_HD void merge(const Losses& o) { sliding += o.sliding, rolling += o.rolling; }
};

// What friction and rolling resistance took in a substep.
struct FindRubbed {
  using Value = Losses;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : l.frame->links; }
  SCREE_HD Losses value(std::uint32_t k) const {
    const SweptLink& p = l.swept[l.place[k]];
    const Rubbed<double> r = rubbed(p, Ends<double>{mean(p.a, p.mass_a > 0), mean(p.b, p.mass_b > 0)});
    return {r.sliding, r.rolling};
  }
  SCREE_HD void finish(const Losses& sum) const {
    if (!w.control->halt) l.frame->sliding += sum.sliding, l.frame->rolling += sum.rolling;
  }

 private:
  SCREE_HD Three<double> mean(std::uint32_t k, bool moves) const {
    const float *v = l.bodies[k].v, *u = moves ? l.kicked[k].v : v;
    return {0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1]), 0.5 * (u[2] + v[2])};
  }
};

// The kinetic energy, before (1) and after (-1) spins are damped.
struct FindDamped {
  using Value = Sum;
  World32 w;
  LinksView l;
  double sign = 1;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const { return {kinetic_of(w, l, k)}; }
  SCREE_HD void finish(const Sum& sum) const {
    if (!w.control->halt) l.frame->rolling += sign * sum.all;
  }
};

// What is missing when bodies have their velocities, and what they have more than they had and than overlaps held:
// planes have given it, and bodies that have gained give it back. After that, once more.
struct EnergyAfter {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const { return {energy_of(w, l, k)}; }
  SCREE_HD void finish(const Sum& sum) const {
    if (w.control->halt) return;
    Frame& f = *l.frame;
    f.missing = f.energy - sum.all + f.driven + f.turned;
    f.owed = overdrawn(f.missing, w.control->work.held);
    f.owing = f.owed > 0 ? 1 : 0;
  }
};

// What a body that contacts have done something to has more than when the step began.
struct BodyGain {
  Vec2d way;
  double kinetic = 0, rise = 0, all = 0;
};
SCREE_HD inline BodyGain gain_of(const World32& w, const LinksView& l, std::uint32_t k) {
  BodyGain gain;
  if (!l.hit[k] || !obeys(w, k)) return gain;
  const SavedBody& then = l.saved[k];
  const double mass = 1 / w.types[w.bodies.moving[k].type].exact_mobility.inverse_mass;
  gain.way =
      unwrapped(w.periodic, w.bodies.placed[k].x, w.bodies.image[k]) - unwrapped(w.periodic, then.placed.x, then.image);
  gain.kinetic = kinetic_of(w, k, l.velocity[k]);
  gain.rise = -mass * dot(l.frame->gravity, gain.way);
  gain.all = std::max(0.0, gain.kinetic - kinetic_of(w, k, then.velocity) + gain.rise);
  return gain;
}

struct FindGains {
  using Value = Sum;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Sum value(std::uint32_t k) const { return {gain_of(w, l, k).all}; }
  SCREE_HD void finish(const Sum& gains) const { l.frame->given_back = share_given_back(gains.all, l.frame->owed); }
};

struct GiveBack {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const BodyGain gain = gain_of(w, l, k);
    const double due = l.frame->given_back * gain.all;
    if (!(due > 0)) return;
    const Repayment r = repayment(due, gain.kinetic, gain.rise);
    TwistOf<double>& u = l.velocity[k];
    u.v *= r.speed_kept, u.omega *= r.speed_kept;
    if (!(r.way_back > 0)) return;
    const Placed<float> at = w.bodies.placed[k];
    const Vec2d back = -r.way_back * gain.way;
    const double turn = -r.way_back * (at.theta - l.saved[k].placed.theta);
    put(w, k, at.x + back, at.theta + turn);
    note_move(back, turn, l.bodies[k]);
  }
};

// One thread.
struct Book {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    const Frame& f = *l.frame;
    StepWork& to = w.control->work;
    const BookedLosses booked = book_losses(f.missing, f.sliding, f.rolling, f.holdable, to.held, f.driven);
    to.held = booked.held;
    to.gravity += f.turned;
    if (!l.books) return;
    to.friction += booked.friction;
    to.rotational += booked.rolling;
    to.normal_damping += booked.normal;
    to.brought += booked.brought;
    to.wall += f.driven;
    to.moved += std::abs(f.missing) + std::abs(f.driven);
  }
};

}  // namespace scree::gpu
