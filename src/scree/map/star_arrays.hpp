#pragma once
// A star's arrays in another precision: what is copied to a GPU.
#include <algorithm>
#include <limits>
#include <vector>

#include "scree/map/star_side.hpp"
#include "scree/map/star_view.hpp"

namespace scree {

template <class T>
struct StarArrays {
  StarArrays(const StarSideView<double>& side, bool radial);

  Vec2<T> centre;
  std::vector<Vec2<T>> nodes;
  std::vector<StarEntry<T>> table;
  std::vector<std::uint16_t> node_at;
  std::vector<StarPartOf<T>> parts;
  int nodes_a_part;
  std::vector<float> clearance;
  StarClearance<T> grid;                // of that
  std::vector<TwoStarNodes<T>> groups;  // nodes, and others far away
  std::vector<StarStep<T>> steps;
  T parts_reach;
  int nodes_a_unit;
  std::vector<float> steep2;
  T near_limit;

  StarSideView<T> view() const {  // valid as long as this
    return {centre,
            nodes.data(),
            static_cast<int>(nodes.size()),
            {table.data(), static_cast<int>(table.size()) - 1},
            node_at.data(),
            parts.data(),
            static_cast<int>(parts.size()),
            nodes_a_part,
            {clearance.data(), grid.points, grid.half, grid.spacing},
            {groups.data(), steps.data()},
            parts_reach,
            nodes_a_unit,
            steep2.data(),
            near_limit};
  }
};

template <class T>
StarArrays<T>::StarArrays(const StarSideView<double>& side, bool radial)
    : node_at(side.node_at, side.node_at + side.table.size + 1),
      nodes_a_part(side.nodes_a_part),
      parts_reach(static_cast<T>(side.parts_reach)),
      nodes_a_unit(side.nodes_a_unit),
      steep2(side.steep2, side.steep2 + side.table.size + 1),
      near_limit(static_cast<T>(side.near_limit)) {
  const auto point = [](Vec2d p) { return Vec2<T>{static_cast<T>(p.x), static_cast<T>(p.y)}; };
  const auto circle = [&](const StarCircle& c) { return StarCircleOf<T>{point(c.centre), static_cast<T>(c.radius)}; };
  centre = point(side.centre);
  for (int k = 0; k < side.node_count; ++k) nodes.push_back(point(side.nodes[k]));
  for (int k = 0; k <= side.table.size; ++k) {
    const StarEntry<double>& e = side.table.entries[k];
    table.push_back({static_cast<T>(e.r), static_cast<T>(e.slope2)});
  }
  for (int k = 0; k < side.part_count; ++k)
    parts.push_back({side.parts[k].first, side.parts[k].end, circle(side.parts[k].circle)});
  std::vector<Vec2<T>> padded = nodes;
  while (padded.size() % star_group != 0 || padded.size() % static_cast<std::size_t>(nodes_a_unit) != 0)
    padded.push_back({static_cast<T>(far_away), static_cast<T>(far_away)});
  for (std::size_t k = 0; k < padded.size(); k += 2)
    groups.push_back({{padded[k].x, padded[k + 1].x}, {padded[k].y, padded[k + 1].y}});
  for (int k = 0; k <= side.table.size; ++k) {
    const StarEntry<double>&at = side.table.entries[k], &next = side.table.entries[std::min(k + 1, side.table.size)];
    const double slopes = radial ? 0 : 1;
    steps.push_back({static_cast<T>(at.r), static_cast<T>(next.r - at.r), static_cast<T>(slopes * at.slope2),
                     static_cast<T>(slopes * (next.slope2 - at.slope2))});
  }
  const StarClearance<double>& c = side.clearance;
  clearance.assign(c.at, c.at + c.points * c.points);
  grid = {nullptr, c.points, static_cast<T>(c.half), static_cast<T>(c.spacing)};
}

// The pair `of`, with sides in another precision, wherever their arrays are.
template <class T>
StarPairView<T> star_pair(const StarPairView<double>& of, const StarSideView<T>& a, const StarSideView<T>& b) {
  constexpr double unit = sizeof(T) < sizeof(double) ? std::numeric_limits<T>::epsilon() : 0;
  return {a,
          b,
          of.radial,
          static_cast<T>(of.error_a),
          static_cast<T>(of.error_b),
          static_cast<T>(8 * unit * (of.a.parts_reach + of.b.parts_reach))};
}

}  // namespace scree
