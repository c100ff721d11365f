#pragma once
// A large step on a device, its beginning and its end: pace, what stays between steps, the watchdog.
#include "scree/cuda/implicit_motion.hpp"

namespace scree::gpu {

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
