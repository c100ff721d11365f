#pragma once
// Which grains a measure looks at, and where.
#include <functional>
#include <string>
#include <vector>

#include "scree/measure/snapshot.hpp"

namespace scree {

inline constexpr Box everywhere{{-1e300, -1e300}, {1e300, 1e300}};

struct Selection {
  std::vector<std::string> groups;  // only grains of these groups; empty: of all
  std::vector<std::string> grains;  // only these kinds of grain; one of several sizes counts by the name before ':'
  bool driven = false;              // fixed and kinematic grains too
  Box region = everywhere;          // sides at +-1e300 are open
};

using Members = std::vector<std::uint32_t>;  // indices of grains in a snapshot, ascending

// Grains of the selection wherever they are. Error(input) for an unknown group or kind of grain.
Members chosen(const Snapshot& s, const Selection& selection);
// Those of them whose centroid is in the region.
Members chosen_inside(const Snapshot& s, const Selection& selection);

// The region with every side: open ones are those of the periodic cell, else of the box around the members' outlines.
// Error(input) when that has no area, or when it is wider than a period.
Box closed_region(const Snapshot& s, const Members& members, const Box& region);

// Calls visit(grain, centre) for every periodic image of every member whose bounding circle reaches into the region.
void for_images(const Snapshot& s, const Members& members, const Box& region,
                const std::function<void(std::uint32_t grain, Vec2d centre)>& visit);

// Twice the mean circumradius: the default scale of columns, gaps and cells. 0 without members.
double mean_diameter(const Snapshot& s, const Members& members);

// Per grain of the snapshot: has it any contact?
std::vector<bool> touching(const Snapshot& s);

// Error(input) for a measure that has nothing to look at.
[[noreturn]] void nothing_to_measure(const std::string& problem, const std::string& remedy);

}  // namespace scree
