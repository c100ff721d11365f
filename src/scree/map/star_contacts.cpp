#include "scree/map/star_contacts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace scree {
namespace {

// Nodes searched at once: the arrays stay in the second-level cache.
constexpr std::size_t nodes_at_once = 6400;

int following(int k, int n) { return k + 1 < n ? k + 1 : 0; }
int preceding(int k, int n) { return k > 0 ? k - 1 : n - 1; }

}  // namespace

ContactGeometry star_geometry(const StarSide& a, const StarSide& b, StarDistance distance, bool of_a, int node,
                              const StarPlacement& at) {
  const auto k = static_cast<std::size_t>(node);
  const Vec2d seen = at.seen(of_a, (of_a ? a : b).nodes[k]);
  const StarTable<double> table = (of_a ? b : a).view();
  const StarDepth<double> d =
      distance == StarDistance::radial ? star_distance<true>(table, seen) : star_distance<false>(table, seen);
  const Vec2d p = of_a ? a.nodes[k] : at.from_b(b.nodes[k]);
  ContactGeometry g;
  g.gap = d.distance;
  g.gap_x = of_a ? -(at.rotation * d.gradient) : d.gradient;
  g.gap_theta = cross(p - at.q.x, g.gap_x);
  const double length = norm(g.gap_x);
  g.arm = length > 0 ? dot(p - 0.5 * at.q.x, g.gap_x) / length : 0;
  return g;
}

void StarContacts::find(std::span<const Pose2d> poses, std::span<const NearParts> parts, std::vector<PairContact>& out,
                        std::vector<std::uint32_t>& ends) {
  const auto nodes = static_cast<std::size_t>(std::max(a_.node_count(), b_.node_count()));
  const std::size_t at_once = std::max<std::size_t>(1, nodes_at_once / nodes);
  for (std::size_t begin = 0; begin < poses.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, poses.size() - begin);
    places_.clear();
    for (const Pose2d& q : poses.subspan(begin, count)) places_.emplace_back(q, a_, b_);
    search_side(true, parts.subspan(begin, count));
    search_side(false, parts.subspan(begin, count));
    for (std::size_t k = 0; k < count; ++k) {
      runs_.clear();
      add_runs(true, k);
      runs_of_a_ = runs_.size();
      add_runs(false, k);
      join_runs(places_[k]);
      add_contacts(places_[k], out);
      ends.push_back(static_cast<std::uint32_t>(out.size()));
    }
  }
}

// Where the nodes of the given parts lie, and which of them are inside the other star.
void StarContacts::search_side(bool of_a, std::span<const NearParts> parts) {
  const StarSide& own = side(of_a);
  Search& s = search(of_a);
  s.tried.clear();
  s.x.resize(parts.size() * own.nodes.size());
  s.y.resize(s.x.size());
  std::uint32_t filled = 0;
  for (std::size_t pair = 0; pair < parts.size(); ++pair) {
    const Rotation2d turn = of_a ? places_[pair].turn_a : places_[pair].turn_b;
    const Vec2d shift = of_a ? places_[pair].shift_a : places_[pair].shift_b;
    auto left = static_cast<std::uint32_t>(of_a ? parts[pair] : parts[pair] >> most_star_parts);
    if (own.parts.size() < most_star_parts) left &= (1u << own.parts.size()) - 1;
    if (!std::isfinite(shift.x + shift.y + turn.c)) left = 0;  // the watchdog finds the grain
    while (left != 0) {
      const int i = std::countr_zero(left), run = std::countr_one(left >> i);
      const int first = own.parts[static_cast<std::size_t>(i)].first;
      const int count = own.parts[static_cast<std::size_t>(i + run - 1)].end - first;
      const double *u = own.node_x.data() + first, *v = own.node_y.data() + first;
      double *x = s.x.data() + filled, *y = s.y.data() + filled;
      for (int k = 0; k < count; ++k) x[k] = turn.c * u[k] - turn.s * v[k] + shift.x;
      for (int k = 0; k < count; ++k) y[k] = turn.s * u[k] + turn.c * v[k] + shift.y;
      const std::uint32_t begin = filled;
      filled += static_cast<std::uint32_t>(count);
      s.tried.push_back({static_cast<std::uint32_t>(pair), first, begin, filled});
      left = i + run < most_star_parts ? left >> (i + run) << (i + run) : 0;
    }
  }
  s.excess.resize(filled);
  star_excess(side(!of_a).view(), s.x.data(), s.y.data(), filled, s.excess.data());
  find_inside(of_a, parts.size());
}

void StarContacts::find_inside(bool of_a, std::size_t pairs) {
  Search& s = search(of_a);
  s.inside.resize(s.excess.size() + 1);
  s.ends.assign(pairs, 0);
  std::size_t found = 0;
  for (std::size_t t = 0; t < s.tried.size(); ++t) {
    const Tried& tried = s.tried[t];
    for (std::uint32_t at = tried.begin; at < tried.end; ++at) {
      s.inside[found] = {tried.first + static_cast<int>(at - tried.begin), at, static_cast<std::uint32_t>(t)};
      found += s.excess[at] < 0 ? 1 : 0;
    }
    s.ends[tried.pair] = static_cast<std::uint32_t>(found);
  }
  for (std::size_t k = 1; k < pairs; ++k) s.ends[k] = std::max(s.ends[k], s.ends[k - 1]);
  s.in_x.resize(found);
  s.in_y.resize(found);
  s.depth.resize(found);
  for (std::size_t k = 0; k < found; ++k) {
    s.in_x[k] = s.x[s.inside[k].at];
    s.in_y[k] = s.y[s.inside[k].at];
  }
  const StarTable<double> table = side(!of_a).view();
  if (distance_ == StarDistance::radial) {
    star_distances<true>(table, s.in_x.data(), s.in_y.data(), found, s.depth.data());
  } else {
    star_distances<false>(table, s.in_x.data(), s.in_y.data(), found, s.depth.data());
  }
}

// Excess of the node before or after one that is inside.
double StarContacts::excess_beside(bool of_a, const Inside& node, bool after, const StarPlacement& at) {
  const Search& s = search(of_a);
  const Tried& tried = s.tried[node.tried];
  if (after && node.at + 1 < tried.end) return s.excess[node.at + 1];
  if (!after && node.at > tried.begin) return s.excess[node.at - 1];
  const StarSide& own = side(of_a);
  const int n = own.node_count(), k = after ? following(node.node, n) : preceding(node.node, n);
  const Vec2d p = at.seen(of_a, own.nodes[static_cast<std::size_t>(k)]);
  const double r = radius_at(side(!of_a).view(), direction_number(p)).r;
  return norm2(p) - r * r;
}

void StarContacts::add_runs(bool of_a, std::size_t pair) {
  const Search& s = search(of_a);
  const std::uint32_t begin = pair > 0 ? s.ends[pair - 1] : 0, end = s.ends[pair], count = end - begin;
  if (count == 0) return;
  const int n = side(of_a).node_count();
  const auto place = [&](std::uint32_t k) { return begin + (k < count ? k : k - count); };
  const auto joined = [&](std::uint32_t k) {  // with the one before
    return s.inside[place(k)].node == following(s.inside[place(k > 0 ? k - 1 : count - 1)].node, n);
  };
  const bool bounded = count < static_cast<std::uint32_t>(n);
  std::uint32_t start = 0;  // of a run, so that none is cut in two
  while (bounded && joined(start)) ++start;
  for (std::uint32_t k = start; k < start + count;) {
    Run run;
    run.of_a = of_a;
    run.bounded = bounded;
    run.first = run.deepest = run.last = s.inside[place(k)];
    run.distance = s.depth[place(k)];
    for (++k; k < start + count && joined(k); ++k) {
      run.last = s.inside[place(k)];
      if (s.depth[place(k)] < run.distance) run.deepest = run.last, run.distance = s.depth[place(k)];
    }
    run.overlap = runs_.size();
    runs_.push_back(run);
  }
}

// Both outlines run counter-clockwise, so A's leaves an overlap where B's enters it: where that is, between the node
// inside and its neighbour outside, is known to within the spacing of the two.
bool StarContacts::same_overlap(const StarPlacement& at, const Run& a, const Run& b) {
  struct Crossing {
    Vec2d point;
    double spacing;
  };
  const auto crossing = [&](const Run& run, bool at_end) {
    const StarSide& own = side(run.of_a);
    const Inside& in = at_end ? run.last : run.first;
    const int n = own.node_count(), out = at_end ? following(in.node, n) : preceding(in.node, n);
    const double e_in = search(run.of_a).excess[in.at], e_out = excess_beside(run.of_a, in, at_end, at);
    Vec2d p = own.nodes[static_cast<std::size_t>(in.node)], q = own.nodes[static_cast<std::size_t>(out)];
    if (!run.of_a) p = at.from_b(p), q = at.from_b(q);
    return Crossing{p + (e_in / (e_in - e_out)) * (q - p), norm(q - p)};
  };
  const auto meet = [](const Crossing& p, const Crossing& q) {
    return norm(p.point - q.point) <= 0.5 * (p.spacing + q.spacing);
  };
  return a.bounded && b.bounded &&
         (meet(crossing(a, true), crossing(b, false)) || meet(crossing(a, false), crossing(b, true)));
}

void StarContacts::join_runs(const StarPlacement& at) {
  for (std::size_t i = 0; i < runs_of_a_; ++i)
    for (std::size_t j = runs_of_a_; j < runs_.size(); ++j) {
      if (runs_[i].overlap == runs_[j].overlap || !same_overlap(at, runs_[i], runs_[j])) continue;
      const std::size_t gone = std::max(runs_[i].overlap, runs_[j].overlap);
      const std::size_t kept = std::min(runs_[i].overlap, runs_[j].overlap);
      for (Run& run : runs_)
        if (run.overlap == gone) run.overlap = kept;
    }
}

// One for each overlap, at its deepest node.
void StarContacts::add_contacts(const StarPlacement& at, std::vector<PairContact>& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].overlap != i) continue;
    const Run* deepest = &runs_[i];
    for (std::size_t k = i + 1; k < runs_.size(); ++k)
      if (runs_[k].overlap == i && runs_[k].distance < deepest->distance) deepest = &runs_[k];
    const bool of_a = deepest->of_a;
    const Inside& node = deepest->deepest;
    const int opposite = side(!of_a).node_towards({search(of_a).x[node.at], search(of_a).y[node.at]});
    const int on_a = of_a ? node.node : opposite, on_b = of_a ? opposite : node.node;
    out.push_back({star_geometry(a_, b_, distance_, of_a, node.node, at),
                   static_cast<std::uint32_t>(on_a) << 16 | static_cast<std::uint32_t>(on_b)});
  }
  if (out.size() < before + 2) return;
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
            [](const PairContact& s, const PairContact& t) { return s.feature < t.feature; });
}

}  // namespace scree
