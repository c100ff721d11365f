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
  // No width above `bound` is looked for.
  WidthFinder(const Outline& outline, double bound) : grid_(outline_edges(outline)), width_(bound) {}

  // Smallest width below the bound, from all edges and reflex corners.
  std::optional<double> smallest() {
    double perimeter = 0;
    for (const OutlineEdge& e : grid_.edges()) perimeter += norm(e.b - e.a);
    const std::size_t stride = 1 + grid_.edges().size() / most_short_edges;
    for (std::size_t k = 0; k < grid_.edges().size(); ++k) {
      const OutlineEdge& e = grid_.edges()[k];
      const double share = norm(e.b - e.a) / perimeter;
      const bool is_short = share * most_long_edges < 1;
      if (is_short && k % stride != 0) continue;
      const int samples = is_short ? 1 : 5 + 2 * static_cast<int>(samples_around * share / 2);
      for (int s = 0; s < samples; ++s) {
        // Denser towards the ends: where walls converge, the width is least there.
        const double t = (1 - std::cos(std::numbers::pi * (s + 0.5) / samples)) / 2;
        try_disc(k, e.a + t * (e.b - e.a), inward_normal(e));
      }
      try_corner(k);
    }
    return found_ ? std::optional(width_) : std::nullopt;
  }

 private:
  static constexpr double samples_around = 400;              // along the whole boundary, and 5 for each edge
  static constexpr double fan_step = std::numbers::pi / 16;  // between the normals tried at a reflex corner

  // Of the chords of a very finely flattened curve only so many are looked at; they hardly differ from their
  // neighbours.
  static constexpr std::size_t most_short_edges = 2000;
  static constexpr double most_long_edges = 5000;  // an edge is short below this share of the perimeter

  static Vec2d inward_normal(const OutlineEdge& e) { return (1 / norm(e.b - e.a)) * perp(e.b - e.a); }

  double turn_after(const OutlineEdge& e) const {
    const OutlineEdge& f = grid_.edges()[e.next];
    return std::atan2(cross(e.b - e.a, f.b - f.a), dot(e.b - e.a, f.b - f.a));
  }

  // A reflex corner at the end of edge k has a fan of inward normals.
  void try_corner(std::size_t k) {
    const OutlineEdge& e = grid_.edges()[k];
    const double turn = turn_after(e);
    if (turn >= 0) return;
    const Vec2d normal = inward_normal(e);
    const int fan = static_cast<int>(std::ceil(-turn / fan_step));
    for (int s = 0; s <= fan; ++s) try_disc(k, e.b, Rotation2d(turn * s / fan) * normal);
  }

  // A boundary point inside the disc of radius r that touches p: first among the neighbours of the edge, which decide
  // in most cases, then among all. None when the disc fits.
  std::optional<EdgeGrid::Nearest> intruder(std::size_t edge, Vec2d p, Vec2d inward, double r) const {
    const Vec2d c = p + r * inward;
    const double limit = r * (1 - 1e-10);
    for (const std::size_t near : {grid_.edges()[edge].prev, grid_.edges()[edge].next}) {
      const Vec2d q = nearest_on_segment(grid_.edges()[near].a, grid_.edges()[near].b, c);
      if (norm(c - q) < limit) return EdgeGrid::Nearest{near, q, norm2(c - q)};
    }
    const EdgeGrid::Nearest q = grid_.nearest(c);
    return std::sqrt(q.distance2) < limit ? std::optional(q) : std::nullopt;
  }

  // The maximal inscribed disc that touches p, by the shrinking ball (Ma, Bae, Choi 2012), kept when it is thinner than
  // all before and counts as a feature.
  void try_disc(std::size_t edge, Vec2d p, Vec2d inward) {
    constexpr int most_steps = 100;
    double r = width_ / 2;
    std::optional<EdgeGrid::Nearest> touch;
    for (int step = 0; step < most_steps; ++step) {
      const auto q = intruder(edge, p, inward, r);
      if (!q) break;
      const double depth = dot(inward, q->point - p);
      if (depth <= 0) break;  // q is p itself, up to rounding
      r = norm2(q->point - p) / (2 * depth);
      touch = q;
    }
    if (!touch) return;
    const Vec2d c = p + r * inward;
    const double gradient = norm((p - c) + (touch->point - c)) / (2 * r);
    if (gradient > critical || shares_thorn(edge, touch->edge) || shares_thorn(touch->edge, edge)) return;
    width_ = 2 * r;
    found_ = true;
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
  double width_;  // the least so far
  bool found_ = false;
};

// Largest inscribed disc by branch and bound over squares (V. Agafonkin, "polylabel", 2016).
double inscribed_diameter(const Outline& outline) {
  constexpr double precision = 1e-6;
  constexpr int most_squares = 50000;  // a sliver would need them without end; the best found is then a lower bound
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
  for (int squares = 0; squares < most_squares && !open.empty() && open.top().bound > best * (1 + precision);
       ++squares) {
    const Square square = open.top();
    open.pop();
    const double h = square.half / 2;
    for (const Vec2d corner : {Vec2d{-h, -h}, Vec2d{h, -h}, Vec2d{-h, h}, Vec2d{h, h}}) add(square.centre + corner, h);
  }
  return 2 * best;
}

}  // namespace

double thinnest_feature(const Outline& outline) {
  // No disc in the solid has more than its area.
  const double bound = 2.1 * std::sqrt(mass_properties(outline).area / std::numbers::pi);
  const std::optional<double> width = WidthFinder(outline, bound).smallest();
  return width ? *width : inscribed_diameter(outline);
}

}  // namespace scree
