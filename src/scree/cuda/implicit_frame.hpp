#pragma once
// A large step on a device, its beginning and its end: pace, energy, the watchdog.
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

// One thread.
struct BeginFrame {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    Frame& f = *l.frame;
    f.more = f.lost = f.again = f.part = f.looked = f.rebuild = f.impacts = f.meet = f.left = f.substep = f.gaining = 0;
    f.taken = f.owing = 0;
    f.begun = 0;
    if (c.halt) return;
    f.gravity = w.script[c.step].gravity;
    f.driven = f.turned = f.rebounding = f.driving = f.sliding = f.rolling = f.met_speed = 0;
    f.meeting = 0;
    f.kicks = {};
    f.links_saved = f.links;
    c.deepest = c.fastest = c.faults = c.queries = 0;
  }
};

// Bodies and walls as they are when a step begins, and copies of them: a step that finds an array too small begins
// anew.
struct StartBodies {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + w.walls.count; }
  SCREE_HD void run(std::uint32_t k) const {
    SolverBody s{};
    const std::uint32_t n = w.bodies.count;
    if (k < n) {
      const Moving<float> m = w.bodies.moving[k];
      const TwistOf<double>& u = l.velocity[k];
      if (m.kind != gone && m.kind != BodyKind::fixed) set_velocity(u.v, u.omega, s);
      l.saved[k] = {w.bodies.placed[k], m, w.bodies.image[k], u};
      l.kicked[k] = {{s.v[0], s.v[1], s.v[2]}};
      l.hit[k] = 0;
    } else {
      const WallState& wall = w.walls.states[w.control->step * w.walls.count + (k - n)];
      set_velocity(wall.velocity, wall.omega, s);
      w.walls.now[k - n] = wall;
      w.walls.views[k - n].x = wall.pose.x, w.walls.views[k - n].turn = wall.turn;
    }
    l.bodies[k] = s;
    l.strayed[k] = 0;
  }
};

struct SaveHeld {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : std::max(l.frame->links, w.bodies.count + 1); }
  SCREE_HD void run(std::uint32_t k) const {
    if (k < l.frame->links) l.saved_held[k] = l.now().held[k];
    if (k <= w.bodies.count) l.saved_first[k] = l.now().first[k];
  }
};

// The way back, when arrays have grown. `links`: that were saved.
struct Restore {
  World32 w;
  LinksView l;
  std::uint32_t links = 0;
  SCREE_HD std::uint32_t count() const { return std::max(links, w.bodies.count + 1); }
  SCREE_HD void run(std::uint32_t k) const {
    if (k < links) l.now().held[k] = l.saved_held[k];
    if (k <= w.bodies.count) l.now().first[k] = l.saved_first[k];
    if (k >= w.bodies.count) return;
    w.bodies.placed[k] = l.saved[k].placed;
    w.bodies.moving[k] = l.saved[k].moving;
    w.bodies.image[k] = l.saved[k].image;
  }
};

struct Outset {
  LoadSum load;
  Speeds speeds;
  SCREE_HD void merge(const Outset& o) { load.merge(o.load), speeds.merge(o.speeds); }
};

// How many substeps, and how stiff.
struct ChoosePace {
  using Value = Outset;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Outset value(std::uint32_t k) const {
    Outset o;
    o.speeds = speeds_of(w, l, k);
    const BodyKind kind = w.bodies.moving[k].kind;
    if (kind == BodyKind::moving) {
      const double depth = dot(l.frame->gravity, w.bodies.placed[k].x);
      o.load.lowest = -depth, o.load.height = -depth, o.load.bodies = 1;
    }
    const LinkSide& side = l.now();
    for (std::uint32_t q = side.first[k]; kind != gone && q < side.first[k + 1]; ++q)
      add_contacts(side.held[q], o.load);
    return o;
  }
  SCREE_HD void finish(Outset all) const {
    if (w.control->halt) return;
    add_walls(w, all.speeds);
    Frame& f = *l.frame;
    const double g = norm(f.gravity), approach = all.speeds.approach();
    f.pace = pace_of(all.load, approach, g, l.dt, l.grains, l.settings);
    const int most = l.settings.substeps > 0 ? l.settings.substeps : l.settings.most_substeps;
    if (!(f.pace.substeps >= 1 && f.pace.substeps <= most))
      f.pace = {1, l.dt, stiffest / l.dt};  // of what is no number
    f.watched = watches_speeds(f.pace, approach, l.grains, l.settings) ? 1 : 0;
    f.threshold = static_cast<float>(rest_speed * g * l.dt);
    // Where it asks for more than there may be, what counts is whether anything is going to meet like that.
    f.meet = approach * l.dt > most * l.grains.stride ? 1 : 0;
    f.more = f.lost = 1;
  }

 private:
  SCREE_HD void add_contacts(const Held& held, LoadSum& load) const {
    const std::uint32_t n = w.bodies.count;
    if (held.other < n && w.bodies.moving[held.other].kind == gone) return;
    const bool wall = held.other >= n;
    const bool body_is_a = !wall && lower_is_a(w, held);
    const std::uint32_t a = body_is_a ? held.body : held.other, b = body_is_a ? held.other : held.body;
    for (int r = 0; r < held.planes.row_count; ++r) {
      const LinkRowOf<float>& row = held.planes.rows[r];
      if (!(row.force > 0)) continue;
      const double kappa = inverse_mass_along(row.gap_x, row.gap_theta_a, row.gap_theta_b, mobility_at(w, a),
                                              mobility_at(w, b)),
                   pull = row.force * kappa;
      load.squares += pull * pull;
      load.contacts += 1;
      load.deepest = std::max(load.deepest, -static_cast<double>(held.gap[r]));
    }
  }
};

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

// Velocities to where they stay between steps. What was not hit has been given what gravity gives, and no
// rounding of single precision: it would add up while a grain falls.
struct EndBodies {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const Moving<float> m = w.bodies.moving[k];
    if (m.kind != BodyKind::moving && m.kind != BodyKind::kinematic) return;
    note_hit(l, k);
    TwistOf<double>& u = l.velocity[k];
    if (m.kind == BodyKind::moving && !l.hit[k]) {
      u.v += l.frame->kicks;
    } else {
      u = {velocity_of(l.bodies[k]), l.bodies[k].v[2]};
    }
  }
};

// As at the beginning of the next step on the CPU; what they take with them is no loss of this one.
struct TakeAway {
  World32 w;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    if (w.bodies.moving[k].kind != BodyKind::moving) return;
    for (std::uint32_t z = 0; z < w.zone_count; ++z)
      if (w.zones[z].box.contains(w.bodies.placed[k].x) != w.zones[z].outside) w.bodies.moving[k].kind = gone;
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

// For the watchdog.
struct Watch {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    if (!obeys(w, k)) return;
    const Placed<float>& at = w.bodies.placed[k];
    const TwistOf<double>& u = l.velocity[k];
    const auto speed = static_cast<float>(norm(u.v) + std::abs(u.omega) * body_radius(w, k));
    raise(&w.control->fastest, float_bits(speed));
    const bool finite = std::isfinite(at.x.x + at.x.y + at.theta) && std::isfinite(speed);
    if (w.limits.watch && (!finite || speed > w.limits.speed || !w.limits.bounds.contains(at.x)))
      set_flag(&w.control->faults, 1);
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
    const BookedLosses booked = book_losses(f.missing, f.sliding, f.rolling, f.holdable, to.held);
    to.held = booked.held;
    to.gravity += f.turned;
    if (!l.books) return;
    to.friction += booked.friction;
    to.rotational += booked.rolling;
    to.normal_damping += booked.normal;
    to.wall += f.driven;
    to.moved += std::abs(f.missing) + std::abs(f.driven);
  }
};

SCREE_HD inline double met_speed(const Frame& f) {
  const double of_pairs = bits_float(static_cast<std::uint32_t>(f.meeting >> 32));
  return f.met_speed > 0 ? f.met_speed : of_pairs;
}

// One thread.
struct EndFrame {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    ++c.step;
    const bool deep = !(bits_float(c.deepest) <= w.limits.overlap), fast = met_speed(*l.frame) > w.limits.speed;
    if (w.limits.watch && ((c.faults & 1) || deep || fast)) c.halt |= halt_fault;
    if (c.step >= c.steps) c.halt |= halt_done;
  }
};

}  // namespace scree::gpu
