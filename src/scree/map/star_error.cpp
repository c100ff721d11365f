#include "scree/map/star_error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/map/star_map.hpp"
#include "scree/shape/edge_grid.hpp"
#include "scree/shape/star.hpp"

namespace scree {

StarDistanceError star_distance_error(const Shape& shape, double band) {
  constexpr double turn = 2 * std::numbers::pi;
  constexpr int chords = 20000, directions = 2000;
  const Radial radial(shape);
  const StarSide side(radial, 8, 1);
  Loop fine;
  for (int k = 0; k < chords; ++k) {
    const double angle = turn * k / chords;
    fine.push_back(radial.at(angle).r * Vec2d{std::cos(angle), std::sin(angle)});
  }
  const EdgeGrid boundary(outline_edges({{fine}}));
  StarDistanceError error;
  for (int k = 0; k < directions; ++k) {
    const double angle = turn * k / directions;
    const Vec2d ray{std::cos(angle), std::sin(angle)};
    const RadialValue v = radial.at(angle);
    const Vec2d along = v.r * ray - v.slope * perp(ray), normal = (1 / norm(along)) * along;
    for (const double share : {-1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0}) {
      const Vec2d p = v.r * ray + share * band * normal;
      const double truth = std::sqrt(boundary.nearest(p).distance2);
      const auto off = [&](double d) { return std::abs(std::abs(d) - truth) / truth; };
      error.first_order = std::max(error.first_order, off(star_distance<false>(side.view(), p).distance));
      error.radial = std::max(error.radial, off(star_distance<true>(side.view(), p).distance));
    }
  }
  return error;
}

}  // namespace scree
