// Rotational symmetry of an outline about the origin.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/shape/shape.hpp"

namespace scree {

namespace {

// Vertices sorted by x, to find the one at a given place.
class VertexIndex {
 public:
  VertexIndex(const Outline& outline, double tolerance) : tolerance_(tolerance) {
    for (const Loop& loop : outline.loops) {
      const std::size_t first = points_.size();
      for (std::size_t i = 0; i < loop.size(); ++i) {
        points_.push_back(loop[i]);
        next_.push_back(first + (i + 1) % loop.size());
      }
    }
    order_.resize(points_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return points_[a].x < points_[b].x; });
  }

  bool is_symmetric(int order) const {
    const Rotation2d turn(2 * std::numbers::pi / order);
    std::vector<std::size_t> image(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      image[i] = find(turn * points_[i]);
      if (image[i] == points_.size()) return false;
    }
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (image[next_[i]] != next_[image[i]]) return false;
    return true;
  }

  // The number of vertices at the largest distance from the origin. A rotation permutes them without fixed points, so
  // the symmetry order divides it.
  int outermost() const {
    double farthest = 0;
    for (const Vec2d p : points_) farthest = std::max(farthest, norm(p));
    int count = 0;
    for (const Vec2d p : points_) count += norm(p) >= farthest - tolerance_;
    return count;
  }

 private:
  // Nearest vertex within the tolerance, or points_.size().
  std::size_t find(Vec2d p) const {
    const auto below = [&](std::size_t i, double x) { return points_[i].x < x; };
    std::size_t best = points_.size();
    double best2 = tolerance_ * tolerance_;
    for (auto it = std::lower_bound(order_.begin(), order_.end(), p.x - tolerance_, below);
         it != order_.end() && points_[*it].x <= p.x + tolerance_; ++it) {
      const double d2 = norm2(points_[*it] - p);
      if (d2 <= best2) {
        best2 = d2;
        best = *it;
      }
    }
    return best;
  }

  std::vector<Vec2d> points_;
  std::vector<std::size_t> next_;  // the vertex that follows in the same loop
  std::vector<std::size_t> order_;
  double tolerance_;
};

}  // namespace

int symmetry_order(const Outline& outline, double tolerance) {
  const VertexIndex vertices(outline, tolerance);
  const int count = vertices.outermost();
  for (int order = count; order > 1; --order)
    if (count % order == 0 && vertices.is_symmetric(order)) return order;
  return 1;
}

}  // namespace scree
