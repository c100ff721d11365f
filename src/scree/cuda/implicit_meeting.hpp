#pragma once
// The fastest meeting that a step may have, for the watchdog: looked for where speeds ask for more substeps than there
// may be.
#include "scree/cuda/implicit_look.hpp"

namespace scree::gpu {

// A list that reaches as far as bodies come in a step; or none, where it would be too long.
struct PrepareMeeting {
  using Value = View;
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD View value(std::uint32_t k) const { return Observe{w, l}.value(k); }
  SCREE_HD void finish(View all) const {
    Frame& f = *l.frame;
    f.rebuild = 0;
    if (w.control->halt) return;
    add_walls(w, all.speeds);
    const double approach = all.speeds.approach(), g = norm(f.gravity);
    const int most = l.settings.substeps > 0 ? l.settings.substeps : l.settings.most_substeps;
    f.wall_speed = all.speeds.wall;
    f.met_speed = 0;
    if (approach * l.dt > 2 * most * l.grains.stride) {
      f.met_speed = approach;  // it is not known whether anything meets like that
      return;
    }
    const double wide = approach * l.dt + g * l.dt * l.dt;
    if (!w.control->stale && closer_since(w, all) + wide <= f.skin) return;
    w.control->stale = f.rebuild = 1;
    f.skin = list_margin * wide;
  }
};

SCREE_HD inline void note_meeting(const LinksView& l, double speed, std::uint32_t body) {
  raise_at(&l.frame->meeting, static_cast<std::uint64_t>(float_bits(static_cast<float>(speed))) << 32 | ~body);
}

struct MeetPairs {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt || l.frame->met_speed > 0 ? 0 : w.control->pairs; }
  SCREE_HD void run(std::uint32_t p) const {
    const auto [i, j] = w.list.ends[p];
    if (!may_meet(w, i, j)) return;
    const double speed = relative_speed(w, l, i, j), fall = norm(l.frame->gravity) * l.dt * l.dt;
    const double way = speed * l.dt + (obeys(w, i) && obeys(w, j) ? 0 : fall);
    if (distance(w, i, j) - reach_of(w, i, j) <= way) note_meeting(l, speed, obeys(w, i) ? i : j);
  }
};

// Bodies with walls; or alone, where no list was made.
struct MeetWalls {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const Frame& f = *l.frame;
    const double speed = own_speed(w, l, k);
    if (f.met_speed > 0) return note_meeting(l, speed, k);
    bool any = false;
    const double at_wall = speed + f.wall_speed;
    touch_walls(w, k, at_wall * l.dt + norm(f.gravity) * l.dt * l.dt, [&](const WallTouch&) { any = true; });
    if (any) note_meeting(l, at_wall, k);
  }
};

}  // namespace scree::gpu
