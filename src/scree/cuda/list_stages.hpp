#pragma once
// The list of pairs, built on the device. Until the capacities are known to suffice nothing of the old list is touched:
// a build that must wait for larger arrays begins anew.
//
// In this order: bounds -> cells; key of each body; sort; ranges of the cells; numbers of partners; sums of those;
// check; bodies into their new order; rows; pairs with the memory of the old ones.
#include "scree/cuda/pair_stage.hpp"

namespace scree::gpu {

// What is needed while a list is built.
template <class T>
struct BuildView {
  std::uint32_t* key = nullptr;    // cell by old slot; then sorted
  std::uint32_t* order = nullptr;  // old slot by new slot
  std::uint32_t* cell_first = nullptr;
  std::uint32_t* cell_end = nullptr;
  std::uint32_t* partner = nullptr;  // rows of new slots, by index
  std::uint32_t cell_capacity = 0;
  std::uint32_t row_capacity = 0;
  std::uint32_t pair_capacity = 0;
  double cell_width = 0;   // at least
  BodyView<T> old_bodies;  // copies
  ListView<T> old_list;
  std::uint32_t* near_count = nullptr;  // bodies + 1: as WallsView::near_first and near_rank, to come
  std::uint32_t* near_some = nullptr;
  std::uint32_t* old_near_first = nullptr;  // copies
  std::uint32_t* old_near_rank = nullptr;
  WallMemory* old_wall_memory = nullptr;
  std::uint32_t near_capacity = 0;
  std::uint32_t entry_capacity = 0;
};

struct Extent {
  Vec2d lo{1e300, 1e300};
  Vec2d hi{-1e300, -1e300};
  SCREE_HD void merge(const Extent& o) {
    lo = {lo.x < o.lo.x ? lo.x : o.lo.x, lo.y < o.lo.y ? lo.y : o.lo.y};
    hi = {hi.x > o.hi.x ? hi.x : o.hi.x, hi.y > o.hi.y ? hi.y : o.hi.y};
  }
};

// A reduction: value() of all bodies, merged, then finish().
template <class T>
struct LayOutCells {
  using Value = Extent;
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD Extent value(std::uint32_t k) const {
    const Vec2d x = w.bodies.placed[k].x;
    return std::isfinite(x.x + x.y) ? Extent{x, x} : Extent{};
  }
  SCREE_HD void finish(Extent e) const {
    if (w.periodic.x) e.lo.x = w.periodic.box.lo.x, e.hi.x = w.periodic.box.hi.x;
    if (w.periodic.y) e.lo.y = w.periodic.box.lo.y, e.hi.y = w.periodic.box.hi.y;
    const double most = b.cell_capacity;
    const Vec2d extent = e.lo.x <= e.hi.x && e.lo.y <= e.hi.y ? e.hi - e.lo : Vec2d{};
    double width = b.cell_width > 1e-300 ? b.cell_width : 1e-300;
    const double crowd = std::sqrt(extent.x * extent.y / most);
    const double longer = extent.x > extent.y ? extent.x : extent.y;
    width = width > crowd ? width : crowd;
    width = width > longer / most ? width : longer / most;
    Cells& cells = w.control->cells;
    cells.origin = e.lo;
    cells.count = {along(extent.x, width), along(extent.y, width)};
    const double least = width * 1e-9, x = extent.x / cells.count[0], y = extent.y / cells.count[1];
    cells.size = {x > least ? x : least, y > least ? y : least};
  }
  SCREE_HD static std::int32_t along(double length, double width) {
    const auto n = static_cast<std::int32_t>(std::floor(length / width));
    return n > 1 ? n : 1;
  }
};

SCREE_HD inline std::int32_t cell_axis(double p, double origin, double size, std::int32_t count, bool wraps) {
  const double cell = std::floor((p - origin) / size), n = count;
  const double inside = wraps ? cell - n * std::floor(cell / n) : cell;
  return static_cast<std::int32_t>(inside > 0 ? (inside < n - 1 ? inside : n - 1) : 0);  // 0 for what is no number
}

template <class T>
SCREE_HD inline std::array<std::int32_t, 2> cell_of(const WorldView<T>& w, Vec2d x) {
  const Cells& c = w.control->cells;
  return {cell_axis(x.x, c.origin.x, c.size.x, c.count[0], w.periodic.x),
          cell_axis(x.y, c.origin.y, c.size.y, c.count[1], w.periodic.y)};
}

template <class T>
struct FindKeys {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const auto cell = cell_of(w, w.bodies.placed[k].x);
    b.key[k] = static_cast<std::uint32_t>(cell[1] * w.control->cells.count[0] + cell[0]);
    b.order[k] = k;
  }
};

template <class T>
struct ClearCells {
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return b.cell_capacity + 1; }
  SCREE_HD void run(std::uint32_t c) const { b.cell_first[c] = b.cell_end[c] = 0; }
};

// After the sort.
template <class T>
struct FindCells {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t c = b.key[k];
    if (k == 0 || b.key[k - 1] != c) b.cell_first[c] = k;
    if (k + 1 == w.bodies.count || b.key[k + 1] != c) b.cell_end[c] = k + 1;
  }
};

// Calls found(new slot) for the bodies whose bounding circles are within the skin of that of `k`, both new slots.
// old_slot: where the bodies' arrays have them.
template <class T, class OldSlot, class Found>
SCREE_HD inline void for_partners(const WorldView<T>& w, const BuildView<T>& b, std::uint32_t k, OldSlot old_slot,
                                  Found&& found) {
  const std::uint32_t own = old_slot(k);
  const Vec2d x = w.bodies.placed[own].x;
  const Moving<T> m = w.bodies.moving[own];
  const auto cell = cell_of(w, x);
  const auto& n = w.control->cells.count;
  const auto axis = [](std::int32_t c, std::int32_t count, bool wraps, std::int32_t* out) {
    int size = 0;
    for (std::int32_t d = -1; d <= 1; ++d) {
      std::int32_t at = c + d;
      if (wraps) at = (at + count) % count;
      if (at < 0 || at >= count) continue;
      bool known = false;
      for (int q = 0; q < size; ++q) known = known || out[q] == at;
      if (!known) out[size++] = at;
    }
    return size;
  };
  std::int32_t xs[3], ys[3];
  const int nx = axis(cell[0], n[0], w.periodic.x, xs), ny = axis(cell[1], n[1], w.periodic.y, ys);
  for (int i = 0; i < ny; ++i)
    for (int j = 0; j < nx; ++j) {
      const auto c = static_cast<std::uint32_t>(ys[i] * n[0] + xs[j]);
      for (std::uint32_t other = b.cell_first[c]; other < b.cell_end[c]; ++other) {
        if (other == k) continue;
        const std::uint32_t o = old_slot(other);
        const Moving<T> mo = w.bodies.moving[o];
        if (m.kind != BodyKind::moving && mo.kind != BodyKind::moving) continue;
        const double reach = static_cast<double>(w.types[m.type].radius) + w.types[mo.type].radius + w.limits.skin;
        if (norm2(separation(w.periodic, x, w.bodies.placed[o].x)) < reach * reach) found(other);
      }
    }
}

// Lengths of rows, in row_first and pair_first of the list to come: sums are made of them in place. Into the old list's
// arrays, which are copies by then.
template <class T>
struct CountPartners {
  WorldView<T> w;
  BuildView<T> b;
  std::uint32_t* rows = nullptr;   // bodies + 1
  std::uint32_t* owned = nullptr;  // bodies + 1
  SCREE_HD std::uint32_t count() const { return w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    if (k == w.bodies.count) {
      rows[k] = owned[k] = 0;
      return;
    }
    std::uint32_t all = 0, above = 0;
    const auto old_slot = [&](std::uint32_t slot) { return b.order[slot]; };
    const std::uint32_t index = w.bodies.index[b.order[k]];
    for_partners(w, b, k, old_slot, [&](std::uint32_t other) {
      ++all;
      above += w.bodies.index[b.order[other]] > index ? 1 : 0;
    });
    rows[k] = all;
    owned[k] = above;
  }
};

// One thread, when the sums are there.
template <class T>
struct CheckCapacity {
  WorldView<T> w;
  BuildView<T> b;
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* owned = nullptr;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    const std::uint32_t n = w.bodies.count;
    c.wanted = {rows[n], owned[n], w.walls.count > 0 ? b.near_some[n] : 0, w.walls.count > 0 ? b.near_count[n] : 0};
    if (c.wanted.rows > b.row_capacity || c.wanted.pairs > b.pair_capacity || c.wanted.near > b.near_capacity ||
        c.wanted.entries > b.entry_capacity) {
      c.halt |= halt_grow;
      return;
    }
    c.old_pairs = c.pairs;
    c.old_near = c.near;
    c.pairs = c.wanted.pairs;
    c.near = c.wanted.near;
  }
};

template <class T>
struct KeepBodies {  // copies
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    b.old_list.row_first[k] = w.list.row_first[k];
    if (k == w.bodies.count) return;
    b.old_bodies.placed[k] = w.bodies.placed[k];
    b.old_bodies.moving[k] = w.bodies.moving[k];
    b.old_bodies.index[k] = w.bodies.index[k];
    b.old_bodies.force[k] = w.bodies.force[k];
    b.old_bodies.torque[k] = w.bodies.torque[k];
  }
};

template <class T>
struct KeepPairs {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->old_pairs; }
  SCREE_HD void run(std::uint32_t p) const {
    b.old_list.ends[p] = w.list.ends[p];
    b.old_list.clear[p] = w.list.clear[p];
    if (!(w.list.clear[p] < 0)) return;
    for (std::uint32_t s = 0; s < w.list.several; ++s)
      b.old_list.memory[p * w.list.several + s] = w.list.memory[p * w.list.several + s];
  }
};

template <class T>
struct KeepRows {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.list.row_first[w.bodies.count]; }
  SCREE_HD void run(std::uint32_t e) const { b.old_list.row[e] = w.list.row[e]; }
};

template <class T>
struct OrderBodies {
  WorldView<T> w;
  BuildView<T> b;
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* owned = nullptr;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    w.list.row_first[k] = rows[k];
    w.list.pair_first[k] = owned[k];
    if (k == w.bodies.count) return;
    const std::uint32_t from = b.order[k];
    const Placed<T> at = b.old_bodies.placed[from];
    w.bodies.placed[k] = at;
    w.bodies.moving[k] = b.old_bodies.moving[from];
    w.bodies.index[k] = b.old_bodies.index[from];
    w.bodies.slot[w.bodies.index[k]] = k;
    w.bodies.force[k] = b.old_bodies.force[from];
    w.bodies.torque[k] = b.old_bodies.torque[from];
    w.bodies.built_at[k] = at.x;
    w.bodies.built_theta[k] = at.theta;
    w.bodies.moved[k] = 0;
  }
};

// Partners of each body by index.
template <class T>
struct FillRows {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    std::uint32_t* row = b.partner + w.list.row_first[k];
    std::uint32_t size = 0;
    const auto same = [](std::uint32_t slot) { return slot; };
    for_partners(w, b, k, same, [&](std::uint32_t other) {
      const std::uint32_t index = w.bodies.index[other];
      std::uint32_t at = size++;
      for (; at > 0 && w.bodies.index[row[at - 1]] > index; --at) row[at] = row[at - 1];
      row[at] = other;
    });
  }
};

// Pairs of the rows, and what the old list remembers of them.
template <class T>
struct FillPairs {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t first = w.list.row_first[k], end = w.list.row_first[k + 1];
    const std::uint32_t pairs = w.list.pair_first[k + 1] - w.list.pair_first[k], above = end - pairs;
    for (std::uint32_t e = first; e < end; ++e) {
      const std::uint32_t other = b.partner[e];
      const bool own = e >= above;
      const std::uint32_t p = own ? w.list.pair_first[k] + (e - above) : pair_of(other, k);
      const std::uint32_t lower = own ? k : other, higher = own ? other : k;
      const PairView<T>& types = w.pair(w.bodies.moving[lower].type, w.bodies.moving[higher].type);
      const bool lower_is_a = types.lower_is_a;
      const bool is_b = own ? !lower_is_a : lower_is_a;
      w.list.row[e] = p << 1 | (is_b ? 1u : 0u);
      if (!own) continue;
      w.list.ends[p] =
          lower_is_a ? std::array<std::uint32_t, 2>{lower, higher} : std::array<std::uint32_t, 2>{higher, lower};
      remember(p, k, other);
      if (!w.list.near) continue;
      w.list.near[p] = 0;
      w.list.parts_clear[p] = types.kind >= MapKind::star ? 0 : 3e38f;
    }
  }

 private:
  // The pair of `lower` with `higher`, new slots.
  SCREE_HD std::uint32_t pair_of(std::uint32_t lower, std::uint32_t higher) const {
    const std::uint32_t end = w.list.row_first[lower + 1], first = w.list.pair_first[lower],
                        pairs = w.list.pair_first[lower + 1] - first;
    std::uint32_t rank = 0;
    while (rank < pairs && b.partner[end - pairs + rank] != higher) ++rank;
    return first + rank;
  }

  SCREE_HD void remember(std::uint32_t p, std::uint32_t k, std::uint32_t other) const {
    const std::uint32_t own = b.order[k], partner = b.order[other];
    w.list.clear[p] = 0;
    for (std::uint32_t e = b.old_list.row_first[own]; e < b.old_list.row_first[own + 1]; ++e) {
      const std::uint32_t old = b.old_list.row[e] >> 1;
      const auto ends = b.old_list.ends[old];
      if (ends[0] != partner && ends[1] != partner) continue;
      if (!(b.old_list.clear[old] < 0)) return;
      w.list.clear[p] = -1;
      for (std::uint32_t s = 0; s < w.list.several; ++s)
        w.list.memory[p * w.list.several + s] = b.old_list.memory[old * w.list.several + s];
      return;
    }
  }
};

template <class T>
struct FinishList {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    w.control->stale = 0;
    w.control->farthest = 0;
    ++w.control->rebuilds;
  }
};

}  // namespace scree::gpu
