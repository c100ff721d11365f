#pragma once
// Which world a body is of, where there are many, and what goes wrong in it alone.
#include "scree/cuda/views.hpp"

namespace scree::gpu {

template <class T>
SCREE_HD inline std::uint32_t world_of(const WorldView<T>& w, std::uint32_t slot) {
  return w.many.count > 0 ? slot / w.many.bodies : 0;
}

// True from the step after the one in which something went wrong: all threads of a step see the same.
template <class T>
SCREE_HD inline bool world_stands_still(const WorldView<T>& w, std::uint32_t world) {
  return w.many.count > 0 && w.many.trouble[world].since <= w.control->step;
}
template <class T>
SCREE_HD inline bool stands_still(const WorldView<T>& w, std::uint32_t slot) {
  return w.many.count > 0 && world_stands_still(w, slot / w.many.bodies);
}

template <class T>
SCREE_HD inline Trouble& trouble_now(const WorldView<T>& w, std::uint32_t slot) {
  Trouble& t = w.many.trouble[slot / w.many.bodies];
  lower_at(&t.since, w.control->step + 1);
  return t;
}

// A body that is not finite, too fast or lost.
template <class T>
SCREE_HD inline void blame(const WorldView<T>& w, std::uint32_t slot) {
  if (w.many.count == 0) return set_flag(&w.control->faults, 1);
  lower_at(&trouble_now(w, slot).body, w.bodies.index[slot] % w.many.bodies);
}

// `relative`: overlap in units of w. True: the watchdog has something to say about it.
template <class T>
SCREE_HD inline bool note_overlap(const WorldView<T>& w, std::uint32_t slot, float relative) {
  raise(&w.control->deepest, float_bits(relative));
  if (!w.limits.watch || relative <= w.limits.overlap) return false;
  const std::uint64_t deep = float_bits(relative);
  if (w.many.count > 0) raise_at(&trouble_now(w, slot).overlap, deep << 32 | w.bodies.index[slot] % w.many.bodies);
  return true;
}

// A contact in full, in one that is recorded and where the watchdog will look.
template <class T>
SCREE_HD inline void record_contact(const WorldView<T>& w, std::uint32_t place, bool record, bool deep,
                                    const WorldGeometry<T>& g, const ContactForce<T>& f, float relative) {
  if (record || deep) w.list.record[place] = {g, f};
  if (deep) raise_at(&w.control->deepest_place, std::uint64_t{float_bits(relative)} << 32 | place);
}

// More contacts than there is room for.
template <class T>
SCREE_HD inline void note_crowd(const WorldView<T>& w, std::uint32_t slot) {
  if (w.many.count == 0) return set_flag(&w.control->faults, 4);
  trouble_now(w, slot).crowded = 1;
}

// `ahead`: steps of the script beyond the present one.
template <class T>
SCREE_HD inline Vec2d gravity_of(const WorldView<T>& w, std::uint32_t slot, std::uint32_t ahead) {
  const std::uint32_t row = (w.control->step + ahead) * w.control->row_step;
  return w.many.count > 0 ? w.script[row * w.many.count + slot / w.many.bodies].gravity : w.script[row].gravity;
}

// The memory of a pair of a world that takes up a state. `lower` and `higher`: new slots.
template <class T>
SCREE_HD inline void take_up_pair(const WorldView<T>& w, std::uint32_t p, std::uint32_t lower, std::uint32_t higher) {
  const StatesView<T>& s = w.many.states;
  const std::uint32_t n = w.many.bodies, state = w.many.state[lower / n];
  const std::uint32_t own = w.bodies.index[lower] % n, partner = w.bodies.index[higher] % n;
  const std::uint32_t* first = s.pair_first + state * (n + 1);
  for (std::uint32_t q = first[own]; q < first[own + 1]; ++q) {
    if (s.partner[q] != partner) continue;
    w.list.clear[p] = -1;
    const std::uint32_t contacts = s.contact_first[q + 1] - s.contact_first[q];
    for (std::uint32_t k = 0; k < w.list.several; ++k)
      w.list.memory[p * w.list.several + k] = k < contacts ? s.memory[s.contact_first[q] + k] : Memory<T>{};
    return;
  }
}

// The same of its walls: slot of a body -> what it remembers.
template <class T>
SCREE_HD inline void take_up_walls(const WorldView<T>& w, std::uint32_t slot, WallMemory* memory) {
  const StatesView<T>& s = w.many.states;
  const std::uint32_t n = w.many.bodies, state = w.many.state[slot / n];
  const std::uint32_t* first = s.wall_first + state * (n + 1) + w.bodies.index[slot] % n;
  const std::uint32_t contacts = first[1] - first[0];
  for (std::uint32_t k = 0; k < w.walls.slots; ++k)
    memory[k] = k < contacts ? s.wall_memory[first[0] + k] : WallMemory{};
}

}  // namespace scree::gpu
