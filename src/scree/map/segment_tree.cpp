#include "scree/map/segment_tree.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>

namespace scree {
namespace {

constexpr int leaf_size = 10;
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
  std::vector<int> all(segments.size());
  std::iota(all.begin(), all.end(), 0);
  nodes_.reserve(1024);
  nodes_.emplace_back();
  refine(segments, 0, {0, 0}, half, all, 0);
}

void SegmentTree::refine(const std::vector<BoundarySegment>& segments, int node, Vec2d centre, double half,
                         const std::vector<int>& ids, int depth) {
  std::vector<double> distance(ids.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    double along;
    distance[k] = std::sqrt(distance2(segments[static_cast<std::size_t>(ids[k])], centre, along));
    least = std::min(least, distance[k]);
  }
  const double limit = least + 2 * std::numbers::sqrt2 * half * (1 + 1e-12) + 1e-12;
  std::vector<int> near;
  for (std::size_t k = 0; k < ids.size(); ++k)
    if (distance[k] <= limit) near.push_back(ids[k]);
  if (depth == max_depth || static_cast<int>(near.size()) <= leaf_size) {
    Node& leaf = nodes_[static_cast<std::size_t>(node)];
    leaf.begin = static_cast<int>(ids_.size());
    ids_.insert(ids_.end(), near.begin(), near.end());
    leaf.end = static_cast<int>(ids_.size());
    return;
  }
  const int child = static_cast<int>(nodes_.size());
  nodes_[static_cast<std::size_t>(node)].child = child;
  nodes_.resize(nodes_.size() + 4);
  const double h = 0.5 * half;
  for (int k = 0; k < 4; ++k)
    refine(segments, child + k, {centre.x + (k & 1 ? h : -h), centre.y + (k & 2 ? h : -h)}, h, near, depth + 1);
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
