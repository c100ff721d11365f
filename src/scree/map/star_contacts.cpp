#include "scree/map/star_contacts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace scree {
namespace {

// Nodes searched at once, were all of them near: the arrays stay in the first-level cache.
constexpr std::size_t nodes_at_once = 4800;

int following(int k, int n) { return k + 1 < n ? k + 1 : 0; }
int preceding(int k, int n) { return k > 0 ? k - 1 : n - 1; }

struct Placement {
  float c, s, x, y;
};

typedef float Group __attribute__((vector_size(star_group * sizeof(float)), aligned(sizeof(float)), may_alias));

void place_group(const float* u, const float* v, const Placement& at, float* x, float* y) {
  const Group gu = *reinterpret_cast<const Group*>(u), gv = *reinterpret_cast<const Group*>(v);
  *reinterpret_cast<Group*>(x) = at.c * gu - at.s * gv + at.x;
  *reinterpret_cast<Group*>(y) = at.s * gu + at.c * gv + at.y;
}

}  // namespace

StarPlacement star_placement(const Pose2d& q, const StarSide& a, const StarSide& b) {
  Rotation2d turn;
  if (std::abs(q.theta) <= largest_angle) {
    sine_cosine(q.theta, turn.s, turn.c);
  } else {
    turn = Rotation2d(q.theta);
  }
  return {turn, q.x, a.centre, b.centre};
}

void StarContacts::find(const StarSide& a, const StarSide& b, StarDistance distance, std::span<const Pose2d> poses,
                        std::span<const NearParts> parts, std::vector<PairContact>& out,
                        std::vector<std::uint32_t>& ends) {
  a_ = &a, b_ = &b, distance_ = distance;
  const auto nodes = static_cast<std::size_t>(std::max(a.node_count(), b.node_count()));
  const std::size_t at_once = std::max<std::size_t>(1, nodes_at_once / nodes);
  for (std::size_t begin = 0; begin < poses.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, poses.size() - begin);
    place(poses.subspan(begin, count));
    search_side(true, parts.subspan(begin, count));
    search_side(false, parts.subspan(begin, count));
    chosen_.clear();
    for (Depths& d : depths_) d.node.clear(), d.x.clear(), d.y.clear();
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

void StarContacts::place(std::span<const Pose2d> poses) {
  places_.clear();
  constexpr std::size_t block = 16;
  double sine[block], cosine[block];
  for (std::size_t begin = 0; begin < poses.size(); begin += block) {
    const std::size_t count = std::min(block, poses.size() - begin);
    for (std::size_t k = 0; k < count; ++k) sine_cosine(poses[begin + k].theta, sine[k], cosine[k]);
    for (std::size_t k = 0; k < count; ++k) {
      const Pose2d& q = poses[begin + k];
      const bool exact = std::abs(q.theta) <= largest_angle;
      places_.emplace_back(exact ? Rotation2d(cosine[k], sine[k]) : Rotation2d(q.theta), q.x, a_->centre, b_->centre);
    }
  }
}

// Where the nodes of the given parts lie, and which of them are inside the other star.
void StarContacts::search_side(bool of_a, std::span<const NearParts> parts) {
  const StarSide &own = side(of_a), &other = side(!of_a);
  Search& s = search(of_a);
  const std::uint32_t all = own.side_view().all_parts();
  const auto near = [&](std::size_t pair) {
    return all & static_cast<std::uint32_t>(of_a ? parts[pair] : parts[pair] >> most_star_parts);
  };
  std::size_t most = 0;
  for (std::size_t pair = 0; pair < parts.size(); ++pair) most += static_cast<std::size_t>(std::popcount(near(pair)));
  most = whole_blocks(most * static_cast<std::size_t>(own.nodes_a_part));
  if (s.x.size() < most) s.x.resize(most), s.y.resize(most), s.excess.resize(most), s.inside.resize(most + 1);
  if (s.tried.size() < most / star_group) s.tried.resize(most / star_group);
  float *x = s.x.data(), *y = s.y.data();
  Tried* tried = s.tried.data();
  for (std::size_t pair = 0; pair < parts.size(); ++pair) {
    const Rotation2d turn(places_[pair].turn.c, of_a ? -places_[pair].turn.s : places_[pair].turn.s);
    const Vec2d shift = of_a ? places_[pair].shift_a : places_[pair].shift_b;
    const Placement at{static_cast<float>(turn.c), static_cast<float>(turn.s), static_cast<float>(shift.x),
                       static_cast<float>(shift.y)};
    std::uint32_t left = near(pair);
    if (!std::isfinite(shift.x + shift.y + turn.c)) left = 0;  // the watchdog finds the grain
    for (; left != 0; left &= left - 1) {
      const StarPart& part = own.parts[static_cast<std::size_t>(std::countr_zero(left))];
      for (int first = part.first; first < part.end; first += star_group) {
        place_group(own.node_x.data() + first, own.node_y.data() + first, at, x, y);
        x += star_group, y += star_group;
        *tried++ = {static_cast<std::uint32_t>(pair), first};
      }
    }
  }
  s.tried_count = static_cast<std::size_t>(tried - s.tried.data());
  star_excess(other.rises.data(), other.view().size, s.x.data(), s.y.data(), star_group * s.tried_count,
              s.excess.data());
  find_inside(of_a, parts.size());
}

// Single precision says which nodes are surely outside, double which of the others are inside.
void StarContacts::find_inside(bool of_a, std::size_t pairs) {
  const StarSide &own = side(of_a), &other = side(!of_a);
  Search& s = search(of_a);
  const auto count = static_cast<std::uint32_t>(star_group * s.tried_count);
  const float error = other.excess_error(own);
  std::uint32_t* const inside = s.inside.data();
  const float* const excess = s.excess.data();
  std::size_t found = 0;
  for (std::uint32_t at = 0; at < count; ++at) {
    inside[found] = at;
    found += excess[at] < error ? 1 : 0;
  }
  if (const std::size_t most = whole_blocks(found); s.in_x.size() < most)
    s.in_x.resize(most), s.in_y.resize(most), s.depth.resize(most), s.node.resize(most);
  for (std::size_t k = 0; k < found; ++k) {
    const Tried& group = s.tried[inside[k] / star_group];
    s.node[k] = group.first + static_cast<int>(inside[k] % star_group);
    const Vec2d p = places_[group.pair].seen(of_a, own.nodes[static_cast<std::size_t>(s.node[k])]);
    s.in_x[k] = p.x;
    s.in_y[k] = p.y;
  }
  if (distance_ == StarDistance::radial) {
    star_distances<true>(other.view(), s.in_x.data(), s.in_y.data(), found, s.depth.data());
  } else {
    star_distances<false>(other.view(), s.in_x.data(), s.in_y.data(), found, s.depth.data());
  }
  const auto outside = [&](std::size_t k) { return !(s.depth[k] < 0); };
  std::size_t kept = 0;
  while (kept < found && !outside(kept)) ++kept;  // as a rule, all
  for (std::size_t k = kept; k < found; ++k) {
    if (outside(k)) continue;
    inside[kept] = inside[k];
    s.node[kept] = s.node[k];
    s.in_x[kept] = s.in_x[k];
    s.in_y[kept] = s.in_y[k];
    s.depth[kept++] = s.depth[k];
  }
  s.ends.assign(pairs, 0);
  for (std::size_t k = 0; k < kept; ++k)
    s.ends[s.tried[inside[k] / star_group].pair] = static_cast<std::uint32_t>(k + 1);
  for (std::size_t k = 1; k < pairs; ++k) s.ends[k] = std::max(s.ends[k], s.ends[k - 1]);
}

void StarContacts::add_runs(bool of_a, std::size_t pair) {
  const Search& s = search(of_a);
  const std::uint32_t begin = pair > 0 ? s.ends[pair - 1] : 0, end = s.ends[pair], count = end - begin;
  if (count == 0) return;
  const int n = side(of_a).node_count();
  const bool bounded = count < static_cast<std::uint32_t>(n);
  const auto place = [&](std::uint32_t k) { return begin + (k < count ? k : k - count); };
  const auto joined = [&](std::uint32_t k) {  // with the one before
    return s.node[place(k)] == following(s.node[place(k > 0 ? k - 1 : count - 1)], n);
  };
  std::uint32_t start = 0;  // of a run, so that none is cut in two
  if (bounded && s.node[begin] == 0)
    while (joined(start)) ++start;
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

StarContacts::RunEnd StarContacts::end_of(const Run& run, bool last) const {
  const StarSide& own = side(run.of_a);
  const Search& s = search(run.of_a);
  const std::uint32_t inside = last ? run.last : run.first;
  const int in = s.node[inside], before = last ? in : preceding(in, own.node_count());
  const Vec2d at =
      run.of_a ? own.nodes[static_cast<std::size_t>(in)] - own.centre : Vec2d{s.in_x[inside], s.in_y[inside]};
  return {inside, last, at, own.spacings[static_cast<std::size_t>(before)]};
}

Vec2d StarContacts::crossing(bool of_a, const RunEnd& end, const StarPlacement& at) const {
  const StarSide& own = side(of_a);
  const Search& s = search(of_a);
  const int n = own.node_count(), in = s.node[end.inside], out = end.last ? following(in, n) : preceding(in, n);
  const std::uint32_t tried = s.inside[end.inside];
  const std::uint32_t beside = end.last ? tried + 1 : tried - 1;  // the node outside, if it was tried as well
  const std::size_t group = beside / star_group;
  const bool known = group < s.tried_count && s.tried[group].pair == s.tried[tried / star_group].pair &&
                     s.tried[group].first + static_cast<int>(beside % star_group) == out;
  const Vec2d& node = own.nodes[static_cast<std::size_t>(out)];
  const Vec2d seen = known ? Vec2d{s.x[beside], s.y[beside]} : at.seen(of_a, node);
  const double r = known ? 0 : radius_at(side(!of_a).view(), direction_number(seen)).r;
  const double e_in = std::min<double>(s.excess[tried], 0);
  const double e_out = std::max<double>(known ? s.excess[beside] : norm2(seen) - r * r, 0);
  const double share = e_in < e_out ? e_in / (e_in - e_out) : 0;
  return end.at + share * ((of_a ? node - own.centre : seen) - end.at);
}

// Both outlines run counter-clockwise, so A's leaves an overlap where B's enters it: where that is, between the node
// inside and its neighbour outside, is known to within the spacing of the two.
bool StarContacts::meet(const RunEnd& a, const RunEnd& b, const StarPlacement& at) const {
  const double doubt = 0.5 * (a.spacing + b.spacing), reach = 3 * doubt;  // the crossings lie within the spacings
  if (norm2(a.at - b.at) > reach * reach) return false;
  return norm2(crossing(true, a, at) - crossing(false, b, at)) <= doubt * doubt;
}

bool StarContacts::same_overlap(const StarPlacement& at, const Run& a, const Run& b) const {
  if (!a.bounded || !b.bounded) return false;
  for (const bool a_leaves : {true, false})
    if (meet(end_of(a, a_leaves), end_of(b, !a_leaves), at)) return true;
  return false;
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
    const Search& s = search(deepest->of_a);
    Depths& d = depths(deepest->of_a);
    chosen_.push_back({static_cast<std::uint32_t>(pair), deepest->of_a, static_cast<std::uint32_t>(d.node.size())});
    d.node.push_back(s.node[deepest->deepest]);
    d.x.push_back(s.in_x[deepest->deepest]);
    d.y.push_back(s.in_y[deepest->deepest]);
  }
}

void StarContacts::find_depths(bool of_a) {
  Depths& d = depths(of_a);
  const std::size_t count = d.node.size(), length = whole_blocks(count);
  d.x.resize(length), d.y.resize(length), d.depth.resize(length), d.entry.resize(length);
  const StarTable<double> table = side(!of_a).view();
  if (distance_ == StarDistance::radial) {
    star_depths<true>(table, d.x.data(), d.y.data(), count, d.depth.data(), d.entry.data());
  } else {
    star_depths<false>(table, d.x.data(), d.y.data(), count, d.depth.data(), d.entry.data());
  }
}

void StarContacts::add_contacts(std::size_t pairs, std::vector<PairContact>& out, std::vector<std::uint32_t>& ends) {
  find_depths(true);
  find_depths(false);
  std::size_t next = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::size_t before = out.size();
    for (; next < chosen_.size() && chosen_[next].pair == pair; ++next) {
      const bool of_a = chosen_[next].of_a;
      const Depths& d = depths(of_a);
      const std::size_t k = chosen_[next].place;
      const int node = d.node[k], opposite = side(!of_a).node_at[static_cast<std::size_t>(d.entry[k])];
      const int on_a = of_a ? node : opposite, on_b = of_a ? opposite : node;
      PairContact& contact = out.emplace_back();
      contact.geometry =
          star_geometry(places_[pair], of_a, side(of_a).nodes[static_cast<std::size_t>(node)], d.depth[k]);
      contact.feature = star_feature(on_a, on_b);
    }
    if (out.size() > before + 1) {
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                [](const PairContact& s, const PairContact& t) { return s.feature < t.feature; });
    }
    ends.push_back(static_cast<std::uint32_t>(out.size()));
  }
}

}  // namespace scree
