#pragma once
// How contacts with a wall are named, and where on a segment a point lies.
#include <cstdint>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

// Feature ids, unique within (grain, wall): the upper half names the grain's corner or edge, the lower the wall's
// element; the top bit marks contacts at a point of the wall.
inline constexpr std::uint32_t any_element = 0xffff;
inline constexpr std::uint32_t at_wall_point = 0x80000000u;
inline constexpr std::uint32_t on_edge = 0x40000000u;

SCREE_HD inline std::uint32_t feature_id(int of_grain, std::uint32_t element) {
  return static_cast<std::uint32_t>(of_grain & 0x3fff) << 16 | (element & 0xffff);
}

// How far along the segment from a the foot of p lies, 0 at a and 1 at its end.
SCREE_HD inline double along_segment(Vec2d p, Vec2d a, Vec2d along) { return dot(p - a, along) / norm2(along); }

}  // namespace scree
