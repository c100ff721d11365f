#pragma once
// Links: pairs of bodies, or a body and a wall, that touch or may touch before the next look.
#include <array>
#include <cstdint>
#include <vector>

#include "scree/base/vec.hpp"

namespace scree {

// A plane below the gap: gap >= s + g.dq near the pose where it was taken.
struct LinkRow {
  Vec2d gap_x;
  double gap_theta_a = 0;
  double gap_theta_b = 0;
  double gap = 0;    // s at the present pose, length; offset taken off
  double force = 0;  // >= 0
};

struct Link {
  std::uint32_t a = 0;        // body, or bodies + wall
  std::uint32_t b = 0;        // body
  std::uint32_t feature = 0;  // of a wall: which parts touch
  int row_count = 0;
  std::array<LinkRow, 2> rows;
  Vec2d normal;      // of friction; 0: none
  double arm_a = 0;  // of friction
  double arm_b = 0;
  double tangential_force = 0;
  double friction = 0;      // mu
  double restitution = 0;   // e
  double spin_damping = 0;  // 1 / time
};

}  // namespace scree
