// The width w of the thinnest feature of a solid.
//
// w is the diameter of the smallest maximal inscribed disc that is nearly a critical point of the distance to the
// boundary: it touches the boundary at p and q with |(p - c) + (q - c)| / 2r <= mu (the mu-critical points of Chazal,
// Cohen-Steiner and Lieutier 2009, whose smallest value at mu -> 0 is the weak feature size). mu = sin(22.5 degrees):
// walls that converge by less than 45 degrees make a feature. The two sides of one sharp corner do not, else every
// thorn would have w = 0. Where no such disc exists (a triangle, a heart) w is the diameter of the largest inscribed
// disc.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <queue>

#include "scree/shape/edge_grid.hpp"
#include "scree/shape/shape.hpp"

namespace scree {

namespace {

const double critical = std::sin(std::numbers::pi / 8);
constexpr double sharp_turn = 2 * std::numbers::pi / 3;  // a corner of less than 60 degrees
constexpr double smooth_turn = std::numbers::pi / 3;     // all other turning between the two sides of a thorn
constexpr int longest_side = 64;                         // chords of a thorn's curved sides looked at

class WidthFinder {
 public:
  explicit WidthFinder(const Outline& outline) : grid_(outline_edges(outline)) {
    for (const OutlineEdge& e : grid_.edges()) reach_ = std::max({reach_, norm(e.b - e.a), norm(e.a), norm(e.b)});
  }

  // Smallest width found from all edges and reflex corners; infinity when none counts.
  double smallest() const {
    double width = std::numeric_limits<double>::infinity();
    const std::size_t n = grid_.edges().size();
    const int samples = static_cast<int>(std::clamp<std::size_t>(1000 / n, 1, 16)) * 2 + 1;
    for (std::size_t k = 0; k < n; ++k) {
      const OutlineEdge& e = grid_.edges()[k];
      const Vec2d inward = inward_normal(e);
      for (int s = 0; s < samples; ++s) {
        const double t = (s + 0.5) / samples;
        width = std::min(width, width_at(k, e.a + t * (e.b - e.a), inward));
      }
      width = std::min(width, width_at_corner(k));
    }
    return width;
  }

 private:
  static Vec2d inward_normal(const OutlineEdge& e) { return (1 / norm(e.b - e.a)) * perp(e.b - e.a); }

  double turn_after(const OutlineEdge& e) const {
    const OutlineEdge& f = grid_.edges()[e.next];
    return std::atan2(cross(e.b - e.a, f.b - f.a), dot(e.b - e.a, f.b - f.a));
  }

  // A reflex corner at the end of edge k has a fan of inward normals.
  double width_at_corner(std::size_t k) const {
    constexpr int fan = 8;
    const OutlineEdge& e = grid_.edges()[k];
    const double turn = turn_after(e);
    double width = std::numeric_limits<double>::infinity();
    if (turn >= 0) return width;
    const Vec2d normal = inward_normal(e);
    for (int s = 0; s <= fan; ++s) width = std::min(width, width_at(k, e.b, Rotation2d(turn * s / fan) * normal));
    return width;
  }

  // Diameter of the maximal inscribed disc that touches p, by the shrinking ball (Ma, Bae, Choi 2012).
  double width_at(std::size_t edge, Vec2d p, Vec2d inward) const {
    constexpr int most_steps = 60;
    constexpr double none = std::numeric_limits<double>::infinity();
    double r = reach_;
    std::optional<EdgeGrid::Nearest> touch;
    for (int step = 0; step < most_steps; ++step) {
      const EdgeGrid::Nearest q = grid_.nearest(p + r * inward);
      if (std::sqrt(q.distance2) >= r * (1 - 1e-10)) break;
      const double depth = dot(inward, q.point - p);
      if (depth <= 0) break;  // q is p itself, up to rounding
      r = norm2(q.point - p) / (2 * depth);
      touch = q;
    }
    if (!touch) return none;
    const Vec2d c = p + r * inward;
    const double gradient = norm((p - c) + (touch->point - c)) / (2 * r);
    if (gradient > critical || shares_thorn(edge, touch->edge) || shares_thorn(touch->edge, edge)) return none;
    return 2 * r;
  }

  // Do the edges form the two sides of one sharp convex corner? Sides may be curved, that is, of several chords.
  bool shares_thorn(std::size_t from, std::size_t to) const {
    const std::vector<OutlineEdge>& edges = grid_.edges();
    if (edges[from].loop != edges[to].loop) return false;
    double sharpest = 0;
    double total = 0;
    for (int step = 0; step < longest_side && from != to; ++step, from = edges[from].next) {
      const double turn = turn_after(edges[from]);
      sharpest = std::max(sharpest, turn);
      total += std::abs(turn);
      if (total - sharpest > smooth_turn) return false;
    }
    return from == to && sharpest > sharp_turn;
  }

  EdgeGrid grid_;
  double reach_ = 0;  // a radius no inscribed disc exceeds
};

// Largest inscribed disc by branch and bound over squares (V. Agafonkin, "polylabel", 2016).
double inscribed_diameter(const Outline& outline) {
  constexpr double precision = 1e-6;
  const EdgeGrid grid(outline_edges(outline));
  struct Square {
    Vec2d centre;
    double half;
    double bound;  // no point of the square is deeper inside than this
    bool operator<(const Square& other) const { return bound < other.bound; }
  };
  double best = 0;
  std::priority_queue<Square> open;
  const auto add = [&](Vec2d centre, double half) {
    const double distance = std::sqrt(grid.nearest(centre).distance2);
    const double depth = contains(outline, centre) ? distance : -distance;
    best = std::max(best, depth);
    open.push({centre, half, depth + half * std::numbers::sqrt2});
  };
  double reach = 0;
  for (const OutlineEdge& e : grid.edges()) reach = std::max({reach, std::abs(e.a.x), std::abs(e.a.y)});
  add({0, 0}, reach);
  while (!open.empty() && open.top().bound > best * (1 + precision)) {
    const Square square = open.top();
    open.pop();
    const double h = square.half / 2;
    for (const Vec2d corner : {Vec2d{-h, -h}, Vec2d{h, -h}, Vec2d{-h, h}, Vec2d{h, h}}) add(square.centre + corner, h);
  }
  return 2 * best;
}

}  // namespace

double thinnest_feature(const Outline& outline) {
  const double width = WidthFinder(outline).smallest();
  return std::isfinite(width) ? width : inscribed_diameter(outline);
}

}  // namespace scree
