#pragma once
// Grains and walls. Few grains are near one, so these stages run over a list of those, in double precision: the
// functions are those of the CPU.
#include "scree/contact/wall_probe_kernel.hpp"
#include "scree/cuda/list_stages.hpp"
#include "scree/world/motion.hpp"

namespace scree::gpu {

// Where the walls are at the beginning of a step, or at its end.
template <class T>
struct PlaceWalls {
  WorldView<T> w;
  double dt = 0;
  std::uint32_t ahead = 0;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.walls.total; }
  SCREE_HD void run(std::uint32_t k) const {
    if (world_stands_still(w, k / w.walls.count)) return;
    const std::uint32_t row = (w.control->step + ahead) * w.control->row_step;
    const bool glides = w.walls.glides && w.walls.glides[k].on;
    const WallState s = glides ? glide(w.walls.glides[k]) : w.walls.states[row * w.walls.total + k];
    WallView& view = w.walls.views[k];
    w.walls.now[k] = s;
    view.x = s.pose.x;
    view.turn = s.turn;
    const double way = wall_move(view.kind, s.pose, w.walls.built_at[k], w.walls.extent[k], w.walls.farthest[k]);
    raise(&w.control->walls_moved, float_bits(static_cast<float>(way) * (1 + 2 * rounding)));
  }

 private:
  SCREE_HD WallState glide(const WallGlide& g) const {
    const double time = g.origin + (g.first + (w.control->before + (w.control->step + ahead))) * dt;
    const MotionState state = steady_motion(time - g.start, g.centre, g.velocity, g.omega);
    const Pose2d pose = state.apply(g.anchor);
    return {pose, Rotation2d(pose.theta), state.velocity_at(pose.x), g.omega};
  }
};

// When the list is built, after the cells are laid out: elements in the world, and how far a grain may be.
template <class T>
struct PlaceElements {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return w.walls.total; }
  SCREE_HD void run(std::uint32_t k) const {
    const WallState& s = w.walls.now[k];
    PlacedWallView& to = w.walls.placed[k];
    const WallView& wall = w.walls.views[k];
    to.normal = s.turn * wall.normal;
    to.x = s.pose.x;
    Extent all;
    PlacedElement* elements = w.walls.elements + (to.elements - w.walls.elements);
    for (int e = 0; e < to.element_count; ++e) {
      elements[e] = scree::placed(wall.elements[e], s.pose);
      all.merge({elements[e].box.lo, elements[e].box.hi});
    }
    to.box = {all.lo, all.hi};
    const Cells& cells = w.control->cells;  // every grain is in one
    const Vec2d lo = cells.origin - s.pose.x,
                hi = lo + Vec2d{cells.size.x * cells.count[0], cells.size.y * cells.count[1]};
    const Vec2d far{std::abs(lo.x) > std::abs(hi.x) ? lo.x : hi.x, std::abs(lo.y) > std::abs(hi.y) ? lo.y : hi.y};
    w.walls.farthest[k] = norm(far);
    w.walls.built_at[k] = s.pose;
  }
};

template <class T, class Sink>
SCREE_HD inline void find_near_walls(const WorldView<T>& w, std::uint32_t slot, Sink&& sink) {
  const Moving<T> m = w.bodies.moving[slot];
  if (m.kind != BodyKind::moving || stands_still(w, slot)) return;
  near_walls(w.periodic, w.walls.placed + world_of(w, slot) * w.walls.count, static_cast<int>(w.walls.count),
             w.bodies.placed[slot].x, w.bodies.image[w.bodies.index[slot]], w.types[m.type].exact_radius, w.limits.skin,
             sink);
}

// By new slot, while bodies are still in the old order; sums are made of these.
template <class T>
struct CountNearWalls {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    std::uint32_t found = 0;
    if (k < w.bodies.count) find_near_walls(w, b.order[k], [&](const NearWall&) { ++found; });
    b.near_count[k] = found;
    b.near_some[k] = found > 0 ? 1 : 0;
  }
};

// Copies, and the new sums.
template <class T>
struct KeepNearWalls {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    b.old_near_first[k] = w.walls.near_first[k];
    b.old_near_rank[k] = w.walls.near_rank[k];
    w.walls.near_first[k] = b.near_count[k];
    w.walls.near_rank[k] = b.near_some[k];
  }
};

template <class T>
struct KeepWallMemory {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->old_near * w.walls.slots; }
  SCREE_HD void run(std::uint32_t k) const { b.old_wall_memory[k] = w.walls.memory[w.control->side][k]; }
};

// When bodies are in their new order.
template <class T>
struct FillNearWalls {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    std::uint32_t at = w.walls.near_first[k];
    if (w.walls.near_first[k + 1] == at) return;
    find_near_walls(w, k, [&](const NearWall& near) { w.walls.entries[at++] = near; });
    const std::uint32_t rank = w.walls.near_rank[k], old = b.order[k];
    w.walls.near_body[rank] = k;
    const bool had = b.old_near_first[old + 1] > b.old_near_first[old];
    WallMemory* memory = w.walls.memory[w.control->side] + rank * w.walls.slots;
    if (w.many.count > 0 && w.many.state[world_of(w, k)] != none) return take_up_walls(w, k, memory);
    for (std::uint32_t s = 0; s < w.walls.slots; ++s)
      memory[s] = had ? b.old_wall_memory[b.old_near_rank[old] * w.walls.slots + s] : WallMemory{};
  }
};

// Contacts of one grain with walls -> its wrench.
template <class T, class Law>
struct WallStage {
  WorldView<T> w;
  double dt = 0;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->near; }

  SCREE_HD void run(std::uint32_t rank) const {
    const std::uint32_t k = w.walls.near_body[rank], first = w.walls.near_first[k];
    if (stands_still(w, k)) return;
    const Moving<T> m = w.bodies.moving[k];
    const TypeView<T>& type = w.types[m.type];
    const Placed<T>& at = w.bodies.placed[k];
    const GrainView grain{at.x, w.bodies.image[w.bodies.index[k]], type.exact_radius, turned_by<double>(at.theta),
                          w.walls.shapes[type.shape]};
    const std::uint32_t first_wall = world_of(w, k) * w.walls.count;
    Sum sum{*this, m, k, rank, first_wall};
    if (m.kind == BodyKind::moving)
      probe_walls(grain, w.periodic, w.walls.views + first_wall, w.walls.entries + first,
                  static_cast<int>(w.walls.near_first[k + 1] - first), 0.0, sum);
    w.walls.wrench[rank] = sum.wrench;
    const std::uint32_t kept = sum.found < w.walls.slots ? sum.found : w.walls.slots;
    for (std::uint32_t s = kept; s < w.walls.slots; ++s) written(rank)[s].wall = -1;
    if (w.many.count == 0) {
      raise(&w.control->most_wall_contacts, sum.found);
    } else if (sum.found > w.walls.slots) {
      note_crowd(w, k);
    }
  }

 private:
  SCREE_HD const WallMemory* before(std::uint32_t rank) const {
    return w.walls.memory[w.control->side] + rank * w.walls.slots;
  }
  SCREE_HD WallMemory* written(std::uint32_t rank) const {
    return w.walls.memory[w.control->side ^ 1u] + rank * w.walls.slots;
  }

  SCREE_HD double spring_of(std::uint32_t rank, const WallTouch& now) const {
    const WallMemory* old = before(rank);
    for (std::uint32_t s = 0; s < w.walls.slots && old[s].wall >= 0; ++s) {
      if (old[s].wall != now.wall || old[s].feature != now.feature) continue;
      const double along = dot(old[s].normal, now.geometry.normal);
      return along > 0 ? old[s].spring * along : 0;
    }
    return 0;
  }

  struct Sum {
    const WallStage& stage;
    const Moving<T>& m;
    std::uint32_t slot;
    std::uint32_t rank;
    std::uint32_t first_wall;  // of its world
    WallWrench wrench{};
    std::uint32_t found = 0;

    SCREE_HD void operator()(const WallTouch& touch) {
      const WorldView<T>& w = stage.w;
      const WallState& wall = w.walls.now[first_wall + static_cast<std::uint32_t>(touch.wall)];
      const WallPair& pair = w.walls.pairs[m.type * w.walls.count + static_cast<std::uint32_t>(touch.wall)];
      const WorldGeometry<double>& g = touch.geometry;
      const TwistOf<double> grain{{static_cast<double>(m.v.x), static_cast<double>(m.v.y)},
                                  static_cast<double>(m.omega)};
      const ContactForce<double> f =
          contact_force<Law>(g, TwistOf<double>{wall.velocity, wall.omega}, grain, MobilityOf<double>{},
                             w.types[m.type].exact_mobility, pair.law, stage.spring_of(rank, touch), stage.dt);
      const Wrench<double> on_grain = wrench_of(g, f);
      wrench.force += on_grain.force;
      wrench.torque += on_grain.torque_b;
      note_overlap(w, slot, static_cast<float>(-g.gap / pair.overlap_limit));
      const std::uint32_t place = found++;
      if (place >= w.walls.slots) return;
      stage.written(rank)[place] = {touch.wall, touch.feature, f.spring, g.normal};
      w.walls.record[rank * w.walls.slots + place] = {g, f};
    }
  };
};

}  // namespace scree::gpu
