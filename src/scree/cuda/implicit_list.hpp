#pragma once
// The list of pairs for large steps: as list_stages.hpp, with a skin that follows the speeds, and bodies that stay in
// their order. Pairs remember nothing.
#include "scree/cuda/cell_stages.hpp"
#include "scree/cuda/implicit_views.hpp"
#include "scree/cuda/wall_stage.hpp"

namespace scree::gpu {

SCREE_HD inline World32 with_skin(const World32& w, const LinksView& l) {
  World32 wide = w;
  wide.limits.skin = l.frame->skin;
  return wide;
}

struct LayOutWideCells {
  using Value = Extent;
  World32 w;
  BuildView<float> b;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD Extent value(std::uint32_t k) const { return LayOutCells<float>{w, b}.value(k); }
  SCREE_HD void finish(const Extent& e) const {
    if (w.control->halt) return;
    BuildView<float> wide = b;
    wide.cell_width = 2 * l.widest + l.frame->skin;
    LayOutCells<float>{w, wide}.finish(e);
  }
};

// By body: partners of a higher index. Bodies are visited by cell.
struct CountHigher {
  World32 w;
  BuildView<float> b;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    if (k == w.bodies.count) {
      l.count[k] = 0;
      return;
    }
    const std::uint32_t own = b.order[k];
    const auto slot = [&](std::uint32_t at) { return b.order[at]; };
    std::uint32_t higher = 0;
    for_partners(with_skin(w, l), b, k, slot, [&](std::uint32_t other) { higher += b.order[other] > own ? 1 : 0; });
    l.count[own] = higher;
  }
};

struct CountWalls {
  World32 w;
  BuildView<float> b;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    std::uint32_t found = 0;
    if (k < w.bodies.count) find_near_walls(with_skin(w, l), k, [&](const NearWall&) { ++found; });
    b.near_count[k] = found;
    b.near_some[k] = found > 0 ? 1 : 0;
  }
};

// One thread, when the sums are there.
struct CheckPairs {
  World32 w;
  BuildView<float> b;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    const std::uint32_t n = w.bodies.count;
    const bool walls = w.walls.count > 0;
    c.wanted = {0, l.count[n], walls ? b.near_some[n] : 0, walls ? b.near_count[n] : 0};
    if (c.wanted.pairs > b.pair_capacity || c.wanted.near > b.near_capacity || c.wanted.entries > b.entry_capacity) {
      c.halt |= halt_grow;
      return;
    }
    c.pairs = c.wanted.pairs;
    c.near = c.wanted.near;
    c.stale = 0;
    ++c.rebuilds;
  }
};

// Pairs of each body, by the index of the higher one.
struct FillHigher {
  World32 w;
  BuildView<float> b;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t own = b.order[k], first = l.count[own];
    const auto slot = [&](std::uint32_t at) { return b.order[at]; };
    std::uint32_t size = 0;
    for_partners(with_skin(w, l), b, k, slot, [&](std::uint32_t found) {
      const std::uint32_t other = b.order[found];
      if (other <= own) return;
      std::uint32_t at = first + size++;
      for (; at > first && w.list.ends[at - 1][1] > other; --at) w.list.ends[at] = w.list.ends[at - 1];
      w.list.ends[at] = {own, other};
    });
  }
};

struct FinishPairs {
  World32 w;
  BuildView<float> b;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    w.list.pair_first[k] = l.count[k];
    const bool walls = w.walls.count > 0;
    if (walls) w.walls.near_first[k] = b.near_count[k], w.walls.near_rank[k] = b.near_some[k];
    if (k == w.bodies.count) return;
    w.bodies.built_at[k] = w.bodies.placed[k].x;
    if (!walls) return;
    std::uint32_t at = b.near_count[k];
    const std::uint32_t first = at;
    find_near_walls(with_skin(w, l), k, [&](const NearWall& near) { w.walls.entries[at++] = near; });
    if (at > first) w.walls.near_body[b.near_some[k]] = k;
  }
};

}  // namespace scree::gpu
