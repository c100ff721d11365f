#pragma once
// Many small worlds side by side in one engine: what the stages of a step see of that.
//
// Worlds share types, maps and the geometry of walls, and have as many bodies each. World after world, slots and
// indices of bodies follow each other, and so do walls: the world of a slot is a quotient. Places are those of the
// world alone, so that precision is too.
#include <array>
#include <cstdint>

#include "scree/base/pose.hpp"

namespace scree::gpu {

template <class T>
struct Placed;
template <class T>
struct Moving;
template <class T>
struct Memory;
struct WallMemory;

// What has gone wrong in a world. It stands still after that step, until it takes up another state.
struct Trouble {
  std::uint32_t since = 0xffffffffu;  // steps of this batch that were done by then; 0: before the batch
  std::uint32_t body = 0xffffffffu;   // of the world: the lowest that is not finite, too fast or lost
  std::uint64_t overlap = 0;          // the deepest beyond the limit: bits of a float, in units of w; then a body
  std::uint32_t crowded = 0;          // 1: more contacts than there is room for
};

// States that worlds can take up, each as bodies by index and as the contacts of the last step.
template <class T>
struct StatesView {
  const Placed<T>* placed = nullptr;  // [states][bodies], and so on
  const Moving<T>* moving = nullptr;
  const Vec2<T>* force = nullptr;
  const T* torque = nullptr;
  const std::array<std::int32_t, 2>* image = nullptr;
  const std::uint32_t* pair_first = nullptr;     // [states][bodies + 1]: pairs whose lower index is this body's
  const std::uint32_t* partner = nullptr;        // by pair
  const std::uint32_t* contact_first = nullptr;  // pairs + 1: in `memory`
  const Memory<T>* memory = nullptr;
  const std::uint32_t* wall_first = nullptr;  // [states][bodies + 1]: in `wall_memory`
  const WallMemory* wall_memory = nullptr;
};

template <class T>
struct ManyView {
  std::uint32_t count = 0;  // 0: there is one world, and whatever is said here is not there
  std::uint32_t bodies = 0;
  Trouble* trouble = nullptr;
  std::uint32_t* state = nullptr;  // that a world takes up with the next list, or none
  StatesView<T> states;
};

// A wall that moves on steadily, so that nobody needs to lay down where it is at every step.
struct WallGlide {
  std::uint32_t on = 0;
  Pose2d anchor;  // at `start`
  Vec2d centre;
  Vec2d velocity;
  double omega = 0;
  double start = 0;
  double origin = 0;  // time of the world's step 0
  double first = 0;   // step of the world when the engine began
};

}  // namespace scree::gpu
