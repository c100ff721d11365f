#include "scree/map/star_map.hpp"

#include <algorithm>
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
      distance_(distance),
      outline_a_(pair.a->outline.loops.front(), a_->centre, 1),
      outline_b_(pair.b->outline.loops.front(), b_->centre, pair.ratio) {}

std::size_t StarMap::bytes() const {
  const auto side = [](const StarSide& s) {
    return s.nodes.size() * (sizeof(Vec2d) + 2 * sizeof(float) + sizeof(double)) +
           (s.clearance.size() + s.steep2.size()) * sizeof(float) + s.parts.size() * sizeof(StarPart) +
           s.table.size() * (sizeof(StarEntry<double>) + sizeof(StarRise<float>) + sizeof(std::uint16_t));
  };
  return sizeof *this + side(*a_) + (a_ == b_ ? 0 : side(*b_)) + outline_a_.bytes() + outline_b_.bytes();
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

// Over all nodes, so that the gap is there and continuous without contact too.
void StarMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  std::vector<double> x, y, distance;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const StarPlacement at = star_placement(poses[i], *a_, *b_);
    double least = std::numeric_limits<double>::infinity();
    bool of_a = true;
    int node = 0;
    for (const bool side : {true, false}) {
      x.clear(), y.clear();
      for (const Vec2d& own : (side ? a_ : b_)->nodes) {
        const Vec2d p = at.seen(side, own);
        x.push_back(p.x), y.push_back(p.y);
      }
      const std::size_t count = x.size(), length = whole_blocks(count);
      x.resize(length), y.resize(length), distance.resize(length);
      const StarTable<double> table = (side ? b_ : a_)->view();
      if (distance_ == StarDistance::radial) {
        star_distances<true>(table, x.data(), y.data(), count, distance.data());
      } else {
        star_distances<false>(table, x.data(), y.data(), count, distance.data());
      }
      const auto nearest = std::min_element(distance.begin(), distance.begin() + static_cast<std::ptrdiff_t>(count));
      if (*nearest < least) least = *nearest, of_a = side, node = static_cast<int>(nearest - distance.begin());
    }
    const Vec2d p = (of_a ? a_ : b_)->nodes[static_cast<std::size_t>(node)], seen = at.seen(of_a, p);
    const StarTable<double> table = (of_a ? b_ : a_)->view();
    out[i] = star_geometry(
        at, of_a, p,
        distance_ == StarDistance::radial ? star_distance<true>(table, seen) : star_distance<false>(table, seen));
  }
}

// A node in a notch touches both of its flanks, but is told from one: the other is seen from beside the node, where it
// lies above the first. Where it lies below, the node is before a tip, which has no two sides to touch.
void StarMap::add_nearest(const NearNode& n, const StarPlacement& at, double way, std::vector<PairContact>& out) const {
  const StarOutline& other = n.of_a ? outline_b_ : outline_a_;
  const auto add = [&](double distance, Vec2d gradient) {
    out.push_back({star_geometry(at, n.of_a, n.node, StarDepth<double>{distance, gradient}), 0});
  };
  add(n.from.distance, n.from.gradient);
  for (const double aside : {-way, way}) {
    const Vec2d by = aside * perp(n.from.gradient);
    const StarOutline::Answer beside = other.at(n.seen + by);
    const double here = beside.distance - dot(beside.gradient, by);
    if (here > n.from.distance) add(here, beside.gradient);
  }
}

// By true distances from the outlines: where nothing touches, the first-order one may be far off beside sharp corners.
void StarMap::nearest(const Pose2d& q, double way, std::vector<PairContact>& out) const {
  thread_local std::vector<NearNode> near;
  near.clear();
  const StarPlacement at = star_placement(q, *a_, *b_);
  const StarPairView<double> pair = view();
  for (const bool of_a : {true, false}) {
    const StarSide& other = *(of_a ? b_ : a_);
    for (const Vec2d& node : (of_a ? a_ : b_)->nodes) {
      const Vec2d from_star = at.seen(of_a, node), seen = from_star + other.centre;
      const bool outside = norm(from_star) > radius_at(other.view(), direction_number(from_star)).r;
      const double at_least = outside ? clearance_at(pair.side(!of_a), seen) : -std::numeric_limits<double>::infinity();
      near.push_back({of_a, node, seen, at_least, {}});
    }
  }
  // From the one that may be the nearest on, few of the others can be nearer.
  const auto ask = [&](NearNode& n) { n.from = (n.of_a ? outline_b_ : outline_a_).at(n.seen); };
  NearNode& promising = *std::ranges::min_element(near, {}, &NearNode::at_least);
  ask(promising);
  double least = promising.from.distance;
  std::size_t kept = 0;
  for (NearNode n : near) {
    if (n.at_least > least + nearest_within * way) continue;
    ask(n);
    least = std::min(least, n.from.distance);
    near[kept++] = n;
  }
  near.resize(kept);
  const std::size_t begin = out.size();
  for (const NearNode& n : near) {
    if (!(n.from.distance - least <= nearest_within * way)) continue;
    const std::size_t first = out.size();
    add_nearest(n, at, way, out);
    if (out[first].geometry.gap < out[begin].geometry.gap) std::swap(out[first], out[begin]);
  }
}

}  // namespace scree
