#pragma once
// Contacts of one step. Written by contact/ (geometry) and force/ (forces); read by step/, record/ and measures.
#include <cstdint>
#include <vector>

#include "scree/base/vec.hpp"

namespace scree {

inline constexpr std::uint32_t no_body = 0xffffffffu;

// A touching pair (gap < 0): grain-grain, or wall-grain with a == no_body; A is then the wall, about the origin of its
// frame. The normal points from A to B. The wrench on B is F (gap_theta_b, gap_x) + f_t (arm_b, tangent); on A
// F (gap_theta_a, -gap_x) + f_t (arm_a, -tangent). 120 bytes: what follows from these and the bodies is not kept.
struct Contact {
  std::uint32_t a = no_body;  // body index
  std::uint32_t b = no_body;  // body index
  std::int32_t wall = -1;     // wall index when a == no_body
  std::uint32_t feature = 0;  // which parts touch: tells several contacts of a pair, or of a grain and a wall, apart
  double gap = 0;             // d < 0, length
  Vec2d gap_x;                // d_x in the world frame; not normalised
  double gap_theta_a = 0;     // length / rad
  double gap_theta_b = 0;
  Vec2d normal;      // gap_x / |gap_x|, or 0 when |gap_x| < 1e-6
  double arm_a = 0;  // proj r_A, length
  double arm_b = 0;  // proj r_B

  double spring = 0;             // s, tangential spring after the law, length
  double normal_force = 0;       // F >= 0
  double tangential_force = 0;   // f_t on B along t = S normal
  double rotational_torque = 0;  // on B; minus that on A
};

// Of two grain-grain contacts; those of one pair lie next to each other.
inline bool same_pair(const Contact& c, const Contact& d) { return c.a == d.a && c.b == d.b; }

}  // namespace scree
