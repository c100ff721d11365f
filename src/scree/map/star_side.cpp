#include "scree/map/star_side.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scree/shape/star.hpp"

namespace scree {
namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr int clearance_points = 128;
constexpr double slack = 1e-6;  // of a spacing, so that corners halfway between two nodes all go the same way

double angle_of(double direction) {
  const double quadrant = std::floor(direction), share = direction - quadrant;
  return 0.5 * std::numbers::pi * quadrant + std::atan2(share, 1 - share);
}

int cyclic(int k, int n) { return ((k % n) + n) % n; }

// Angles of the nodes: equal, but for those that move to the sharpest convex corner of a polygon in their reach. A
// corner is what touches; nodes beside it would let it sink in.
std::vector<double> node_angles(const Radial& radial, int n) {
  const double spacing = turn / n;
  std::vector<double> angles(static_cast<std::size_t>(n)), sharpest(angles.size(), 0);
  for (int k = 0; k < n; ++k) angles[static_cast<std::size_t>(k)] = k * spacing;
  for (const Radial::Corner& corner : radial.corners()) {
    const auto k =
        static_cast<std::size_t>(cyclic(static_cast<int>(std::floor(corner.angle / spacing + 0.5 + slack)), n));
    if (corner.turn <= sharpest[k]) continue;
    sharpest[k] = corner.turn;
    angles[k] = corner.angle;
  }
  return angles;
}

// Where the sides of a polygon meet at unlike slopes, the distance of a point that passes would jump: there the mean
// over one spacing is taken. r itself, and so where contact begins, stays exact.
double squared_slope(const Radial& radial, double angle, int node_count) {
  const auto at = [&](double a) {
    const double slope = radial.at(a).slope;
    return slope * slope;
  };
  if (radial.corners().empty()) return at(angle);
  constexpr int points = 16;
  double sum = 0;
  for (int k = 0; k < points; ++k) sum += at(angle + ((k + 0.5) / points - 0.5) * (turn / node_count));
  return sum / points;
}

}  // namespace

StarSide::StarSide(const Radial& radial, int node_count, double scale)
    : centre(scale * radial.centre()), near_limit_(star_near_limit * scale) {
  for (const double angle : node_angles(radial, node_count))
    nodes.push_back(centre + scale * radial.at(angle).r * Vec2d{std::cos(angle), std::sin(angle)});
  for (int k = 0; k <= star_table_size; ++k) {
    const double angle = angle_of(4.0 * (k % star_table_size) / star_table_size), r = radial.at(angle).r;
    table.push_back({scale * r, scale * scale * squared_slope(radial, angle, node_count)});
    node_at.push_back(
        static_cast<std::uint16_t>(cyclic(static_cast<int>(std::lround(angle * node_count / turn)), node_count)));
  }
  for (const Vec2d p : nodes) node_x.push_back(static_cast<float>(p.x)), node_y.push_back(static_cast<float>(p.y));
  for (std::size_t k = 0; k + 1 < table.size(); ++k)
    rises.push_back({static_cast<float>(table[k].r), static_cast<float>(table[k + 1].r - table[k].r)});
  while (node_x.size() % star_group != 0) node_x.push_back(far_away), node_y.push_back(far_away);
  bound_error();
  for (int k = 0; k < node_count; ++k)
    spacings.push_back(
        norm(nodes[static_cast<std::size_t>((k + 1) % node_count)] - nodes[static_cast<std::size_t>(k)]));
  const int groups = static_cast<int>(node_x.size()) / star_group;
  nodes_a_part = star_group * ((groups + most_star_parts - 1) / most_star_parts);
  for (int first = 0; first < node_count; first += nodes_a_part) {
    const int end = std::min(first + nodes_a_part, node_count);
    const StarCircle& circle = parts.emplace_back(StarPart{first, end, around(first, end)}).circle;
    parts_reach_ = std::max(parts_reach_, norm(circle.centre) + circle.radius);
  }
  nodes_a_unit = 2 * ((node_count + 2 * most_star_units - 1) / (2 * most_star_units));
  measure_clearance();
  find_steepest();
}

// To circles that hold the boundary, some from each node to the next, or to those of whole parts that are farther.
void StarSide::measure_clearance() {
  constexpr int a_node = 4;
  std::vector<StarCircle> circles;
  for (int k = 0; k < a_node * node_count(); ++k)
    circles.push_back(around(k / double{a_node}, (k + 1) / double{a_node}));
  clearance_half_ = 1.25 * parts_reach_;
  const double spacing = 2 * clearance_half_ / (clearance_points - 1);
  const auto distance = [](Vec2d p, const StarCircle& c) { return norm(p - c.centre) - c.radius; };
  for (int j = 0; j < clearance_points; ++j) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < clearance_points; ++i) {
      const Vec2d p{i * spacing - clearance_half_, j * spacing - clearance_half_};
      least += spacing;  // it can be no more
      for (const StarPart& part : parts) {
        if (distance(p, part.circle) >= least) continue;
        for (int k = a_node * part.first; k < a_node * part.end; ++k)
          least = std::min(least, distance(p, circles[static_cast<std::size_t>(k)]));
      }
      clearance.push_back(std::nextafter(static_cast<float>(least), -std::numeric_limits<float>::infinity()));
    }
  }
}

// For a point in the direction of an entry or between it and the next one, outside: the slopes in all directions where
// it can be after having gone by the limit.
void StarSide::find_steepest() {
  const auto size = static_cast<int>(table.size()) - 1;
  const auto angle = [&](int k) {  // grows by a turn each time around
    const int within = cyclic(k, size);
    return angle_of(4.0 * within / size) + turn * ((k - within) / size);
  };
  constexpr double slack = 1.01;  // r is linear by the direction number, not quite by the angle
  std::vector<double> slope;
  for (int k = 0; k < size; ++k) {
    const double rise = table[static_cast<std::size_t>(k) + 1].r - table[static_cast<std::size_t>(k)].r;
    slope.push_back(slack * std::abs(rise) / (angle(k + 1) - angle(k)));
  }
  for (int k = 0; k < size; ++k) {  // and the last one is the first
    const double least = std::min(table[static_cast<std::size_t>(k)].r, table[static_cast<std::size_t>(k) + 1].r);
    const double beside = least > near_limit_ ? std::asin(near_limit_ / least) : turn / 2;
    double steepest = 0;
    for (int j = k; angle(j + 1) > angle(k) - beside && k - j < size; --j)
      steepest = std::max(steepest, slope[static_cast<std::size_t>(cyclic(j, size))]);
    for (int j = k + 1; angle(j) < angle(k + 1) + beside && j - k < size; ++j)
      steepest = std::max(steepest, slope[static_cast<std::size_t>(cyclic(j, size))]);
    steep2.push_back(std::nextafter(static_cast<float>(steepest * steepest), std::numeric_limits<float>::infinity()));
  }
  steep2.push_back(steep2.front());
}

StarSideView<double> StarSide::side_view() const {
  return {centre,
          nodes.data(),
          node_count(),
          view(),
          node_at.data(),
          parts.data(),
          static_cast<int>(parts.size()),
          nodes_a_part,
          {clearance.data(), clearance_points, clearance_half_, 2 * clearance_half_ / (clearance_points - 1)},
          {},
          parts_reach_,
          nodes_a_unit,
          steep2.data(),
          near_limit_};
}

// Where a node is seen is off by the rounding of products and sums as large as both grains together; its angle by that
// over rho, and by the rounding of the quotient and of the place in the table; r by that times its slope.
void StarSide::bound_error() {
  constexpr double unit = std::numeric_limits<float>::epsilon();
  double least = std::numeric_limits<double>::infinity(), most = 0, steepest = 0;
  for (const StarEntry<double>& entry : table) {
    least = std::min(least, entry.r), most = std::max(most, entry.r);
    steepest = std::max(steepest, std::sqrt(entry.slope2));
  }
  for (const Vec2d p : nodes) reach_ = std::max(reach_, norm(p) + norm(centre));
  const double place_per_reach = 8 * unit, place = place_per_reach * reach_;
  const double per_place = 1 + 2 * steepest / least, at_least = 16 * unit * steepest + 2 * unit * most;
  error_ = 2 * most * (per_place * place + at_least);
  error_per_reach_ = 2 * most * per_place * place_per_reach;
}

// A circle that holds the boundary from one place to another, counted in nodes, about the middle of the box around it.
// Between two entries of the table the boundary is no farther from the nearer one than these are apart.
StarCircle StarSide::around(double first, double end) const {
  const auto direction = [&](double place) {
    const double before = std::floor(place);
    const auto entry = [&](double node) {
      const int k = cyclic(static_cast<int>(node), node_count());
      return direction_number(nodes[static_cast<std::size_t>(k)] - centre) * star_table_size / 4;
    };
    const double from = entry(before), to = entry(before + 1);
    return from + (place - before) * (to < from ? to + star_table_size - from : to - from);
  };
  const int from = static_cast<int>(std::floor(direction(first))), to = static_cast<int>(std::ceil(direction(end)));
  const int entries = end - first >= node_count() ? star_table_size : cyclic(to - from, star_table_size);
  std::vector<Vec2d> points;
  double widest = 0;
  for (int k = 0; k <= entries; ++k) {
    const int entry = cyclic(from + k, star_table_size);
    const double angle = angle_of(4.0 * entry / star_table_size);
    points.push_back(centre + table[static_cast<std::size_t>(entry)].r * Vec2d{std::cos(angle), std::sin(angle)});
    if (k > 0) widest = std::max(widest, norm(points[points.size() - 1] - points[points.size() - 2]));
  }
  for (int k = static_cast<int>(std::ceil(first)); k < end; ++k) points.push_back(nodes[static_cast<std::size_t>(k)]);
  Vec2d lo = points.front(), hi = lo;
  for (const Vec2d p : points) {
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
  }
  StarCircle circle{0.5 * (lo + hi), 0};
  for (const Vec2d p : points) circle.radius = std::max(circle.radius, norm(p - circle.centre));
  circle.radius += widest;
  return circle;
}

}  // namespace scree
