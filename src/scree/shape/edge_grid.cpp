#include "scree/shape/edge_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {

namespace {

// Share of a cell by which an edge is thickened when it is put into cells, so that edges that touch share a cell.
constexpr double margin = 1e-3;

}  // namespace

std::vector<OutlineEdge> outline_edges(const Outline& outline) {
  std::vector<OutlineEdge> edges;
  edges.reserve(outline.vertex_count());
  for (std::size_t l = 0; l < outline.loops.size(); ++l) {
    const Loop& loop = outline.loops[l];
    const std::size_t first = edges.size();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::size_t before = (i + loop.size() - 1) % loop.size();
      const std::size_t after = (i + 1) % loop.size();
      edges.push_back({loop[i], loop[after], l, i, first + before, first + after});
    }
  }
  return edges;
}

EdgeGrid::EdgeGrid(std::vector<OutlineEdge> edges) : edges_(std::move(edges)) {
  if (edges_.empty()) return;
  Vec2d high = low_ = edges_.front().a;
  for (const OutlineEdge& e : edges_) {
    low_ = {std::min(low_.x, e.a.x), std::min(low_.y, e.a.y)};
    high = {std::max(high.x, e.a.x), std::max(high.y, e.a.y)};
  }
  const Vec2d extent = high - low_;
  const double longest = std::max({extent.x, extent.y, std::numeric_limits<double>::min()});
  size_ = longest / std::clamp(std::ceil(std::sqrt(static_cast<double>(edges_.size()))), 1.0, 256.0);
  nx_ = static_cast<int>(extent.x / size_) + 1;
  ny_ = static_cast<int>(extent.y / size_) + 1;
  starts_.assign(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_) + 1, 0);
  for (const OutlineEdge& e : edges_) for_cells_of(e, [&](std::size_t c) { ++starts_[c + 1]; });
  for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
  items_.resize(starts_.back());
  std::vector<std::size_t> fill(starts_.begin(), starts_.end() - 1);
  for (std::size_t k = 0; k < edges_.size(); ++k)
    for_cells_of(edges_[k], [&](std::size_t c) { items_[fill[c]++] = k; });
}

int EdgeGrid::column(double x) const {
  return static_cast<int>(std::clamp(std::floor((x - low_.x) / size_), 0.0, static_cast<double>(nx_ - 1)));
}

int EdgeGrid::row(double y) const {
  return static_cast<int>(std::clamp(std::floor((y - low_.y) / size_), 0.0, static_cast<double>(ny_ - 1)));
}

template <class Visit>
void EdgeGrid::for_cells_of(const OutlineEdge& e, Visit&& visit) const {
  const double pad = margin * size_;
  const Vec2d lower = e.a.y <= e.b.y ? e.a : e.b;
  const Vec2d upper = e.a.y <= e.b.y ? e.b : e.a;
  const double rise = upper.y - lower.y;
  const auto x_at = [&](double y) {
    const double t = rise > pad ? std::clamp((y - lower.y) / rise, 0.0, 1.0) : 0.0;
    return lower.x + t * (upper.x - lower.x);
  };
  for (int j = row(lower.y - pad), last = row(upper.y + pad); j <= last; ++j) {
    const double floor_y = low_.y + j * size_;
    double x0 = rise > pad ? x_at(floor_y - pad) : lower.x;
    double x1 = rise > pad ? x_at(floor_y + size_ + pad) : upper.x;
    if (x0 > x1) std::swap(x0, x1);
    for (int i = column(x0 - pad), right = column(x1 + pad); i <= right; ++i) visit(cell(i, j));
  }
}

void EdgeGrid::search_cell(int i, int j, Vec2d p, Nearest& best) const {
  if (i < 0 || j < 0 || i >= nx_ || j >= ny_) return;
  const std::size_t c = cell(i, j);
  for (std::size_t m = starts_[c]; m < starts_[c + 1]; ++m) {
    const OutlineEdge& e = edges_[items_[m]];
    const Vec2d q = nearest_on_segment(e.a, e.b, p);
    const double d2 = norm2(p - q);
    if (d2 < best.distance2) best = {items_[m], q, d2};
  }
}

EdgeGrid::Nearest EdgeGrid::nearest(Vec2d p) const {
  Nearest best;
  best.distance2 = std::numeric_limits<double>::infinity();
  const int ci = column(p.x);
  const int cj = row(p.y);
  // A cell r + 1 rings away is at least r cells from p, also when p lies outside the grid.
  for (int r = 0; r <= std::max(nx_, ny_); ++r) {
    for (int i = ci - r; i <= ci + r; ++i) {
      search_cell(i, cj - r, p, best);
      if (r > 0) search_cell(i, cj + r, p, best);
    }
    for (int j = cj - r + 1; j < cj + r; ++j) {
      search_cell(ci - r, j, p, best);
      search_cell(ci + r, j, p, best);
    }
    if (best.distance2 <= (r * size_) * (r * size_)) break;
  }
  return best;
}

}  // namespace scree
