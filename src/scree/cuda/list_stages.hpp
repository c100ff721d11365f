#pragma once
// The list of pairs, built on the device. Until the capacities are known to suffice nothing of the old list is touched:
// a build that must wait for larger arrays begins anew.
//
// In this order, when bodies are in cells (cell_stages.hpp): numbers of partners; sums of those; check; bodies into
// their new order; rows; pairs with the memory of the old ones.
#include "scree/cuda/cell_stages.hpp"

namespace scree::gpu {

// Lengths of rows: sums are made of them in place.
template <class T>
struct CountPartners {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    if (k == w.bodies.count) {
      b.rows[k] = b.owned[k] = 0;
      return;
    }
    std::uint32_t all = 0, above = 0;
    const auto old_slot = [&](std::uint32_t slot) { return b.order[slot]; };
    const std::uint32_t index = w.bodies.index[b.order[k]];
    for_partners(w, b, k, old_slot, [&](std::uint32_t other) {
      ++all;
      above += w.bodies.index[b.order[other]] > index ? 1 : 0;
    });
    b.rows[k] = all;
    b.owned[k] = above;
  }
};

// One thread, when the sums are there.
template <class T>
struct CheckCapacity {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    Control& c = *w.control;
    const std::uint32_t n = w.bodies.count;
    c.wanted = {b.rows[n], b.owned[n], w.walls.count > 0 ? b.near_some[n] : 0, w.walls.count > 0 ? b.near_count[n] : 0};
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

// What a pair remembers of its contacts, into another list.
template <class T>
SCREE_HD inline void hand_on(const ListView<T>& from, std::uint32_t p, const ListView<T>& to, std::uint32_t q) {
  for (std::uint32_t s = 0; s < from.several; ++s) {
    const Memory<T> contact = load_whole(from.memory + std::size_t{p} * from.several + s);
    store_whole(to.memory + std::size_t{q} * from.several + s, contact);
    if (contact.feature == none) return;
  }
}

template <class T>
struct KeepPairs {
  WorldView<T> w;
  BuildView<T> b;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->old_pairs; }
  SCREE_HD void run(std::uint32_t p) const {
    b.old_list.ends[p] = w.list.ends[p];
    b.old_list.clear[p] = w.list.clear[p];
    if (w.list.near) store_whole(b.old_list.near + p, load_whole(w.list.near + p));
    if (w.list.clear[p] < 0) hand_on(w.list, p, b.old_list, p);
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
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const {
    w.list.row_first[k] = b.rows[k];
    w.list.pair_first[k] = b.owned[k];
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
      if (w.list.near) {
        w.list.near[p].way = 0;
        w.list.several_clear[p] = types.kind >= MapKind::star ? 0 : 3e38f;
      }
      remember(p, k, other);
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
    if (w.many.count > 0 && w.many.state[world_of(w, k)] != none) return take_up_pair(w, p, k, other);
    for (std::uint32_t e = b.old_list.row_first[own]; e < b.old_list.row_first[own + 1]; ++e) {
      const std::uint32_t old = b.old_list.row[e] >> 1;
      const auto ends = b.old_list.ends[old];
      if (ends[0] != partner && ends[1] != partner) continue;
      if (w.list.near) store_whole(w.list.near + p, load_whole(b.old_list.near + old));
      if (!(b.old_list.clear[old] < 0)) return;
      w.list.clear[p] = -1;
      return hand_on(b.old_list, old, w.list, p);
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
