#pragma once
// The contacts of one pair of stars by one thread, without working memory of its own: the same runs and overlaps as
// StarContacts, which finds those of many pairs at once. docs/stars.md.
#include <cmath>
#include <cstdint>

#include "scree/map/star_view.hpp"

namespace scree {

inline constexpr int most_star_runs = 16;  // of a side, here
inline constexpr int few_star_runs = 4;    // as most sides have
inline constexpr int too_many_star_runs = -1;

// Consecutive nodes of one side inside the other, around the turn.
template <class T>
struct StarRun {
  std::uint16_t first, last, deepest;
  std::uint16_t overlap;  // runs of the same overlap share this number
  T distance;             // of the deepest node, < 0
};

template <class T, int most>
struct StarRuns {
  StarRun<T> run[most];
  int begin = 0, end = 0;
  int inside = 0;  // nodes
  int node_count = 0;

  // False: every node is inside, so the outlines do not cross.
  SCREE_HD bool bounded() const { return inside < node_count; }

  // Nodes by ascending number. False where there is no room for another run.
  SCREE_HD bool add(int node, T distance) {
    const auto k = static_cast<std::uint16_t>(node);
    ++inside;
    if (end > 0 && run[end - 1].last + 1 == node) {
      StarRun<T>& r = run[end - 1];
      r.last = k;
      if (distance < r.distance) r.deepest = k, r.distance = distance;
      return true;
    }
    if (end == most) return false;
    run[end++] = {k, k, k, 0, distance};
    return true;
  }

  // The run over the last node goes on at the first one.
  SCREE_HD void close() {
    if (end < 2 || run[0].first != 0 || run[end - 1].last + 1 != node_count) return;
    StarRun<T>& r = run[end - 1];
    r.last = run[0].last;
    if (run[0].distance < r.distance) r.deepest = run[0].deepest, r.distance = run[0].distance;
    begin = 1;
  }
};

// The same for one side of a pair where it is to be kept.
template <class T>
struct FewStarRuns {
  std::uint16_t begin, end;  // end > few_star_runs: there are more than there is room for
  std::uint16_t inside, node_count;
  StarRun<T> run[few_star_runs];
};

// Makes these as StarRuns does, holding no more than the run under way and the first one.
template <class T>
class StarRunWriter {
 public:
  // `to`: none to write nothing.
  SCREE_HD explicit StarRunWriter(FewStarRuns<T>* to) : to_(to) {}
  SCREE_HD int runs() const { return count_ - (goes_on_ ? 1 : 0); }  // when it is finished

  SCREE_HD void add(int node, T distance) {
    const auto k = static_cast<std::uint16_t>(node);
    ++inside_;
    if (count_ > 0 && now_.last + 1 == node) {
      now_.last = k;
      if (distance < now_.distance) now_.deepest = k, now_.distance = distance;
      return;
    }
    if (count_ == 1) first_ = now_;
    put();
    ++count_;
    now_ = {k, k, k, 0, distance};
  }

  SCREE_HD void finish(int node_count) {
    goes_on_ = count_ > 1 && first_.first == 0 && now_.last + 1 == node_count;
    if (goes_on_) {
      now_.last = first_.last;
      if (first_.distance < now_.distance) now_.deepest = first_.deepest, now_.distance = first_.distance;
    }
    put();
    if (!to_) return;
    to_->begin = goes_on_ ? 1 : 0;
    to_->end = static_cast<std::uint16_t>(count_);
    to_->inside = static_cast<std::uint16_t>(inside_);
    to_->node_count = static_cast<std::uint16_t>(node_count);
  }

 private:
  SCREE_HD void put() {
    if (to_ && count_ > 0 && count_ <= few_star_runs) to_->run[count_ - 1] = now_;
  }

  FewStarRuns<T>* to_;
  StarRun<T> now_{}, first_{};
  int count_ = 0, inside_ = 0;
  bool goes_on_ = false;
};

// Of a contact at node k of one side: the nodes nearest to it on both, and its geometry.
template <class T>
SCREE_HD inline std::uint32_t star_feature_at(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a,
                                              int k) {
  const StarSideView<T>& other = pair.side(!of_a);
  const int beside = other.node_at[nearest_entry(other.table, at.seen(of_a, pair.side(of_a).nodes[k]))];
  return of_a ? star_feature(k, beside) : star_feature(beside, k);
}
template <class T>
SCREE_HD inline ContactGeometryOf<T> star_geometry_at(const StarPairView<T>& pair, const StarPlacementOf<T>& at,
                                                      bool of_a, int k) {
  const Vec2<T> p = pair.side(of_a).nodes[k], seen = at.seen(of_a, p);
  const StarRadius<T> r = radius_at(pair.side(!of_a).table, direction_number(seen));
  return star_geometry(at, of_a, p, pair.radial ? star_depth<true>(seen, r) : star_depth<false>(seen, r));
}

template <class T, int most>
class StarTouching {
 public:
  SCREE_HD StarTouching(const StarPairView<T>& pair, const StarPlacementOf<T>& at) : pair_(pair), at_(at) {}

  // As star_touching() below.
  template <class Sink>
  SCREE_HD int find(NearParts parts, Sink& sink) {
    if (!search(true, parts_of(parts, true))) return too_many_star_runs;
    if (!search(false, parts_of(parts, false))) return too_many_star_runs;
    return find_overlaps(sink);
  }
  template <class Sink>
  SCREE_HD int find(const FewStarRuns<T>& a, const FewStarRuns<T>& b, Sink& sink) {
    take(a, a_);
    take(b, b_);
    return find_overlaps(sink);
  }

 private:
  SCREE_HD static void take(const FewStarRuns<T>& from, StarRuns<T, most>& to) {
    to.begin = from.begin, to.end = from.end, to.inside = from.inside, to.node_count = from.node_count;
    for (int k = from.begin; k < from.end; ++k) to.run[k] = from.run[k];
  }

  template <class Sink>
  SCREE_HD int find_overlaps(Sink& sink) {
    if (a_.inside + b_.inside == 0) return 0;
    join_runs();
    return tell(sink);
  }

  // The end of a run: its node inside, and the one beside it that is outside.
  struct RunEnd {
    int in, out;
    Vec2<T> at;  // the node inside, from the star centre of A, in its frame
    T spacing;
  };
  struct Chosen {
    std::uint32_t feature;
    std::uint16_t node;
    bool of_a;
  };

  SCREE_HD StarRuns<T, most>& runs(bool of_a) { return of_a ? a_ : b_; }
  SCREE_HD Vec2<T> node(bool of_a, int k) const { return pair_.side(of_a).nodes[k]; }
  SCREE_HD StarRadius<T> opposite(bool of_a, Vec2<T> seen) const {
    return radius_at(pair_.side(!of_a).table, direction_number(seen));
  }
  SCREE_HD T excess(Vec2<T> seen, T r) const { return norm2(seen) - r * r; }

  // Which of the nodes of the given parts are inside.
  SCREE_HD bool search(bool of_a, std::uint32_t parts) {
    const StarSideView<T>& own = pair_.side(of_a);
    StarRuns<T, most>& found = runs(of_a);
    found.node_count = own.node_count;
    for (std::uint32_t left = parts & own.all_parts(); left != 0; left &= left - 1) {
      const StarPartOf<T>& part = own.parts[lowest_bit(left)];
      for (int k = part.first; k < part.end; ++k) {
        const T distance = star_node_gap(pair_, at_, of_a, k);
        if (distance < T(0) && !found.add(k, distance)) return false;
      }
    }
    found.close();
    return true;
  }

  SCREE_HD RunEnd end_of(bool of_a, const StarRun<T>& run, bool last) const {
    const int n = pair_.side(of_a).node_count, in = last ? run.last : run.first;
    const int out = last ? (in + 1 < n ? in + 1 : 0) : (in > 0 ? in - 1 : n - 1);
    const Vec2<T> p = node(of_a, in);
    return {in, out, of_a ? p - pair_.a.centre : at_.seen(false, p), norm(node(of_a, out) - p)};
  }

  // Where the outlines cross, interpolated by rho^2 - r^2.
  SCREE_HD Vec2<T> crossing(bool of_a, const RunEnd& end) const {
    const Vec2<T> in = at_.seen(of_a, node(of_a, end.in)), out = at_.seen(of_a, node(of_a, end.out));
    const T e_in = excess(in, opposite(of_a, in).r), e_out = excess(out, opposite(of_a, out).r);
    const T from = e_in < T(0) ? e_in : T(0), to = e_out > T(0) ? e_out : T(0);
    const T share = from < to ? from / (from - to) : T(0);
    return end.at + share * ((of_a ? node(true, end.out) - pair_.a.centre : out) - end.at);
  }

  // Both outlines run counter-clockwise, so A's leaves an overlap where B's enters it: where that is, between the node
  // inside and its neighbour outside, is known to within the spacing of the two.
  SCREE_HD bool meet(const RunEnd& a, const RunEnd& b) const {
    const T doubt = T(0.5) * (a.spacing + b.spacing), reach = T(3) * doubt;  // the crossings lie within the spacings
    if (norm2(a.at - b.at) > reach * reach) return false;
    return norm2(crossing(true, a) - crossing(false, b)) <= doubt * doubt;
  }

  SCREE_HD bool same_overlap(const StarRun<T>& a, const StarRun<T>& b) const {
    return meet(end_of(true, a, true), end_of(false, b, false)) || meet(end_of(true, a, false), end_of(false, b, true));
  }

  SCREE_HD static void rename(StarRuns<T, most>& runs, std::uint16_t gone, std::uint16_t kept) {
    for (int k = runs.begin; k < runs.end; ++k)
      if (runs.run[k].overlap == gone) runs.run[k].overlap = kept;
  }

  // Overlaps are numbered by the first of their runs, those of A first.
  SCREE_HD void join_runs() {
    for (int i = a_.begin; i < a_.end; ++i) a_.run[i].overlap = static_cast<std::uint16_t>(i);
    for (int j = b_.begin; j < b_.end; ++j) b_.run[j].overlap = static_cast<std::uint16_t>(most + j);
    if (!a_.bounded() || !b_.bounded()) return;
    for (int i = a_.begin; i < a_.end; ++i)
      for (int j = b_.begin; j < b_.end; ++j) {
        const std::uint16_t of_i = a_.run[i].overlap, of_j = b_.run[j].overlap;
        if (of_i == of_j || !same_overlap(a_.run[i], b_.run[j])) continue;
        const std::uint16_t gone = of_i < of_j ? of_j : of_i, kept = of_i < of_j ? of_i : of_j;
        rename(a_, gone, kept);
        rename(b_, gone, kept);
      }
  }

  // The deepest node of an overlap, whichever side it is of.
  SCREE_HD Chosen deepest_of(int overlap) const {
    T distance{};
    int node = 0;
    bool of_a = true;
    for (int i = a_.begin; i < a_.end; ++i)
      if (a_.run[i].overlap == overlap && a_.run[i].distance < distance)
        distance = a_.run[i].distance, node = a_.run[i].deepest;
    for (int j = b_.begin; j < b_.end; ++j)
      if (b_.run[j].overlap == overlap && b_.run[j].distance < distance)
        distance = b_.run[j].distance, node = b_.run[j].deepest, of_a = false;
    return {star_feature_at(pair_, at_, of_a, node), static_cast<std::uint16_t>(node), of_a};
  }

  // One contact for each overlap, by ascending feature.
  template <class Sink>
  SCREE_HD int tell(Sink& sink) const {
    Chosen chosen[2 * most];
    int count = 0;
    const auto choose = [&](const StarRuns<T, most>& of_side, int first) {
      for (int i = of_side.begin; i < of_side.end; ++i) {
        if (of_side.run[i].overlap != first + i) continue;
        const Chosen c = deepest_of(first + i);
        int at = count++;
        for (; at > 0 && chosen[at - 1].feature > c.feature; --at) chosen[at] = chosen[at - 1];
        chosen[at] = c;
      }
    };
    choose(a_, 0);
    choose(b_, most);
    for (int k = 0; k < count; ++k) {
      const Chosen& c = chosen[k];
      sink(PairContactOf<T>{star_geometry_at(pair_, at_, c.of_a, c.node), c.feature});
    }
    return count;
  }

  const StarPairView<T>& pair_;
  const StarPlacementOf<T>& at_;
  StarRuns<T, most> a_, b_;
};

// Calls sink(PairContactOf<T>) for the contacts among the given parts, by ascending feature, and returns their number;
// or calls it never and returns too_many_star_runs where a side has more than most_star_runs inside the other.
template <class T, class Sink>
SCREE_HD inline int star_touching(const StarPairView<T>& pair, const StarPlacementOf<T>& at, NearParts parts,
                                  Sink&& sink) {
  if (!at.finite()) return 0;  // the watchdog finds the grain
  return StarTouching<T, most_star_runs>(pair, at).find(parts, sink);
}

// The same, of runs that are known already; and of one run alone.
template <class T, class Sink>
SCREE_HD inline int star_touching(const StarPairView<T>& pair, const StarPlacementOf<T>& at, const FewStarRuns<T>& a,
                                  const FewStarRuns<T>& b, Sink&& sink) {
  return StarTouching<T, few_star_runs>(pair, at).find(a, b, sink);
}
template <class T>
SCREE_HD inline PairContactOf<T> star_touching_once(const StarPairView<T>& pair, const StarPlacementOf<T>& at,
                                                    const FewStarRuns<T>& a, const FewStarRuns<T>& b) {
  const bool of_a = a.end > 0;
  const FewStarRuns<T>& side = of_a ? a : b;
  const int k = side.run[side.begin].deepest;
  return {star_geometry_at(pair, at, of_a, k), star_feature_at(pair, at, of_a, k)};
}

}  // namespace scree
