#pragma once
// A star's arrays in another precision: what is copied to a GPU.
#include <limits>
#include <vector>

#include "scree/map/star_side.hpp"
#include "scree/map/star_view.hpp"

namespace scree {

template <class T>
struct StarArrays {
  explicit StarArrays(const StarSideView<double>& side);

  Vec2<T> centre;
  std::vector<Vec2<T>> nodes;
  std::vector<StarEntry<T>> table;
  std::vector<std::uint16_t> node_at;
  std::vector<StarPartOf<T>> parts;
  std::vector<float> clearance;
  StarClearance<T> grid;  // of that
  T parts_reach;

  StarSideView<T> view() const {  // valid as long as this
    return {centre,
            nodes.data(),
            static_cast<int>(nodes.size()),
            {table.data(), static_cast<int>(table.size()) - 1},
            node_at.data(),
            parts.data(),
            static_cast<int>(parts.size()),
            {clearance.data(), grid.points, grid.half, grid.spacing},
            parts_reach};
  }
};

template <class T>
StarArrays<T>::StarArrays(const StarSideView<double>& side)
    : node_at(side.node_at, side.node_at + side.table.size + 1), parts_reach(static_cast<T>(side.parts_reach)) {
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
