#pragma once
// Bodies within a large step on a device: gravity, drift, what follows a motion, and whether a body has left its room.
#include "scree/cuda/implicit_look.hpp"

namespace scree::gpu {

// Of the gravity of two moments, the one in between: it turns evenly.
SCREE_HD inline Vec2d gravity_between(Vec2d from, Vec2d to, double share) {
  if (from == to) return from;
  if (share >= 1) return to;
  const Rotation2d turn(share * std::atan2(cross(from, to), dot(from, to)));
  return turn * from;
}

// A place that is given at the beginning and at the end of a step, with its rate, in between: the cubic that has both.
struct Course {
  double at, rate;
};
SCREE_HD inline Course course(double x0, double v0, double x1, double v1, double dt, double share) {
  const double s = share, d = x1 - x0, a = dt * v0, b = dt * v1;
  return {x0 + s * (a + s * (3 * d - 2 * a - b + s * (a + b - 2 * d))),
          (a + s * (2 * (3 * d - 2 * a - b) + s * 3 * (a + b - 2 * d))) / dt};
}

struct Driving {
  Vec2d x, v;
  double theta, omega;
};
SCREE_HD inline Driving driven_between(const Driving& from, const Driving& to, double dt, double share) {
  if (share >= 1) return to;
  const Course x = course(from.x.x, from.v.x, to.x.x, to.v.x, dt, share),
               y = course(from.x.y, from.v.y, to.x.y, to.v.y, dt, share),
               t = course(from.theta, from.omega, to.theta, to.omega, dt, share);
  return {{x.at, y.at}, {x.rate, y.rate}, t.at, t.rate};
}

// Of the step that is over after so many substeps as long as they are now.
SCREE_HD inline double share_after(const Frame& f, std::uint32_t substeps) {
  return f.begun + (1 - f.begun) * (static_cast<double>(substeps) / f.pace.substeps);
}

SCREE_HD inline Vec2d gravity_after(const World32& w, const Frame& f, std::uint32_t substeps) {
  return gravity_between(w.script[w.control->step].gravity, w.script[w.control->step + 1].gravity,
                         share_after(f, substeps));
}

SCREE_HD inline void set_velocity(Vec2d v, double omega, SolverBody& s) {
  s.v[0] = static_cast<float>(v.x), s.v[1] = static_cast<float>(v.y), s.v[2] = static_cast<float>(omega);
}

// Into the periodic box.
SCREE_HD inline void put(const World32& w, std::uint32_t k, Vec2d x, double theta) {
  std::array<std::int32_t, 2>& image = w.bodies.image[k];
  if (w.periodic.x) wrap_axis(w.periodic.box.lo.x, w.periodic.box.hi.x, x.x, image[0]);
  if (w.periodic.y) wrap_axis(w.periodic.box.lo.y, w.periodic.box.hi.y, x.y, image[1]);
  w.bodies.placed[k] = {x, theta, turned_by<float>(theta)};
}

// For links, which go by how bodies have moved.
SCREE_HD inline void note_move(Vec2d dx, double turn, SolverBody& s) {
  s.moved[0] += static_cast<float>(dx.x), s.moved[1] += static_cast<float>(dx.y);
  s.moved[2] += static_cast<float>(turn);
}

// Before what a body had without contacts is forgotten.
SCREE_HD inline void note_hit(const LinksView& l, std::uint32_t k) {
  const float *now = l.bodies[k].v, *then = l.kicked[k].v;
  if (now[0] != then[0] || now[1] != then[1] || now[2] != then[2]) l.hit[k] = 1;
}

// What a substep changes before anything moves, where it may be taken back.
struct KeepOutset {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : std::max(w.bodies.count, l.frame->links); }
  SCREE_HD void run(std::uint32_t k) const {
    if (k < w.bodies.count) {
      const float* v = l.bodies[k].v;
      l.outset[k] = {{v[0], v[1], v[2]}};
    }
    if (k >= l.frame->links) return;
    const SweptLink& p = l.swept[k];
    const SweptRow &r = p.row[0], &s = p.row[1];
    l.at_outset[k] = {{r.impulse, s.impulse}, {r.approach, s.approach}, {r.absorbed, s.absorbed},
                      p.tangent_impulse,      p.roll_impulse,           p.turn_impulse};
  }
};

// Whether bodies would come too far: the rest of the step takes shorter substeps, with a look of their own.
struct FindHaste {
  using Value = Speeds;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Speeds value(std::uint32_t k) const { return speeds_of(w, l, k); }
  SCREE_HD void finish(Speeds all) const {
    if (w.control->halt) return;
    add_walls(w, all);
    Frame& f = *l.frame;
    const double over = share_after(f, f.substep), left = l.dt * (1 - over);
    if (!hurry(all.approach(), left, shortest_substep(l.dt, l.settings), l.grains, f.pace)) return;
    f.begun = over;
    f.substep = 0;
    f.goes_on = 0;
    f.lost = f.again = 1;
    f.part = f.impacts;
  }
};

struct TakeBack {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const {
    return w.control->halt || l.frame->goes_on ? 0 : std::max(w.bodies.count, l.frame->links);
  }
  SCREE_HD void run(std::uint32_t k) const {
    if (k < w.bodies.count) {
      const float* v = l.outset[k].v;
      for (int r = 0; r < 3; ++r) l.bodies[k].v[r] = v[r];
      l.kicked[k] = l.outset[k];
    }
    if (k >= l.frame->links) return;
    SweptLink& p = l.swept[k];
    const Impulses& was = l.at_outset[k];
    for (int r = 0; r < 2; ++r) {
      SweptRow& row = p.row[r];
      row.impulse = was.of_row[r], row.approach = was.approach[r], row.absorbed = was.absorbed[r];
    }
    p.tangent_impulse = was.tangent, p.roll_impulse = was.roll, p.turn_impulse = was.turn;
  }
};

struct Kick {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    if (!obeys(w, k)) return;
    note_hit(l, k);
    const Vec2d dv = l.frame->pace.h * l.frame->gravity;
    float* v = l.bodies[k].v;
    v[0] += static_cast<float>(dv.x), v[1] += static_cast<float>(dv.y);
    l.kicked[k] = {{v[0], v[1], v[2]}};
  }
};

// Places by velocities, and what follows a motion.
struct Drift {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + w.walls.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t n = w.bodies.count;
    if (k >= n) return follow_wall(k - n);
    const BodyKind kind = w.bodies.moving[k].kind;
    if (kind == BodyKind::kinematic && w.driven_count > 0) return follow(k);
    if (kind != BodyKind::moving) return;
    SolverBody& s = l.bodies[k];
    const double h = l.frame->pace.h;
    const Vec2d dx{h * s.v[0], h * s.v[1]};
    const double turn = h * s.v[2];
    Placed<float> at = w.bodies.placed[k];
    put(w, k, at.x + dx, at.theta + turn);
    note_move(dx, turn, s);
    const double near = large_step::renewal * l.grains.radius / 4;
    const double way = std::hypot(s.moved[0], s.moved[1]) + body_radius(w, k) * std::abs(s.moved[2]);
    if (way > near) l.strayed[k] = 1;
  }

 private:
  SCREE_HD double share() const { return share_after(*l.frame, l.frame->substep + 1); }
  SCREE_HD void follow(std::uint32_t k) const {
    const auto place = static_cast<std::uint32_t>(w.bodies.driven[k]);
    const Driven& from = w.driven[w.control->step * w.driven_count + place];
    const Driven& to = w.driven[(w.control->step + 1) * w.driven_count + place];
    const Driving now =
        driven_between({unwrapped(w.periodic, from.x, from.image), from.v, from.theta, from.omega},
                       {unwrapped(w.periodic, to.x, to.image), to.v, to.theta, to.omega}, l.dt, share());
    SolverBody& s = l.bodies[k];
    const Placed<float> at = w.bodies.placed[k];
    const Vec2d dx = now.x - unwrapped(w.periodic, at.x, w.bodies.image[k]);
    note_move(dx, now.theta - at.theta, s);
    set_velocity(now.v, now.omega, s);
    if (norm2(dx) > 0 || now.theta != at.theta) l.strayed[k] = 1;
    if (share() >= 1) {
      w.bodies.image[k] = to.image;
      w.bodies.placed[k] = {to.x, to.theta, turned_by<float>(to.theta)};
    } else {
      put(w, k, at.x + dx, now.theta);
    }
  }

  SCREE_HD void follow_wall(std::uint32_t q) const {
    const WallState& from = w.walls.states[w.control->step * w.walls.count + q];
    const WallState& to = w.walls.states[(w.control->step + 1) * w.walls.count + q];
    const Driving now = driven_between({from.pose.x, from.velocity, from.pose.theta, from.omega},
                                       {to.pose.x, to.velocity, to.pose.theta, to.omega}, l.dt, share());
    WallState& wall = w.walls.now[q];
    const Vec2d dx = now.x - wall.pose.x;
    const double turn = now.theta - wall.pose.theta;
    SolverBody& s = l.bodies[w.bodies.count + q];
    note_move(dx, turn, s);
    set_velocity(now.v, now.omega, s);
    if (norm2(dx) > 0 || turn != 0) {
      l.strayed[w.bodies.count + q] = 1;
      raise_at(&l.frame->wall_step, bits_above(norm(dx) + std::abs(turn) * bits_float(l.wall_reach[q])));
    }
    wall = {{now.theta, now.x}, turned_by<double>(now.theta), now.v, now.omega};
    w.walls.views[q].x = now.x, w.walls.views[q].turn = wall.turn;
  }
};

// Whether something out of view may be met in the next substep.
struct FindAstray {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const Frame& f = *l.frame;
    const double h = f.pace.h, next = f.elapsed + 2 * h, steps = next / h;
    const SolverBody then = l.then[k], now = l.bodies[k];
    // Where the next substep leads to if nothing hinders it, less what was foreseen.
    const Vec2d fall = obeys(w, k) ? h * f.gravity_then : Vec2d{};
    const Vec2d x{now.moved[0] - then.moved[0] + h * now.v[0] - next * then.v[0],
                  now.moved[1] - then.moved[1] + h * now.v[1] - next * then.v[1]};
    const double turn = now.moved[2] - then.moved[2] + h * now.v[2] - next * then.v[2];
    const Vec2d off = x + h * fall - (0.5 * steps * (steps + 1) * h) * fall;
    if (!(norm(off) + body_radius(w, k) * std::abs(turn) <= l.room[k])) set_flag(&l.frame->astray, 1);
  }
};

// One thread.
struct EndSubstep {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    Frame& f = *l.frame;
    if (w.control->halt) {
      f.more = f.lost = f.again = f.part = 0;
      return;
    }
    f.elapsed += f.pace.h;
    f.wall_way += static_cast<double>(bits_float(f.wall_step));
    const bool over = f.elapsed + f.pace.h > f.horizon * (1 + 1e-9) || f.wall_way > f.wall_room;
    f.driven += f.driving;
    f.absorbed -= f.gain;
    ++f.substep, ++f.taken;
    f.kicks += f.pace.h * f.gravity;
    f.gravity = gravity_after(w, f, f.substep);
    f.more = f.substep < static_cast<std::uint32_t>(f.pace.substeps) ? 1 : 0;
    f.lost = f.again = f.more && (over || f.astray) ? 1 : 0;
    f.part = f.again && f.impacts ? 1 : 0;
    f.astray = f.wall_step = f.looked = 0;
  }
};

}  // namespace scree::gpu
