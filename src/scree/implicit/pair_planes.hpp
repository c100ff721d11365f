#pragma once
// Planes below the gap of two grains, from their contact map.
#include <span>

#include "scree/contact/type_tables.hpp"
#include "scree/implicit/link_kernel.hpp"
#include "scree/implicit/several_planes.hpp"

namespace scree {

// Where two bodies are to each other, as their map sees it.
struct PairPlace {
  const TypePair* types = nullptr;
  std::uint32_t a = 0, b = 0;
  Rotation2d rotation_a;
  Vec2d x_ab;
  Pose2d pose;   // drawn in to where the circumcircles touch: beyond that maps know nothing but those
  Vec2d excess;  // by which it was, in units of the map

  // Asks the memory for what a look will read. Tables are much larger than caches: without it, every look waits.
  void prefetch(const LinkScales& scales) const { types->map.map->prefetch(pose, scales.tilt); }
};

// How many links a pair has.
inline std::size_t links_of(const TypePair& types) { return types.several ? most_planes : 1; }

// Rows, normals and arms of the links of a pair where the gap may be less than `slack`; where there are several, some
// may stay without a row. Returns the least that the gap can be, offset taken off.
double take_planes(const PairPlace& at, double slack, const LinkScales& scales, std::span<Link> links);

}  // namespace scree
