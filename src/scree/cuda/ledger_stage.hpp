#pragma once
// The ledger of a device step: what every contact did during a kick, added up in the order of indices.
#include "scree/cuda/body_stage.hpp"
#include "scree/force/work_kernel.hpp"

namespace scree::gpu {

template <class T>
SCREE_HD inline WorldGeometry<double> in_double(const WorldGeometry<T>& g) {
  const auto vec = [](Vec2<T> v) { return Vec2d{static_cast<double>(v.x), static_cast<double>(v.y)}; };
  return {static_cast<double>(g.gap),         vec(g.gap_x),  static_cast<double>(g.gap_theta_a),
          static_cast<double>(g.gap_theta_b), vec(g.normal), static_cast<double>(g.arm_a),
          static_cast<double>(g.arm_b)};
}
template <class T>
SCREE_HD inline ContactForce<double> in_double(const ContactForce<T>& f) {
  return {static_cast<double>(f.normal), static_cast<double>(f.tangential), static_cast<double>(f.spring),
          static_cast<double>(f.rotational)};
}

struct WorkSum {
  ContactWork contacts;
  double gravity = 0;  // done by gravity that turns
  double fallen = 0;   // sum of |work| of gravity
  SCREE_HD void merge(const WorkSum& o) {
    contacts += o.contacts;
    gravity += o.gravity;
    fallen += o.fallen;
  }
};

// A reduction, after the kick by `dt` of forces that are still there.
template <class T>
struct LedgerStage {
  using Value = WorkSum;
  WorldView<T> w;
  double dt = 0;
  std::uint32_t ahead = 0;    // of the script: when the forces were evaluated
  bool drifted = true;        // time has moved on since
  std::uint32_t written = 1;  // 1: contacts with walls were evaluated in this step, 0: in the last
  SCREE_HD bool skipped() const { return w.control->halt || (!written && w.control->begun); }
  SCREE_HD std::uint32_t count() const { return skipped() ? 0 : w.bodies.count; }

  SCREE_HD WorkSum value(std::uint32_t index) const {
    const std::uint32_t k = w.bodies.slot[index];
    WorkSum sum;
    for (std::uint32_t p = w.list.pair_first[k]; p < w.list.pair_first[k + 1]; ++p) {
      if (w.list.clear[p] < 0) add_pair(p, sum.contacts);
    }
    if (w.walls.count > 0 && w.walls.near_first[k + 1] > w.walls.near_first[k]) add_walls(k, sum.contacts);
    const Moving<T> m = w.bodies.moving[k];
    if (m.kind != BodyKind::moving) return sum;
    const Vec2d g = w.script[w.control->step + ahead].gravity;
    const double mass = w.types[m.type].mass;
    sum.fallen = std::abs(mass * dot(g, side(k).twist.v) * dt);
    if (drifted) {
      const Vec2d change = w.script[w.control->step + 1].gravity - w.script[w.control->step].gravity;
      const Vec2d x = unwrapped(w.periodic, w.bodies.placed[k].x, w.bodies.image[index]);
      sum.gravity = -mass * dot(change, x);
    }
    return sum;
  }

  SCREE_HD void finish(const WorkSum& sum) const {
    if (skipped()) return;
    StepWork& to = w.control->work;
    to.normal_damping += sum.contacts.normal_damping;
    // What the springs have lost, friction has taken.
    to.friction += sum.contacts.friction + (to.springs - sum.contacts.springs);
    to.springs = sum.contacts.springs;
    to.rotational += sum.contacts.rotational;
    to.wall += sum.contacts.driving;
    to.gravity += sum.gravity;
    to.moved += sum.contacts.moved + sum.fallen;
  }

 private:
  SCREE_HD WorkSide side(std::uint32_t k) const {
    const Moving<T> m = w.bodies.moving[k];
    if (m.kind == BodyKind::kinematic && w.driven_count > 0) {
      const std::int32_t place = w.bodies.driven[w.bodies.index[k]];
      const Driven& d = w.driven[(w.control->step + ahead) * w.driven_count + static_cast<std::uint32_t>(place)];
      return {{d.v, d.omega}, true};
    }
    if (m.kind != BodyKind::moving) return {{}, true};
    const MobilityOf<double>& mobility = w.types[m.type].exact_mobility;
    const double half = 0.5 * dt;
    const Vec2d v{static_cast<double>(m.v.x), static_cast<double>(m.v.y)};
    const Vec2d force{static_cast<double>(w.bodies.force[k].x), static_cast<double>(w.bodies.force[k].y)};
    return {{v - (half * mobility.inverse_mass) * force,
             static_cast<double>(m.omega) - half * mobility.inverse_inertia * static_cast<double>(w.bodies.torque[k])},
            false};
  }

  SCREE_HD void add_pair(std::uint32_t p, ContactWork& sum) const {
    const auto [a, b] = w.list.ends[p];
    const WorkSide of_a = side(a), of_b = side(b);
    const LawParameters<T>& law = w.pair(w.bodies.moving[a].type, w.bodies.moving[b].type).law;
    for (std::uint32_t s = p * w.list.several; s < (p + 1) * w.list.several; ++s) {
      if (w.list.memory[s].feature == none) return;
      const Record<T>& r = w.list.record[s];
      sum += contact_work(in_double(r.geometry), in_double(r.force), of_a, of_b, static_cast<double>(law.stiffness),
                          static_cast<double>(law.tangential_stiffness), dt);
    }
  }

  SCREE_HD void add_walls(std::uint32_t k, ContactWork& sum) const {
    const std::uint32_t first = w.walls.near_rank[k] * w.walls.slots;
    const WallMemory* memory = w.walls.memory[w.control->side ^ written] + first;
    const WorkSide grain = side(k);
    for (std::uint32_t s = 0; s < w.walls.slots && memory[s].wall >= 0; ++s) {
      const Record<double>& r = w.walls.record[first + s];
      const WallState& wall = w.walls.now[memory[s].wall];
      const WallPair& pair =
          w.walls.pairs[w.bodies.moving[k].type * w.walls.count + static_cast<std::uint32_t>(memory[s].wall)];
      sum += contact_work(r.geometry, r.force, WorkSide{{wall.velocity, wall.omega}, true}, grain, pair.law.stiffness,
                          pair.law.tangential_stiffness, dt);
    }
  }
};

}  // namespace scree::gpu
