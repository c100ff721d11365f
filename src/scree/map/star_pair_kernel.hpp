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

  SCREE_HD static StarRun of_node(int node, T distance) {
    const auto k = static_cast<std::uint16_t>(node);
    return {k, k, k, 0, distance};
  }
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

// The same for one side of a pair where it is to be kept: the first two runs, as there seldom are more.
template <class T>
struct alignas(32) FewStarRuns {
  std::uint16_t count;  // more than few_star_runs: more than there is room for
  std::uint16_t inside, node_count, unused;
  StarRun<T> run[2];  // one over the last node, which goes on at the first, comes first

  SCREE_HD bool bounded() const { return inside < node_count; }
};

// Of both sides. What most pairs have lies together.
template <class T>
struct StarRunsOfPair {
  FewStarRuns<T> side[2];  // A, B
  StarRun<T> more[2][few_star_runs - 2];

  SCREE_HD StarRun<T>& run(int of, int k) { return k < 2 ? side[of].run[k] : more[of][k - 2]; }
  SCREE_HD const StarRun<T>& run(int of, int k) const { return k < 2 ? side[of].run[k] : more[of][k - 2]; }
  SCREE_HD bool has_all() const { return side[0].count <= few_star_runs && side[1].count <= few_star_runs; }
};

// Makes these of both sides of a pair as StarRuns does, holding no more than the run under way and the first one.
template <class T>
class StarRunWriter {
 public:
  // A and B have so many nodes.
  SCREE_HD StarRunWriter(StarRunsOfPair<T>* to, int nodes_a, int nodes_b)
      : to_(to), nodes_(static_cast<std::uint32_t>(nodes_b) << 16 | static_cast<std::uint32_t>(nodes_a)) {}

  // Runs or pieces of them by ascending number, none over the last node; those of A first.
  SCREE_HD void add(bool of_a, const StarRun<T>& piece) {
    if (!of_a && of_a_) turn_over();
    inside_ += piece.last - piece.first + 1;
    if (count_ > 0 && now_.last + 1 == piece.first) {
      now_.last = piece.last;
      if (piece.distance < now_.distance) now_.deepest = piece.deepest, now_.distance = piece.distance;
      return;
    }
    if (count_ == 1) first_ = now_;
    put();
    ++count_;
    now_ = piece;
    now_.overlap = 0;
  }

  // Returns how many there are, of both. Where there are none, nothing is written.
  SCREE_HD int finish() {
    if (of_a_ && count_ == 0) return 0;
    if (of_a_) turn_over();
    close();
    return runs_;
  }
  SCREE_HD int most_of_a_side() const { return most_; }
  // Of the last run, which may be the only one.
  SCREE_HD bool last_of_a() const { return last_of_a_; }
  SCREE_HD int last_deepest() const { return last_deepest_; }

 private:
  SCREE_HD void turn_over() {
    close();
    nodes_ >>= 16;
    of_a_ = false;
    count_ = inside_ = 0;
  }

  SCREE_HD void close() {
    const std::uint32_t node_count = nodes_ & 0xffffu;
    const bool goes_on = count_ > 1 && first_.first == 0 && now_.last + 1u == node_count;
    if (goes_on) {
      now_.last = first_.last;
      if (first_.distance < now_.distance) now_.deepest = first_.deepest, now_.distance = first_.distance;
      own().run[0] = now_;
      --count_;
    } else {
      put();
    }
    own().count = static_cast<std::uint16_t>(count_);
    own().inside = static_cast<std::uint16_t>(inside_);
    own().node_count = static_cast<std::uint16_t>(node_count);
    runs_ += count_;
    if (count_ > most_) most_ = count_;
    if (count_ > 0) last_of_a_ = of_a_, last_deepest_ = now_.deepest;
  }

  SCREE_HD void put() {
    if (count_ > 0 && count_ <= few_star_runs) to_->run(of_a_ ? 0 : 1, count_ - 1) = now_;
  }

  SCREE_HD FewStarRuns<T>& own() const { return to_->side[of_a_ ? 0 : 1]; }

  StarRunsOfPair<T>* to_;
  std::uint32_t nodes_;  // of the side under way, above them those of B
  StarRun<T> now_{}, first_{};
  int count_ = 0, inside_ = 0;  // of the side under way
  int runs_ = 0, most_ = 0;
  bool of_a_ = true;
  bool last_of_a_ = true;
  int last_deepest_ = 0;
};

// Of a contact at node k of one side: the nodes nearest to it on both, and its geometry.
template <class T>
SCREE_HD inline std::uint32_t star_feature_at(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a,
                                              int k) {
  const StarSideView<T>& other = pair.side(!of_a);
  const int beside = other.node_at[nearest_entry(other.table, at.seen(of_a, pair.side(of_a).node(k)))];
  return of_a ? star_feature(k, beside) : star_feature(beside, k);
}
template <class T>
SCREE_HD inline ContactGeometryOf<T> star_geometry_at(const StarPairView<T>& pair, const StarPlacementOf<T>& at,
                                                      bool of_a, int k) {
  const Vec2<T> p = pair.side(of_a).node(k), seen = at.seen(of_a, p);
  const StarRadius<T> r = pair.side(!of_a).radius(direction_number(seen));
  return star_geometry(at, of_a, p, pair.radial ? star_depth<true>(seen, r) : star_depth<false>(seen, r));
}

// A contact by the deepest node of its overlap.
struct StarContact {
  std::uint32_t feature;
  std::uint16_t node;
  bool of_a;
};
template <class T>
SCREE_HD inline StarContact star_contact_at(const StarPairView<T>& pair, const StarPlacementOf<T>& at, bool of_a,
                                            int node) {
  return {star_feature_at(pair, at, of_a, node), static_cast<std::uint16_t>(node), of_a};
}

// Whether a run of A and one of B bound the same overlap.
template <class T>
class StarOverlap {
 public:
  SCREE_HD StarOverlap(const StarPairView<T>& pair, const StarPlacementOf<T>& at) : pair_(pair), at_(at) {}
  SCREE_HD bool has(const StarRun<T>& a, const StarRun<T>& b) const {
    return meet(end_of(true, a, true), end_of(false, b, false)) || meet(end_of(true, a, false), end_of(false, b, true));
  }

 private:
  // The end of a run: its node inside, and the one beside it that is outside.
  struct RunEnd {
    int in, out;
    Vec2<T> at;  // the node inside, from the star centre of A, in its frame
    T spacing;
  };

  SCREE_HD Vec2<T> node(bool of_a, int k) const { return pair_.side(of_a).node(k); }
  SCREE_HD T excess(bool of_a, Vec2<T> seen) const {
    const T r = pair_.side(!of_a).radius(direction_number(seen)).r;
    return norm2(seen) - r * r;
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
    const T e_in = excess(of_a, in), e_out = excess(of_a, out);
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

  const StarPairView<T>& pair_;
  const StarPlacementOf<T>& at_;
};

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
  SCREE_HD int find(const StarRunsOfPair<T>& of, Sink& sink) {
    take(of, 0, a_);
    take(of, 1, b_);
    return find_overlaps(sink);
  }

 private:
  SCREE_HD static void take(const StarRunsOfPair<T>& of, int which, StarRuns<T, most>& to) {
    const FewStarRuns<T>& from = of.side[which];
    to.end = from.count, to.inside = from.inside, to.node_count = from.node_count;
    for (int k = 0; k < from.count; ++k) to.run[k] = of.run(which, k);
  }

  template <class Sink>
  SCREE_HD int find_overlaps(Sink& sink) {
    if (a_.inside + b_.inside == 0) return 0;
    join_runs();
    return tell(sink);
  }

  SCREE_HD StarRuns<T, most>& runs(bool of_a) { return of_a ? a_ : b_; }
  // Which of the nodes of the given parts are inside.
  SCREE_HD bool search(bool of_a, std::uint32_t parts) {
    const StarSideView<T>& own = pair_.side(of_a);
    StarRuns<T, most>& found = runs(of_a);
    found.node_count = own.node_count;
    for (std::uint32_t left = parts & own.all_parts(); left != 0; left &= left - 1) {
      const StarPartOf<T>& part = own.parts[lowest_bit(left)];
      for (int first = part.first; first < part.end; first += star_group) {
        T distance[star_group];  // side by side
        SCREE_UNROLL
        for (int k = 0; k < star_group; ++k)
          distance[k] = star_node_gap(pair_, at_, of_a, first + k < part.end ? first + k : first);
        for (int k = 0; k < star_group && first + k < part.end; ++k)
          if (distance[k] < T(0) && !found.add(first + k, distance[k])) return false;
      }
    }
    found.close();
    return true;
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
    const StarOverlap<T> overlap(pair_, at_);
    for (int i = a_.begin; i < a_.end; ++i)
      for (int j = b_.begin; j < b_.end; ++j) {
        const std::uint16_t of_i = a_.run[i].overlap, of_j = b_.run[j].overlap;
        if (of_i == of_j || !overlap.has(a_.run[i], b_.run[j])) continue;
        const std::uint16_t gone = of_i < of_j ? of_j : of_i, kept = of_i < of_j ? of_i : of_j;
        rename(a_, gone, kept);
        rename(b_, gone, kept);
      }
  }

  // The deepest node of an overlap, whichever side it is of.
  SCREE_HD StarContact deepest_of(int overlap) const {
    T distance{};
    int node = 0;
    bool of_a = true;
    for (int i = a_.begin; i < a_.end; ++i)
      if (a_.run[i].overlap == overlap && a_.run[i].distance < distance)
        distance = a_.run[i].distance, node = a_.run[i].deepest;
    for (int j = b_.begin; j < b_.end; ++j)
      if (b_.run[j].overlap == overlap && b_.run[j].distance < distance)
        distance = b_.run[j].distance, node = b_.run[j].deepest, of_a = false;
    return star_contact_at(pair_, at_, of_a, node);
  }

  // One contact for each overlap, by ascending feature.
  template <class Sink>
  SCREE_HD int tell(Sink& sink) const {
    StarContact chosen[2 * most];
    int count = 0;
    const auto choose = [&](const StarRuns<T, most>& of_side, int first) {
      for (int i = of_side.begin; i < of_side.end; ++i) {
        if (of_side.run[i].overlap != first + i) continue;
        const StarContact c = deepest_of(first + i);
        int at = count++;
        for (; at > 0 && chosen[at - 1].feature > c.feature; --at) chosen[at] = chosen[at - 1];
        chosen[at] = c;
      }
    };
    choose(a_, 0);
    choose(b_, most);
    for (int k = 0; k < count; ++k) {
      const StarContact& c = chosen[k];
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

// The same, of runs that are known already and for which there is room.
template <class T, class Sink>
SCREE_HD inline int star_touching(const StarPairView<T>& pair, const StarPlacementOf<T>& at,
                                  const StarRunsOfPair<T>& runs, Sink&& sink) {
  return StarTouching<T, few_star_runs>(pair, at).find(runs, sink);
}

// The contacts of two runs that are known already, by ascending feature: they may be of one overlap. Returns how many.
template <class T>
SCREE_HD inline int star_touching_twice(const StarPairView<T>& pair, const StarPlacementOf<T>& at,
                                        const FewStarRuns<T>& a, const FewStarRuns<T>& b, StarContact* contact) {
  bool first_of_a = a.count > 0;
  const bool second_of_a = b.count == 0, both = first_of_a != second_of_a;
  const StarRun<T> first = first_of_a ? a.run[0] : b.run[0];
  const StarRun<T> second = second_of_a ? a.run[1] : both ? b.run[0] : b.run[1];
  int deepest = first.deepest;
  const bool one = both && a.bounded() && b.bounded() && StarOverlap<T>(pair, at).has(first, second);
  if (one && second.distance < first.distance) first_of_a = second_of_a, deepest = second.deepest;
  contact[0] = star_contact_at(pair, at, first_of_a, deepest);
  if (one) return 1;
  contact[1] = star_contact_at(pair, at, second_of_a, second.deepest);
  if (contact[1].feature < contact[0].feature) {
    const StarContact other = contact[0];
    contact[0] = contact[1];
    contact[1] = other;
  }
  return 2;
}

// The same of two a side at most: room for four contacts.
template <class T>
SCREE_HD inline int star_touching_fourfold(const StarPairView<T>& pair, const StarPlacementOf<T>& at,
                                           const FewStarRuns<T>& a, const FewStarRuns<T>& b, StarContact* contact) {
  const StarRun<T> run[4] = {a.run[0], a.run[1], b.run[0], b.run[1]};
  const bool is[4] = {a.count > 0, a.count > 1, b.count > 0, b.count > 1};
  int overlap[4] = {0, 1, 2, 3};  // numbered by the first of their runs
  const bool bounded = a.bounded() && b.bounded();
  const StarOverlap<T> joined(pair, at);
  for (int k = 0; bounded && k < 4; ++k) {
    const bool low_a = k < 2, low_b = k % 2 == 0;
    const int of_a = low_a ? overlap[0] : overlap[1], of_b = low_b ? overlap[2] : overlap[3];
    if (!(low_a ? is[0] : is[1]) || !(low_b ? is[2] : is[3]) || of_a == of_b) continue;
    if (!joined.has(low_a ? run[0] : run[1], low_b ? run[2] : run[3])) continue;
    const int gone = of_a < of_b ? of_b : of_a, kept = of_a < of_b ? of_a : of_b;
    SCREE_UNROLL
    for (int i = 0; i < 4; ++i) overlap[i] = overlap[i] == gone ? kept : overlap[i];
  }
  int count = 0;
  SCREE_UNROLL
  for (int k = 0; k < 4; ++k) {
    contact[k].feature = ~std::uint32_t{0};
    if (!is[k] || overlap[k] != k) continue;
    int deepest = k;
    T distance = run[k].distance;
    int node = run[k].deepest;
    SCREE_UNROLL
    for (int i = k + 1; i < 4; ++i)
      if (is[i] && overlap[i] == k && run[i].distance < distance)
        deepest = i, distance = run[i].distance, node = run[i].deepest;
    contact[k] = star_contact_at(pair, at, deepest < 2, node);
    ++count;
  }
  const auto order = [&](int i, int j) {
    if (contact[i].feature <= contact[j].feature) return;
    const StarContact other = contact[i];
    contact[i] = contact[j];
    contact[j] = other;
  };
  order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
  return count;
}

}  // namespace scree
