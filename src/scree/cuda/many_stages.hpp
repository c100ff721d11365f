#pragma once
// Many worlds: states that are taken up, and bodies as the host wants to see them.
#include "scree/cuda/many_worlds.hpp"

namespace scree::gpu {

// Bodies of the worlds that take up a state; their contacts follow with the next list.
template <class T>
struct TakeUpBodies {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t n = w.many.bodies, state = w.many.state[k / n];
    if (state == none) return;
    const StatesView<T>& s = w.many.states;
    const std::uint32_t from = state * n + k % n;
    w.bodies.placed[k] = s.placed[from];
    w.bodies.moving[k] = s.moving[from];
    w.bodies.force[k] = s.force[from];
    w.bodies.torque[k] = s.torque[from];
    w.bodies.image[k] = s.image[from];
    w.bodies.index[k] = w.bodies.slot[k] = k;
  }
};

// With the list that was built of it, a state has been taken up.
template <class T>
struct HaveTakenUp {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.many.count; }
  SCREE_HD void run(std::uint32_t world) const { w.many.state[world] = none; }
};

// Kinematic bodies have the velocities that were laid down for the beginning of a batch: what drives them may be new.
template <class T>
struct DriveBodies {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    Moving<T>& m = w.bodies.moving[k];
    if (m.kind != BodyKind::kinematic || stands_still(w, k)) return;
    const Driven& d = w.driven[w.bodies.driven[w.bodies.index[k]]];
    m.v = {static_cast<T>(d.v.x), static_cast<T>(d.v.y)};
    m.omega = static_cast<T>(d.omega);
  }
};

template <class T>
struct ReadBodies {
  WorldView<T> w;
  std::array<double, 3>* places = nullptr;  // by index
  std::array<double, 3>* velocities = nullptr;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t index = w.bodies.index[k];
    const Placed<T>& at = w.bodies.placed[k];
    const Moving<T>& m = w.bodies.moving[k];
    places[index] = {at.x.x, at.x.y, at.theta};
    velocities[index] = {static_cast<double>(m.v.x), static_cast<double>(m.v.y), static_cast<double>(m.omega)};
  }
};

}  // namespace scree::gpu
