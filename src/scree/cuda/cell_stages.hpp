#pragma once
// Bodies into cells, the first half of building a list: bounds -> cells; key of each body; sort; ranges of the cells.
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
  std::uint32_t* rows = nullptr;     // bodies + 1: as ListView::row_first and pair_first, to come
  std::uint32_t* owned = nullptr;
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
    const bool there = w.bodies.moving[k].kind != gone && std::isfinite(x.x + x.y) && !stands_still(w, k);
    return there ? Extent{x, x} : Extent{};
  }
  SCREE_HD void finish(Extent e) const {
    if (w.periodic.x) e.lo.x = w.periodic.box.lo.x, e.hi.x = w.periodic.box.hi.x;
    if (w.periodic.y) e.lo.y = w.periodic.box.lo.y, e.hi.y = w.periodic.box.hi.y;
    const double most = b.cell_capacity / (w.many.count > 0 ? w.many.count : 1u);  // of each world
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

// Cells of many worlds follow each other.
template <class T>
SCREE_HD inline std::uint32_t first_cell_of(const WorldView<T>& w, std::uint32_t slot) {
  const auto& n = w.control->cells.count;
  return w.many.count > 0 ? slot / w.many.bodies * static_cast<std::uint32_t>(n[0] * n[1]) : 0;
}

// What is gone comes last, but for many worlds: their slots stay together.
template <class T>
struct FindKeys {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const auto cell = cell_of(w, w.bodies.placed[k].x);
    b.key[k] = first_cell_of(w, k) + static_cast<std::uint32_t>(cell[1] * w.control->cells.count[0] + cell[0]);
    if (w.bodies.moving[k].kind == gone && w.many.count == 0) b.key[k] = b.cell_capacity;
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
  if (stands_still(w, k)) return;
  const std::uint32_t own = old_slot(k), first_cell = first_cell_of(w, k);
  const Vec2d x = w.bodies.placed[own].x;
  const Moving<T> m = w.bodies.moving[own];
  if (m.kind == gone) return;
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
      const auto c = first_cell + static_cast<std::uint32_t>(ys[i] * n[0] + xs[j]);
      for (std::uint32_t other = b.cell_first[c]; other < b.cell_end[c]; ++other) {
        if (other == k) continue;
        const std::uint32_t o = old_slot(other);
        const Moving<T> mo = w.bodies.moving[o];
        if (mo.kind == gone) continue;
        if (m.kind != BodyKind::moving && mo.kind != BodyKind::moving) continue;
        const double reach = static_cast<double>(w.types[m.type].radius) + w.types[mo.type].radius + w.limits.skin;
        if (norm2(separation(w.periodic, x, w.bodies.placed[o].x)) < reach * reach) found(other);
      }
    }
}

}  // namespace scree::gpu
