#pragma once
// Bodies: sums of forces, kick and drift, motions, and what the list and the watchdog want to know of each.
#include "scree/cuda/pair_stage.hpp"
#include "scree/world/integrator_kernel.hpp"

namespace scree::gpu {

template <class T>
struct BodyStage {
  WorldView<T> w;
  bool gather = true;  // forces anew, of the pairs and walls as they were evaluated last
  double kick_dt = 0;
  double drift_dt = 0;
  std::uint32_t ahead = 0;  // steps of the script: 1 where forces are those at the end of the step

  SCREE_HD std::uint32_t count() const { return w.control->halt || (!gather && w.control->begun) ? 0 : w.bodies.count; }

  SCREE_HD void run(std::uint32_t k) const {
    if (stands_still(w, k)) return;
    Moving<T> m = w.bodies.moving[k];
    if (gather) add_up(k, m);
    if (m.kind == BodyKind::fixed || m.kind == gone) return;
    Placed<T> at = w.bodies.placed[k];
    if (m.kind == BodyKind::moving) {
      const MobilityOf<T> mobility = w.types[m.type].mobility;
      kick(m.v, m.omega, w.bodies.force[k], w.bodies.torque[k], mobility.inverse_mass, mobility.inverse_inertia,
           static_cast<T>(kick_dt));
      if (drift_dt > 0) {
        drift(at.x, at.theta, Vec2d{m.v.x, m.v.y}, static_cast<double>(m.omega), drift_dt);
        wrap(k, at.x);
      }
    } else if (drift_dt > 0 && w.driven_count > 0) {
      follow(k, at, m);
    }
    if (m.kind == BodyKind::moving) watch(k, at, m);
    w.bodies.moving[k] = m;
    if (drift_dt > 0) {
      at.turn = turned_by<T>(at.theta);
      w.bodies.placed[k] = at;
      track(k, at, m.type);
    }
  }

 private:
  // In the order of the CPU: gravity, partners of higher index, of lower index, walls.
  SCREE_HD void add_up(std::uint32_t k, const Moving<T>& m) const {
    const Vec2d g = gravity_of(w, k, ahead);
    const T mass = w.types[m.type].mass;
    Vec2<T> force = mass * Vec2<T>{static_cast<T>(g.x), static_cast<T>(g.y)};
    T torque = 0;
    const std::uint32_t first = w.list.row_first[k], end = w.list.row_first[k + 1];
    const std::uint32_t owned = w.list.pair_first[k + 1] - w.list.pair_first[k];
    for (std::uint32_t e = end - owned; e < end; ++e) add_pair(w.list.row[e], force, torque);
    for (std::uint32_t e = first; e < end - owned; ++e) add_pair(w.list.row[e], force, torque);
    if (w.walls.count > 0 && w.walls.near_first[k + 1] > w.walls.near_first[k]) {
      const WallWrench& of_walls = w.walls.wrench[w.walls.near_rank[k]];
      force += Vec2<T>{static_cast<T>(of_walls.force.x), static_cast<T>(of_walls.force.y)};
      torque += static_cast<T>(of_walls.torque);
    }
    w.bodies.force[k] = force;
    w.bodies.torque[k] = torque;
  }

  SCREE_HD void add_pair(std::uint32_t entry, Vec2<T>& force, T& torque) const {
    const std::uint32_t p = entry >> 1;
    if (!(w.list.clear[p] < 0)) return;
    const Wrench<T> wrench = w.list.wrench[p];
    if (entry & 1) {
      force += wrench.force;
      torque += wrench.torque_b;
    } else {
      force -= wrench.force;
      torque += wrench.torque_a;
    }
  }

  SCREE_HD void wrap(std::uint32_t k, Vec2d& x) const {
    if (!w.periodic.x && !w.periodic.y) return;
    std::array<std::int32_t, 2>& image = w.bodies.image[w.bodies.index[k]];
    if (w.periodic.x) wrap_axis(w.periodic.box.lo.x, w.periodic.box.hi.x, x.x, image[0]);
    if (w.periodic.y) wrap_axis(w.periodic.box.lo.y, w.periodic.box.hi.y, x.y, image[1]);
  }

  // A kinematic body is where its motion has it at the end of the step.
  SCREE_HD void follow(std::uint32_t k, Placed<T>& at, Moving<T>& m) const {
    const std::uint32_t index = w.bodies.index[k];
    const std::int32_t place = w.bodies.driven[index];
    const std::uint32_t row = (w.control->step + 1) * w.control->row_step;
    const Driven& d = w.driven[row * w.driven_count + static_cast<std::uint32_t>(place)];
    at.x = d.x;
    at.theta = d.theta;
    w.bodies.image[index] = d.image;
    m.v = {static_cast<T>(d.v.x), static_cast<T>(d.v.y)};
    m.omega = static_cast<T>(d.omega);
  }

  SCREE_HD void track(std::uint32_t k, const Placed<T>& at, std::uint16_t type) const {
    const double way = norm(separation(w.periodic, w.bodies.built_at[k], at.x));
    const double turned = static_cast<double>(w.types[type].radius) * std::abs(at.theta - w.bodies.built_theta[k]);
    w.bodies.moved[k] = static_cast<float>(way + turned) * (1 + 2 * rounding);
    raise(&w.control->farthest, float_bits(static_cast<float>(way) * (1 + 2 * rounding)));
  }

  SCREE_HD void watch(std::uint32_t k, const Placed<T>& at, Moving<T>& m) const {
    const float speed = static_cast<float>(norm(m.v) + std::abs(m.omega) * w.types[m.type].radius);
    raise(&w.control->fastest, float_bits(speed));
    const bool finite = std::isfinite(at.x.x + at.x.y + at.theta) && std::isfinite(speed);
    const bool fault = w.limits.watch && (!finite || speed > w.limits.speed || !w.limits.bounds.contains(at.x));
    if (fault) blame(w, k);
    // As at the beginning of the next step on the CPU.
    for (std::uint32_t z = 0; z < w.zone_count; ++z) {
      if (w.zones[z].box.contains(at.x) != w.zones[z].outside) m.kind = gone;
    }
  }
};

// One thread, before the stages of a step: is the list still good?
template <class T>
struct BeginStep {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    c.rebuild = 0;
    if (c.halt) return;
    c.begun = 1;
    const float move = bits_float(c.farthest), of_walls = bits_float(c.walls_moved);
    if (move + (of_walls > move ? of_walls : move) > w.limits.skin) c.stale = 1;
    c.rebuild = c.stale;
    c.deepest_place = 0;
    c.deepest = c.fastest = c.faults = c.queries = c.walls_moved = c.tile = 0;
    for (std::uint32_t& pairs : c.touching) pairs = 0;
  }
};

// One thread, after them.
template <class T>
struct EndStep {
  WorldView<T> w;
  bool record = false;  // its contacts
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    ++c.step;
    c.begun = 0;
    c.recorded = record ? 1 : 0;
    c.side ^= 1u;
    for (const std::uint32_t pairs : c.touching) c.queries += pairs;
    const bool deep = w.limits.watch && w.many.count == 0 && !(bits_float(c.deepest) <= w.limits.overlap);
    if ((c.faults & 1) || deep) c.halt |= halt_fault;
    if (c.faults & 4) c.halt |= halt_crowded;
    if (c.step >= c.steps) c.halt |= halt_done;
  }
};

}  // namespace scree::gpu
