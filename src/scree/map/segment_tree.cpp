#include "scree/map/segment_tree.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>

namespace scree {
namespace {

constexpr std::size_t leaf_size = 10;
constexpr int max_depth = 5;

double distance2(const BoundarySegment& s, Vec2d x, double& along) {
  const Vec2d w = x - s.from;
  along = std::min(std::max(dot(w, s.direction), 0.0), s.length);
  return norm2(w - along * s.direction);
}

}  // namespace

NearestSegment nearest_segment(const std::vector<BoundarySegment>& segments, std::span<const int> ids, Vec2d x) {
  NearestSegment best;
  best.distance2 = std::numeric_limits<double>::infinity();
  const auto look = [&](int i) {
    double along;
    const double d2 = distance2(segments[static_cast<std::size_t>(i)], x, along);
    if (d2 < best.distance2) best = {i, along, d2};
  };
  if (ids.empty())
    for (int i = 0; i < static_cast<int>(segments.size()); ++i) look(i);
  else
    for (const int i : ids) look(i);
  return best;
}

SegmentTree::SegmentTree(const std::vector<BoundarySegment>& segments, double half) : half_(half) {
  const std::size_t n = segments.size();
  Scratch scratch{std::vector<int>((max_depth + 2) * n), std::vector<double>(n)};
  std::iota(scratch.ids.begin(), scratch.ids.begin() + static_cast<std::ptrdiff_t>(n), 0);
  nodes_.reserve(1024);
  ids_.reserve(8192);
  nodes_.emplace_back();
  refine(segments, 0, {0, 0}, half, 0, n, 0, scratch);
}

void SegmentTree::refine(const std::vector<BoundarySegment>& segments, int node, Vec2d centre, double half,
                         std::size_t begin, std::size_t end, int depth, Scratch& scratch) {
  int* ids = scratch.ids.data();
  double* d2 = scratch.distance2.data();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = begin; k < end; ++k) {
    double along;
    d2[k - begin] = distance2(segments[static_cast<std::size_t>(ids[k])], centre, along);
    least = std::min(least, d2[k - begin]);
  }
  const double limit = std::sqrt(least) + 2 * std::numbers::sqrt2 * half * (1 + 1e-12) + 1e-12;
  std::size_t top = end;
  for (std::size_t k = begin; k < end; ++k)
    if (d2[k - begin] <= limit * limit) ids[top++] = ids[k];
  if (depth == max_depth || top - end <= leaf_size) {
    Node& leaf = nodes_[static_cast<std::size_t>(node)];
    leaf.begin = static_cast<int>(ids_.size());
    ids_.insert(ids_.end(), ids + end, ids + top);
    leaf.end = static_cast<int>(ids_.size());
    return;
  }
  const int child = static_cast<int>(nodes_.size());
  nodes_[static_cast<std::size_t>(node)].child = child;
  nodes_.resize(nodes_.size() + 4);
  const double h = 0.5 * half;
  for (int k = 0; k < 4; ++k)
    refine(segments, child + k, {centre.x + (k & 1 ? h : -h), centre.y + (k & 2 ? h : -h)}, h, end, top, depth + 1,
           scratch);
}

std::span<const int> SegmentTree::candidates(Vec2d x) const {
  if (std::abs(x.x) > half_ || std::abs(x.y) > half_) return {};
  Vec2d centre;
  double h = half_;
  const Node* node = &nodes_[0];
  while (node->child >= 0) {
    h *= 0.5;
    const int right = x.x >= centre.x, up = x.y >= centre.y;
    centre += {right ? h : -h, up ? h : -h};
    node = &nodes_[static_cast<std::size_t>(node->child + right + 2 * up)];
  }
  return {ids_.data() + node->begin, ids_.data() + node->end};
}

}  // namespace scree
