#include "scree/map/piece_sums.hpp"

#include <algorithm>
#include <limits>

namespace scree {
namespace {

// Two pieces that share an edge must leave no crack between their sums.
constexpr double seam = 1e-11;

std::size_t lowest_vertex(const ConvexPiece& p) {
  std::size_t k = 0;
  for (std::size_t i = 1; i < p.size(); ++i)
    if (p[i].y < p[k].y || (p[i].y == p[k].y && p[i].x < p[k].x)) k = i;
  return k;
}

}  // namespace

PieceSums::PieceSums(const std::vector<ConvexPiece>& a, const std::vector<ConvexPiece>& c, double half) : half_(half) {
  const auto corners = [](const std::vector<ConvexPiece>& pieces) {
    std::size_t n = 0;
    for (const ConvexPiece& p : pieces) n += p.size();
    return n;
  };
  sums_.reserve(a.size() * c.size());
  planes_.reserve(corners(a) * c.size() + corners(c) * a.size());
  for (const ConvexPiece& p : a)
    for (const ConvexPiece& q : c) add_sum(p, q);
  fill_cells();
}

// Edges of the sum are the edges of both, merged by direction.
void PieceSums::add_sum(const ConvexPiece& a, const ConvexPiece& c) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Sum sum{{inf, inf}, {-inf, -inf}, static_cast<int>(planes_.size()), 0};
  std::size_t i = lowest_vertex(a), j = lowest_vertex(c);
  std::size_t left_a = a.size(), left_c = c.size();
  Vec2d at = a[i] + c[j];
  while (left_a + left_c > 0) {
    const Vec2d ea = a[(i + 1) % a.size()] - a[i];
    const Vec2d ec = c[(j + 1) % c.size()] - c[j];
    const bool take_a = left_c == 0 || (left_a > 0 && cross(ea, ec) > 0);
    const Vec2d e = take_a ? ea : ec;
    if (take_a) {
      i = (i + 1) % a.size();
      --left_a;
    } else {
      j = (j + 1) % c.size();
      --left_c;
    }
    const double length = norm(e);
    const Vec2d n = (1 / length) * Vec2d{e.y, -e.x};
    planes_.push_back({n, dot(n, at)});
    at += e;
    sum.low = {std::min(sum.low.x, at.x), std::min(sum.low.y, at.y)};
    sum.high = {std::max(sum.high.x, at.x), std::max(sum.high.y, at.y)};
  }
  sum.end = static_cast<int>(planes_.size());
  sums_.push_back(sum);
}

int PieceSums::cell_of(Vec2d x) const {
  const double scale = cells_ / (2 * half_);
  const int i = std::clamp(static_cast<int>((x.x + half_) * scale), 0, cells_ - 1);
  const int j = std::clamp(static_cast<int>((x.y + half_) * scale), 0, cells_ - 1);
  return j * cells_ + i;
}

void PieceSums::fill_cells() {
  std::vector<int> count(cells_ * cells_ + 1, 0);
  const auto each_cell = [&](const auto& body) {
    for (std::size_t s = 0; s < sums_.size(); ++s) {
      const int low = cell_of(sums_[s].low), high = cell_of(sums_[s].high);
      for (int j = low / cells_; j <= high / cells_; ++j)
        for (int i = low % cells_; i <= high % cells_; ++i) body(static_cast<std::size_t>(j * cells_ + i), s);
    }
  };
  each_cell([&](std::size_t cell, std::size_t) { ++count[cell + 1]; });
  for (std::size_t k = 1; k < count.size(); ++k) count[k] += count[k - 1];
  cell_begin_ = count;
  cell_sums_.resize(static_cast<std::size_t>(count.back()));
  each_cell([&](std::size_t cell, std::size_t s) {
    cell_sums_[static_cast<std::size_t>(count[cell]++)] = static_cast<int>(s);
  });
}

bool PieceSums::in_sum(const Sum& sum, Vec2d x, double slack) const {
  if (x.x < sum.low.x - slack || x.x > sum.high.x + slack || x.y < sum.low.y - slack || x.y > sum.high.y + slack)
    return false;
  for (int k = sum.begin; k < sum.end; ++k) {
    const HalfPlane& plane = planes_[static_cast<std::size_t>(k)];
    if (dot(plane.normal, x) > plane.offset + slack) return false;
  }
  return true;
}

bool PieceSums::contains(Vec2d x) const {
  const auto cell = static_cast<std::size_t>(cell_of(x));
  for (int k = cell_begin_[cell]; k < cell_begin_[cell + 1]; ++k)
    if (in_sum(sums_[static_cast<std::size_t>(cell_sums_[static_cast<std::size_t>(k)])], x, seam)) return true;
  return false;
}

bool PieceSums::contains_segment(Vec2d p, Vec2d q, double margin) const {
  const auto cell = static_cast<std::size_t>(cell_of(0.5 * (p + q)));
  for (int k = cell_begin_[cell]; k < cell_begin_[cell + 1]; ++k) {
    const Sum& sum = sums_[static_cast<std::size_t>(cell_sums_[static_cast<std::size_t>(k)])];
    if (in_sum(sum, p, -margin) && in_sum(sum, q, -margin)) return true;
  }
  return false;
}

}  // namespace scree
