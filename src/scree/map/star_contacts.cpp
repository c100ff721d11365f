#include "scree/map/star_contacts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace scree {
namespace {

// Nodes searched at once: the arrays stay in the first-level cache.
constexpr std::size_t nodes_at_once = 1600;

int following(int k, int n) { return k + 1 < n ? k + 1 : 0; }
int preceding(int k, int n) { return k > 0 ? k - 1 : n - 1; }

void place_group(const double* __restrict u, const double* __restrict v, Rotation2d turn, Vec2d shift,
                 double* __restrict x, double* __restrict y) {
  for (int k = 0; k < star_group; ++k) {
    x[k] = turn.c * u[k] - turn.s * v[k] + shift.x;
    y[k] = turn.s * u[k] + turn.c * v[k] + shift.y;
  }
}

}  // namespace

ContactGeometry star_geometry(const StarSide& a, const StarSide& b, bool of_a, int node, const StarPlacement& at,
                              const StarDepth<double>& depth) {
  const auto k = static_cast<std::size_t>(node);
  const Vec2d p = of_a ? a.nodes[k] : at.from_b(b.nodes[k]);
  ContactGeometry g;
  g.gap = depth.distance;
  g.gap_x = of_a ? -(at.rotation * depth.gradient) : depth.gradient;
  g.gap_theta = cross(p - at.q.x, g.gap_x);
  const double length = norm(g.gap_x);
  g.arm = length > 0 ? dot(p - 0.5 * at.q.x, g.gap_x) / length : 0;
  return g;
}

void StarContacts::find(const StarSide& a, const StarSide& b, StarDistance distance, std::span<const Pose2d> poses,
                        std::span<const NearParts> parts, std::vector<PairContact>& out,
                        std::vector<std::uint32_t>& ends) {
  a_ = &a, b_ = &b, distance_ = distance;
  const auto nodes = static_cast<std::size_t>(std::max(a.node_count(), b.node_count()));
  const std::size_t at_once = std::max<std::size_t>(1, nodes_at_once / nodes);
  for (std::size_t begin = 0; begin < poses.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, poses.size() - begin);
    places_.clear();
    for (const Pose2d& q : poses.subspan(begin, count)) places_.emplace_back(q, a, b);
    search_side(true, parts.subspan(begin, count));
    search_side(false, parts.subspan(begin, count));
    chosen_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      runs_.clear();
      add_runs(true, k);
      runs_of_a_ = runs_.size();
      add_runs(false, k);
      join_runs(places_[k]);
      choose(k);
    }
    add_contacts(count, out, ends);
  }
}

// Where the nodes of the given parts lie, and which of them are inside the other star.
void StarContacts::search_side(bool of_a, std::span<const NearParts> parts) {
  const StarSide& own = side(of_a);
  Search& s = search(of_a);
  const std::size_t most = parts.size() * own.node_x.size();
  if (s.x.size() < most) s.x.resize(most), s.y.resize(most), s.excess.resize(most), s.inside.resize(most + 1);
  s.tried.clear();
  double *x = s.x.data(), *y = s.y.data();
  for (std::size_t pair = 0; pair < parts.size(); ++pair) {
    const Rotation2d turn = of_a ? places_[pair].turn_a : places_[pair].turn_b;
    const Vec2d shift = of_a ? places_[pair].shift_a : places_[pair].shift_b;
    auto left = static_cast<std::uint32_t>(of_a ? parts[pair] : parts[pair] >> most_star_parts);
    if (own.parts.size() < most_star_parts) left &= (1u << own.parts.size()) - 1;
    if (!std::isfinite(shift.x + shift.y + turn.c)) left = 0;  // the watchdog finds the grain
    for (; left != 0; left &= left - 1) {
      const StarPart& part = own.parts[static_cast<std::size_t>(std::countr_zero(left))];
      for (int first = part.first; first < part.end; first += star_group) {
        place_group(own.node_x.data() + first, own.node_y.data() + first, turn, shift, x, y);
        x += star_group, y += star_group;
        s.tried.push_back({static_cast<std::uint32_t>(pair), first});
      }
    }
  }
  star_excess(side(!of_a).view(), s.x.data(), s.y.data(), star_group * s.tried.size(), s.excess.data());
  find_inside(of_a, parts.size());
}

void StarContacts::find_inside(bool of_a, std::size_t pairs) {
  Search& s = search(of_a);
  const auto count = static_cast<std::uint32_t>(star_group * s.tried.size());
  std::uint32_t* const inside = s.inside.data();
  const double* const excess = s.excess.data();
  std::size_t found = 0;
  for (std::uint32_t at = 0; at < count; ++at) {
    inside[found] = at;
    found += excess[at] < 0 ? 1 : 0;
  }
  s.ends.assign(pairs, 0);
  s.in_x.resize(found);
  s.in_y.resize(found);
  s.depth.resize(found);
  for (std::size_t k = 0; k < found; ++k) {
    s.in_x[k] = s.x[inside[k]];
    s.in_y[k] = s.y[inside[k]];
    s.ends[s.tried[inside[k] / star_group].pair] = static_cast<std::uint32_t>(k + 1);
  }
  for (std::size_t k = 1; k < pairs; ++k) s.ends[k] = std::max(s.ends[k], s.ends[k - 1]);
  const StarTable<double> table = side(!of_a).view();
  if (distance_ == StarDistance::radial) {
    star_distances<true>(table, s.in_x.data(), s.in_y.data(), found, s.depth.data());
  } else {
    star_distances<false>(table, s.in_x.data(), s.in_y.data(), found, s.depth.data());
  }
}

// Excess of the node before or after one that is inside.
double StarContacts::excess_beside(bool of_a, std::uint32_t inside, bool after, const StarPlacement& at) {
  const Search& s = search(of_a);
  const StarSide& own = side(of_a);
  const int n = own.node_count(), node = s.node(inside), k = after ? following(node, n) : preceding(node, n);
  const std::uint32_t beside = after ? inside + 1 : inside - 1;  // if it was tried, and the outline does not begin here
  const std::size_t group = beside / star_group;
  if (group < s.tried.size() && s.tried[group].pair == s.tried[inside / star_group].pair && s.node(beside) == k)
    return s.excess[beside];
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
    return s.node(s.inside[place(k)]) == following(s.node(s.inside[place(k > 0 ? k - 1 : count - 1)]), n);
  };
  const bool bounded = count < static_cast<std::uint32_t>(n);
  std::uint32_t start = 0;  // of a run, so that none is cut in two
  while (bounded && joined(start)) ++start;
  for (std::uint32_t k = start; k < start + count;) {
    Run run;
    run.of_a = of_a;
    run.bounded = bounded;
    run.first = run.deepest = run.last = place(k);
    run.distance = s.depth[run.first];
    for (++k; k < start + count && joined(k); ++k) {
      run.last = place(k);
      if (s.depth[run.last] < run.distance) run.deepest = run.last, run.distance = s.depth[run.last];
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
    const Search& s = search(run.of_a);
    const std::uint32_t inside = s.inside[at_end ? run.last : run.first];
    const int n = own.node_count(), in = s.node(inside), out = at_end ? following(in, n) : preceding(in, n);
    const double e_in = s.excess[inside], e_out = excess_beside(run.of_a, inside, at_end, at);
    const Vec2d p = own.nodes[static_cast<std::size_t>(in)], q = own.nodes[static_cast<std::size_t>(out)];
    const Vec2d point = p + (e_in / (e_in - e_out)) * (q - p);
    return Crossing{run.of_a ? point : at.from_b(point), own.spacings[static_cast<std::size_t>(at_end ? in : out)]};
  };
  const auto meet = [](const Crossing& p, const Crossing& q) {
    const double doubt = 0.5 * (p.spacing + q.spacing);
    return norm2(p.point - q.point) <= doubt * doubt;
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

// One contact for each overlap, at its deepest node.
void StarContacts::choose(std::size_t pair) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].overlap != i) continue;
    const Run* deepest = &runs_[i];
    for (std::size_t k = i + 1; k < runs_.size(); ++k)
      if (runs_[k].overlap == i && runs_[k].distance < deepest->distance) deepest = &runs_[k];
    chosen_.push_back({static_cast<std::uint32_t>(pair), deepest->of_a, deepest->deepest});
  }
}

void StarContacts::add_contacts(std::size_t pairs, std::vector<PairContact>& out, std::vector<std::uint32_t>& ends) {
  for (const bool of_a : {true, false}) {
    Depths& d = of_a ? depths_a_ : depths_b_;
    const Search& s = search(of_a);
    d.x.clear(), d.y.clear();
    for (const Chosen& c : chosen_)
      if (c.of_a == of_a) d.x.push_back(s.in_x[c.inside]), d.y.push_back(s.in_y[c.inside]);
    d.depth.resize(d.x.size());
    d.entry.resize(d.x.size());
    const StarTable<double> table = side(!of_a).view();
    if (distance_ == StarDistance::radial) {
      star_depths<true>(table, d.x.data(), d.y.data(), d.x.size(), d.depth.data(), d.entry.data());
    } else {
      star_depths<false>(table, d.x.data(), d.y.data(), d.x.size(), d.depth.data(), d.entry.data());
    }
  }
  std::size_t next_a = 0, next_b = 0, next = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::size_t before = out.size();
    for (; next < chosen_.size() && chosen_[next].pair == pair; ++next) {
      const bool of_a = chosen_[next].of_a;
      const Depths& d = of_a ? depths_a_ : depths_b_;
      const std::size_t k = of_a ? next_a++ : next_b++;
      const int node = search(of_a).node(search(of_a).inside[chosen_[next].inside]);
      const int opposite = side(!of_a).node_at[static_cast<std::size_t>(d.entry[k])];
      const int on_a = of_a ? node : opposite, on_b = of_a ? opposite : node;
      out.push_back({star_geometry(*a_, *b_, of_a, node, places_[pair], d.depth[k]),
                     static_cast<std::uint32_t>(on_a) << 16 | static_cast<std::uint32_t>(on_b)});
    }
    if (out.size() > before + 1) {
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                [](const PairContact& s, const PairContact& t) { return s.feature < t.feature; });
    }
    ends.push_back(static_cast<std::uint32_t>(out.size()));
  }
}

}  // namespace scree
