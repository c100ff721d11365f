#pragma once
// Links of the implicit solver: pairs of bodies, or a body and a wall, that touch or may touch, and planes below their
// gaps. docs/implicit-theory.md derives them.
#include <array>
#include <cstdint>
#include <vector>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

// How two bodies have moved against each other since the step began; planes know of no other motion.
struct Shift {
  float x = 0, y = 0, turn_a = 0, turn_b = 0;
};

// A plane below the gap: gap >= s + g.dq near the pose where it was taken.
template <class T>
struct LinkRowOf {
  Vec2<T> gap_x;
  T gap_theta_a = 0;
  T gap_theta_b = 0;
  T gap = 0;    // s where it was taken, length; offset taken off
  T force = 0;  // >= 0

  SCREE_HD T along(const Shift& by) const {
    return gap_x.x * by.x + gap_x.y * by.y + gap_theta_a * by.turn_a + gap_theta_b * by.turn_b;
  }
};
using LinkRow = LinkRowOf<double>;

// By how much the force of a link, per unit of it, may have turned since its planes were taken; and the friction that
// stands in for that (implicit/turn_kernel.hpp).
template <class T>
struct LinkTurnOf {
  Vec2<T> x;
  T theta_a = 0;
  T theta_b = 0;
  T force = 0;  // within those of the rows together
};
using LinkTurn = LinkTurnOf<double>;

struct Link {
  std::uint32_t a = 0;        // body, or bodies + wall
  std::uint32_t b = 0;        // body
  std::uint32_t feature = 0;  // of a wall: which parts touch; of a pair: which of its links
  std::uint32_t of_pair = 1;  // links that it has, next to each other
  int row_count = 0;          // may be 0 where there are several
  bool fresh = false;         // no step has seen these two near each other
  std::array<LinkRow, 2> rows;
  Vec2d normal;      // of friction; 0: none
  double arm_a = 0;  // of friction
  double arm_b = 0;
  double tangential_force = 0;
  double rolling_torque = 0;  // on b
  LinkTurn turn;
  double sure = 0;           // the gap was no less where the planes were taken, length; offset taken off
  double friction = 0;       // mu
  double restitution = 0;    // e
  double spin_damping = 0;   // 1 / time
  double rolling_lever = 0;  // mu_r R_eff, length
  Shift taken;               // when the planes were
};

// Which body links belong to, and where it was.
struct LinkedBody {
  std::uint32_t id = 0;
  double theta = 0;
  Vec2d x;
  bool operator==(const LinkedBody&) const = default;
};

inline std::uint32_t lower_body(const Link& link) { return link.a < link.b ? link.a : link.b; }  // walls come after all

}  // namespace scree
