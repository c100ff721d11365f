#pragma once
// Which grains a measure looks at, and where.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scree/measure/snapshot.hpp"

namespace scree {

// Infinite sides are open: no number that a user can write stands for one.
inline constexpr double open_side = std::numeric_limits<double>::infinity();
inline constexpr Box everywhere{{-open_side, -open_side}, {open_side, open_side}};

struct Selection {
  std::vector<std::string> groups;  // only grains of these groups; empty: of all
  std::vector<std::string> grains;  // only these kinds of grain; one of several sizes counts by the name before ':'
  bool driven = false;              // fixed and kinematic grains too
  Box region = everywhere;
};

using Members = std::vector<std::uint32_t>;  // indices of grains in a snapshot, ascending

// Grains of the selection wherever they are. Error(input) for an unknown group or kind of grain.
Members chosen(const Snapshot& s, const Selection& selection);
// Those of them whose centroid, or a periodic image of it, is in the region; each once.
Members chosen_inside(const Snapshot& s, const Selection& selection);
// The image of a place that is in the region, the lowest one where there are several; nothing when none is. Open sides
// are those of the periodic cell.
std::optional<Vec2d> image_in(const Snapshot& s, Vec2d place, const Box& region);

// The region with every side: open ones are those of the periodic cell, else of the box around the members' outlines.
// Error(input) when that has no area, is too thin to resolve, or is wider than a period.
Box closed_region(const Snapshot& s, const Members& members, const Box& region);

// Calls visit(grain, centre) for every periodic image of every member whose bounding circle reaches into the region; in
// a direction with an open side only for the one in the cell.
void for_images(const Snapshot& s, const Members& members, const Box& region,
                const std::function<void(std::uint32_t grain, Vec2d centre)>& visit);

// Lengths below this part of the grains, or of the coordinates they are added to, drown in rounding.
inline constexpr double finest = 1e-9;

// Twice the mean circumradius: the default scale of columns, gaps and cells. 0 without members.
double mean_diameter(const Snapshot& s, const Members& members);

// Per grain of the snapshot: has it any contact?
std::vector<bool> touching(const Snapshot& s);

// Error(input) for a measure that has nothing to look at.
[[noreturn]] void nothing_to_measure(const std::string& problem, const std::string& remedy);

}  // namespace scree
