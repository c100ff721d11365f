#include "scree/map/star_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scree/map/star_contacts.hpp"
#include "scree/map/star_near_kernel.hpp"
#include "scree/shape/star.hpp"

namespace scree {
namespace {

int rounded_up(int nodes, int symmetry) {
  const int order = std::max(1, symmetry);
  return (nodes + order - 1) / order * order;
}

}  // namespace

StarMap::StarMap(const ShapePair& pair, int nodes, StarDistance distance)
    : ContactMap(pair.reach()),
      a_(std::make_shared<StarSide>(Radial(*pair.a), rounded_up(nodes, pair.a->symmetry), 1)),
      b_(pair.a == pair.b && pair.ratio == 1
             ? a_
             : std::make_shared<StarSide>(Radial(*pair.b), rounded_up(nodes, pair.b->symmetry), pair.ratio)),
      distance_(distance) {}

std::size_t StarMap::bytes() const {
  const auto side = [](const StarSide& s) {
    return s.nodes.size() * (sizeof(Vec2d) + 2 * sizeof(float) + sizeof(double)) +
           (s.clearance.size() + s.steep2.size()) * sizeof(float) + s.parts.size() * sizeof(StarPart) +
           s.table.size() * (sizeof(StarEntry<double>) + sizeof(StarRise<float>) + sizeof(std::uint16_t));
  };
  return sizeof *this + side(*a_) + (a_ == b_ ? 0 : side(*b_));
}

// Parts of one side with a node near the boundary of the other.
NearParts StarMap::near_side(bool of_a, const StarPlacement& at, double margin) const {
  const StarSide &own = of_a ? *a_ : *b_, &other = of_a ? *b_ : *a_;
  thread_local std::vector<float> x, y, excess;
  x.clear(), y.clear();
  for (const Vec2d& node : own.nodes) {
    const Vec2d p = at.seen(of_a, node);
    x.push_back(static_cast<float>(p.x)), y.push_back(static_cast<float>(p.y));
  }
  const std::size_t count = x.size(), length = whole_blocks(count);
  x.resize(length), y.resize(length), excess.resize(length);
  star_excess(other.rises.data(), other.view().size, x.data(), y.data(), count, excess.data());
  const float error = other.excess_error(own);
  const StarPairView<double> pair = view();
  NearParts near = 0;
  for (int i = 0; i < pair.side(of_a).part_count; ++i) {
    const StarPart& part = pair.side(of_a).parts[i];
    // Nodes that the boundary does not come near stay inside, or outside.
    const bool inside =
        std::any_of(excess.begin() + part.first, excess.begin() + part.end, [&](float e) { return e < error; });
    if (inside || part_meets(pair, at, of_a, i, margin)) near |= NearParts{1} << i;
  }
  return near;
}

NearParts StarMap::near_parts(const Pose2d& q, double margin) const {
  if (!std::isfinite(q.theta + q.x.x + q.x.y)) return all_parts;
  const StarPlacement at = star_placement(q, *a_, *b_);
  return near_side(true, at, margin) | near_side(false, at, margin) << most_star_parts;
}

void StarMap::touching(const Pose2d& q, NearParts parts, std::vector<PairContact>& out) const {
  std::vector<std::uint32_t> ends;
  touching_batch({&q, 1}, {&parts, 1}, out, ends);
}

void StarMap::touching_batch(std::span<const Pose2d> poses, std::span<const NearParts> parts,
                             std::vector<PairContact>& out, std::vector<std::uint32_t>& ends) const {
  thread_local StarContacts search;
  search.find(*a_, *b_, distance_, poses, parts, out, ends);
}

double StarMap::feature_distance(std::uint32_t before, std::uint32_t now) const {
  return star_feature_distance<double>(before, now, a_->node_count(), b_->node_count());
}

StarPairView<double> StarMap::view() const {
  return {a_->side_view(),       b_->side_view(),       distance_ == StarDistance::radial,
          b_->excess_error(*a_), a_->excess_error(*b_), 0};
}

void StarMap::distances(bool of_a, const StarPlacement& at, std::vector<double>& out) const {
  thread_local std::vector<double> x, y;
  x.clear(), y.clear();
  for (const Vec2d& own : (of_a ? a_ : b_)->nodes) {
    const Vec2d p = at.seen(of_a, own);
    x.push_back(p.x), y.push_back(p.y);
  }
  const std::size_t count = x.size(), length = whole_blocks(count);
  x.resize(length), y.resize(length), out.resize(length);
  const StarTable<double> table = (of_a ? b_ : a_)->view();
  if (distance_ == StarDistance::radial) {
    star_distances<true>(table, x.data(), y.data(), count, out.data());
  } else {
    star_distances<false>(table, x.data(), y.data(), count, out.data());
  }
  out.resize(count);
}

StarDepth<double> StarMap::depth(bool of_a, Vec2d seen) const {
  const StarTable<double> table = (of_a ? b_ : a_)->view();
  return distance_ == StarDistance::radial ? star_distance<true>(table, seen) : star_distance<false>(table, seen);
}

// A node in a notch touches both of its flanks, but is told from one: the other is seen from beside the node, where it
// lies above the first. Where it lies below, the node is before a tip, which has no two sides to touch.
void StarMap::add_nearest(bool of_a, Vec2d node, const StarPlacement& at, double way,
                          std::vector<PairContact>& out) const {
  const Vec2d seen = at.seen(of_a, node);
  const StarDepth<double> here = depth(of_a, seen);
  out.push_back({star_geometry(at, of_a, node, here), 0});
  const double rho = norm(seen);
  if (!(rho > way)) return;
  for (const double aside : {-way, way}) {
    const Vec2d by = (aside / rho) * perp(seen);
    StarDepth<double> beside = depth(of_a, seen + by);
    beside.distance -= dot(beside.gradient, by);
    if (beside.distance > here.distance) out.push_back({star_geometry(at, of_a, node, beside), 0});
  }
}

void StarMap::nearest(const Pose2d& q, double way, std::vector<PairContact>& out) const {
  thread_local std::array<std::vector<double>, 2> distance;
  const StarPlacement at = star_placement(q, *a_, *b_);
  double least = std::numeric_limits<double>::infinity();
  for (const bool of_a : {true, false}) {
    distances(of_a, at, distance[of_a]);
    least = std::min(least, std::ranges::min(distance[of_a]));
  }
  const std::size_t begin = out.size();
  for (const bool of_a : {true, false}) {
    for (std::size_t k = 0; k < distance[of_a].size(); ++k) {
      if (!(distance[of_a][k] - least < nearest_within * way)) continue;
      const std::size_t first = out.size();
      add_nearest(of_a, (of_a ? a_ : b_)->nodes[k], at, way, out);
      if (out[first].geometry.gap < out[begin].geometry.gap) std::swap(out[first], out[begin]);
    }
  }
}

// Over all nodes, so that the gap is there and continuous without contact too.
void StarMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  std::vector<double> distance;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const StarPlacement at = star_placement(poses[i], *a_, *b_);
    double least = std::numeric_limits<double>::infinity();
    bool of_a = true;
    std::size_t node = 0;
    for (const bool side : {true, false}) {
      distances(side, at, distance);
      const auto nearest = std::ranges::min_element(distance);
      if (*nearest < least) least = *nearest, of_a = side, node = static_cast<std::size_t>(nearest - distance.begin());
    }
    const Vec2d p = (of_a ? a_ : b_)->nodes[node];
    out[i] = star_geometry(at, of_a, p, depth(of_a, at.seen(of_a, p)));
  }
}

}  // namespace scree
