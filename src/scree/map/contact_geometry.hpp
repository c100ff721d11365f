#pragma once
// What a contact map answers, in A's frame; lengths in units of A's circumradius. docs/conventions.md.
#include <cstdint>

#include "scree/base/vec.hpp"

namespace scree {

template <class T>
struct ContactGeometryOf {
  T gap{};          // d: signed distance; < 0 means overlap (minimal separating translation)
  T gap_theta{};    // d_theta
  Vec2<T> gap_x{};  // d_x; its direction is the normal from A to B
  T arm{};          // c = (r_A + r_B).n / 2 with r_A, r_B from each centre to the one shared contact point
};
using ContactGeometry = ContactGeometryOf<double>;

// One of the contacts a pair has at a pose, where a map tells several apart (stars, clumps).
template <class T>
struct PairContactOf {
  ContactGeometryOf<T> geometry;
  std::uint32_t feature = 0;  // which part of A meets which part of B; 0 where there is one contact only
};
using PairContact = PairContactOf<double>;

// Parts of the two grains of a pair, a bit each: which of them can touch.
using NearParts = std::uint64_t;
inline constexpr NearParts all_parts = ~NearParts{0};

}  // namespace scree
