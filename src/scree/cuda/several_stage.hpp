#pragma once
// Pairs that may touch in several places: stars and clumps. In every step the nodes of stars that are inside of the
// other are looked for, among those of parts that may touch; then the contacts of pairs that have any are found.
#include "scree/contact/carry_over_kernel.hpp"
#include "scree/cuda/pair_stage.hpp"
#include "scree/map/star_near_kernel.hpp"
#include "scree/map/star_pair_kernel.hpp"

namespace scree::gpu {

inline constexpr int most_pair_contacts = 12;  // that a thread has room for

// A pair where it is now.
template <class T>
struct PairNow {
  std::uint32_t a, b;
  Moving<T> moving_a, moving_b;
  const PairView<T>* pair;
  Rotation<T> turn_a;
  Vec2<T> from_a;    // in the world
  Rotation<T> turn;  // of B in A's frame
  Vec2<T> x;         // of B in A's frame, in units of A's radius

  SCREE_HD PairNow(const WorldView<T>& w, std::uint32_t p) : PairNow(w, w.list.ends[p][0], w.list.ends[p][1]) {}
  SCREE_HD PairNow(const WorldView<T>& w, std::uint32_t of_a, std::uint32_t of_b) : a(of_a), b(of_b) {
    const Placed<T> placed_a = load_whole(w.bodies.placed + a), placed_b = load_whole(w.bodies.placed + b);
    moving_a = load_whole(w.bodies.moving + a);
    moving_b = load_whole(w.bodies.moving + b);
    pair = &w.pair(moving_a.type, moving_b.type);
    turn_a = placed_a.turn;
    const Vec2d apart = separation(w.periodic, placed_a.x, placed_b.x);
    from_a = {static_cast<T>(apart.x), static_cast<T>(apart.y)};
    const Rotation<T>&ra = placed_a.turn, &rb = placed_b.turn;
    turn = {ra.c * rb.c + ra.s * rb.s, ra.c * rb.s - ra.s * rb.c};
    x = turn_a.back((T(1) / pair->scale) * from_a);
  }
  SCREE_HD bool circles_meet() const {
    return norm2(from_a) < pair->reach * pair->reach && moving_a.kind != gone && moving_b.kind != gone;
  }
  SCREE_HD StarPlacementOf<T> placement(const StarPairView<T>& star) const {
    return {turn, x, star.a.centre, star.b.centre};
  }
};

// The nodes that may touch are looked for again when B, seen from A, has moved by this share of the skin. More would
// name more nodes, less would look more often.
inline constexpr double near_margin = 0.04;

// Which nodes are inside of the other star. Lanes of a warp have a pair each, look for near nodes together where that
// is needed, and share those of all their pairs out among them.
template <class T>
struct RunStage {
  using Run = StarRun<T>;
  using Sight = StarSight<T>;
  WorldView<T> w;
  bool skip = true;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }

  // For one lane of a warp.
  SCREE_HD std::uint32_t next_tile() const { return claim_alone(&w.control->tile); }
  SCREE_HD bool open(std::uint32_t p) const {
    const auto [a, b] = w.list.ends[p];
    return !(w.bodies.moved[a] + w.bodies.moved[b] < w.list.several_clear[p]);
  }

  // What all lanes need to know of a pair of stars.
  struct Seat {
    Rotation<T> turn;  // of B in A's frame
    Vec2<T> shift_a, shift_b;
    T margin{};  // in units of A's radius, as all of it is
    std::uint32_t star = 0;
  };
  // The star of the first pair, if both of that are alike: a copy of it may lie nearer by.
  SCREE_HD const StarSideView<T>* example() const {
    return w.stars && w.stars[0].a.nodes == w.stars[0].b.nodes ? &w.stars[0].a : nullptr;
  }
  SCREE_HD static bool is_example(const Seat& seat) { return seat.star == 0; }

  struct Item {
    Seat seat;
    Vec2<T> x;
    std::uint32_t a = 0, b = 0;
    NearNodes near_a, near_b;
    bool went_on = false;  // they touched in the last step
    bool look = false;     // for the nodes that may touch
    bool clump = false;    // two clumps whose circles meet
  };
  SCREE_HD Item item(std::uint32_t p) const {
    const NearPose<T> then = load_whole(w.list.near + p);  // beside what follows
    const PairNow<T> now(w, p);
    Item item;
    item.x = now.x, item.a = now.a, item.b = now.b;
    if (stands_still(w, now.a)) return item;
    item.went_on = w.list.clear[p] < 0;
    if (!now.circles_meet()) {
      set_apart(p, norm(now.from_a) - now.pair->reach - now.pair->rounding);
      w.list.near[p].way = 0;
      return item;
    }
    if (now.pair->kind != MapKind::star) {
      w.list.several_clear[p] = 0;
      item.clump = true;
      return item;
    }
    const StarPairView<T>& star = w.stars[now.pair->map];
    const StarPlacementOf<T> at = now.placement(star);
    item.seat = {at.turn, at.shift_a, at.shift_b,
                 margin_of(star, static_cast<T>(near_margin * w.limits.skin) / now.pair->scale), now.pair->map};
    if (!at.finite()) return item;  // the watchdog finds the grain
    item.near_a = then.a, item.near_b = then.b;
    const T left = way_left(then, at, star);
    item.look = !skip || !(left > T(0));
    if (!item.look && !then.a.any() && !then.b.any()) set_apart(p, left * now.pair->scale);
    return item;
  }

  // Units of nodes of one side.
  SCREE_HD int units(const Seat& seat, bool of_a) const { return star(seat).side(of_a).unit_count(); }
  SCREE_HD bool may_touch(const Seat& seat, bool of_a, int unit) const {
    if (!skip) return true;
    const StarPairView<T>& pair = star(seat);
    const StarSight<T> sight = sight_of(seat, of_a);
    const View view(seat, of_a);
    const int slots = pair.side(of_a).nodes_a_unit / 2;
    for (int k = slots * unit; k < slots * (unit + 1); ++k) {
      const TwoStarNodes<T> both = load_whole(sight.nodes + k);
      for (int i = 0; i < 2; ++i)
        if (star_node_may_enter(sight.steps, pair.side(!of_a).steep2, view({both.x[i], both.y[i]}),
                                seat.margin + pair.rounding))
          return true;
    }
    return false;
  }
  // If none may: the way that the parts with the number of a lane must go, in units of A's radius.
  SCREE_HD float clearance(const Seat& seat, int lane) const {
    T least = std::numeric_limits<T>::infinity();
    for (const bool of_a : {true, false}) {
      if (lane >= star(seat).side(of_a).part_count) continue;
      const T here = part_clearance(star(seat), placement(seat), of_a, lane, seat.margin);
      if (here < least) least = here;
    }
    return static_cast<float>(least < seat.margin ? seat.margin : least);
  }
  // `least`: of all lanes.
  SCREE_HD void keep(std::uint32_t p, Item& item, float least) const {
    const bool any = item.near_a.any() || item.near_b.any();
    const T way = any ? item.seat.margin : static_cast<T>(least);
    w.list.near[p] = {item.seat.turn, item.x, item.near_a, item.near_b, way - 2 * star(item.seat).rounding};
    if (any) {
      w.list.several_clear[p] = 0;
    } else {
      set_apart(p, way * PairNow<T>(w, p).pair->scale);  // seldom
    }
  }

  SCREE_HD const StarPairView<T>& star(const Seat& seat) const { return w.stars[seat.star]; }
  // The nodes of one side, and the steps of the other.
  SCREE_HD StarSight<T> sight_of(const Seat& seat, bool of_a) const {
    const StarPairView<T>& pair = star(seat);
    return {pair.side(of_a).sight.nodes, pair.side(!of_a).sight.steps};
  }
  // Of an even node and the next one.
  struct Gaps {
    T of[2];
  };
  SCREE_HD static Gaps gaps(const StarSight<T>& sight, const Seat& seat, bool of_a, int node) {
    const View view(seat, of_a);
    const TwoStarNodes<T> both = load_whole(sight.nodes + node / 2);
    return {quick_star_gap(sight.steps, view({both.x[0], both.y[0]})),
            quick_star_gap(sight.steps, view({both.x[1], both.y[1]}))};
  }
  SCREE_HD StarRunWriter<T> writer(std::uint32_t p, const Item& item) const {
    const StarPairView<T>* of = item.near_a.any() || item.near_b.any() ? &star(item.seat) : nullptr;
    return {w.list.runs + p, of ? of->a.node_count : 0, of ? of->b.node_count : 0};
  }
  // Clumps have no nodes, and are looked at whenever their circles meet.
  SCREE_HD void finish(std::uint32_t p, const Item& item, StarRunWriter<T>& writer) const {
    const int runs = item.near_a.any() || item.near_b.any() ? writer.finish() : 0;
    if (runs == 0 && !item.clump) {
      if (item.went_on) w.list.clear[p] = 0;
      return;
    }
    const Tangle kind = runs == 1                                  ? once
                        : runs == 2                                ? twice
                        : runs > 0 && writer.most_of_a_side() <= 2 ? fourfold
                                                                   : tangled;
    const std::uint32_t node = (writer.last_of_a() ? 1u << 30 : 0u) | static_cast<std::uint32_t>(writer.last_deepest());
    w.list.touching[kind * std::size_t{w.list.capacity} + claim(&w.control->touching[kind])] = {
        p, item.a, item.b, (item.went_on ? 1u << 31 : 0u) | (kind == once ? node : 0u)};
  }

 private:
  // Nodes of one side, from the centre of the other star and in its frame.
  struct View {
    Rotation<T> turn;
    Vec2<T> shift;

    SCREE_HD View(const Seat& seat, bool of_a)
        : turn{seat.turn.c, of_a ? -seat.turn.s : seat.turn.s}, shift(of_a ? seat.shift_a : seat.shift_b) {}
    SCREE_HD Vec2<T> operator()(Vec2<T> node) const { return turn * node + shift; }
  };

  SCREE_HD static T margin_of(const StarPairView<T>& star, T wanted) {
    const T most = star.a.near_limit < star.b.near_limit ? star.a.near_limit : star.b.near_limit;
    return wanted < most ? wanted : most;
  }
  SCREE_HD static StarPlacementOf<T> placement(const Seat& seat) {
    return {seat.turn, {}, seat.shift_a, seat.shift_b, seen_already};
  }
  // How far points of B may still go, in units of A's radius.
  SCREE_HD static T way_left(const NearPose<T>& then, const StarPlacementOf<T>& at, const StarPairView<T>& star) {
    const Vec2<T> turned{at.turn.c - then.turn.c, at.turn.s - then.turn.s};
    return then.way - (norm(at.x - then.x) + star.b.parts_reach * norm(turned));
  }
  // They must go by `gap`, both together, before they can touch.
  SCREE_HD void set_apart(std::uint32_t p, T gap) const {
    const auto [a, b] = w.list.ends[p];
    const float way = static_cast<float>(gap) - (w.bodies.moved[a] + w.bodies.moved[b]);
    w.list.several_clear[p] = way > 0 ? way * (1 - rounding) : 0;
    w.list.clear[p] = 0;
  }
};

// Pairs with runs of nodes inside of the other: as a rule one or two.
template <class T, class Law, Tangle tangle>
struct SeveralStage {
  using Real = T;
  static constexpr int most = tangle == once ? 1 : tangle == twice ? 2 : tangle == fourfold ? 4 : most_pair_contacts;
  WorldView<T> w;
  double dt = 0;
  bool record = false;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->touching[tangle]; }

  SCREE_HD void run(std::uint32_t place) const {
    const TouchingPair it = load_whole(w.list.touching + tangle * std::size_t{w.list.capacity} + place);
    const PairNow<T> now(w, it.a, it.b);
    if constexpr (tangle == tangled) {
      run_tangled(it, now);
    } else {
      const StarPairView<T>& star = w.stars[now.pair->map];
      const StarPlacementOf<T> at = now.placement(star);
      StarContact chosen[most];
      int count = 1;
      if constexpr (tangle == once) {
        chosen[0] = star_contact_at(star, at, (it.more & 1u << 30) != 0, static_cast<int>(it.more & 0xffffu));
      } else {
        const StarRunsOfPair<T>& runs = w.list.runs[it.pair];
        const FewStarRuns<T> a = load_whole(runs.side), b = load_whole(runs.side + 1);
        count = tangle == twice ? star_touching_twice(star, at, a, b, chosen)
                                : star_touching_fourfold(star, at, a, b, chosen);
      }
      touch(
          it, now, count, [&](int k) { return chosen[k].feature; },
          [&](int k) { return star_geometry_at(star, at, chosen[k].of_a, chosen[k].node); });
    }
  }

 private:
  struct Found {
    PairContactOf<T> contact[most];
    int count = 0;
    SCREE_HD void operator()(const PairContactOf<T>& c) {
      if (count < most) contact[count] = c;
      ++count;
    }
  };

  SCREE_HD NearParts near_parts(const StarPairView<T>& star, std::uint32_t p) const {
    const NearPose<T>& near = w.list.near[p];
    return parts_with(star.a, near.a) | NearParts{parts_with(star.b, near.b)} << most_star_parts;
  }

  SCREE_HD void run_tangled(const TouchingPair& it, const PairNow<T>& now) const {
    Found found;
    if (now.pair->kind != MapKind::star) {
      clump_touching(w.clumps[now.pair->map], now.turn, now.x, found);
    } else {
      const StarPairView<T>& star = w.stars[now.pair->map];
      const StarRunsOfPair<T>& runs = w.list.runs[it.pair];
      if (runs.has_all()) {
        star_touching(star, now.placement(star), runs, found);
      } else if (star_touching(star, now.placement(star), near_parts(star, it.pair), found) < 0) {
        note_crowd(w, now.a);
      }
    }
    if (found.count > most) note_crowd(w, now.a);
    if (found.count == 0) {
      w.list.clear[it.pair] = 0;
      return;
    }
    touch(
        it, now, found.count < most ? found.count : most, [&](int k) { return found.contact[k].feature; },
        [&](int k) { return found.contact[k].geometry; });
  }

  // feature(k) and geometry(k): of contact k < count.
  template <class Feature, class Geometry>
  SCREE_HD void touch(const TouchingPair& it, const PairNow<T>& now, int count, const Feature& feature,
                      const Geometry& geometry) const {
    const std::uint32_t p = it.pair;
    const int slots = static_cast<int>(w.list.several);
    Memory<T>* memory = w.list.memory + p * w.list.several;
    Memory<T> then[most];
    carry_over(it, now, count, feature, then);
    Wrench<T> sum{};
    SCREE_UNROLL
    for (int k = 0; k < most; ++k) {
      if (k >= count) break;
      const ContactGeometryOf<T> here = geometry(k);
      const WorldGeometry<T> g = world_geometry(here.gap, here.gap_theta, here.gap_x, here.arm, now.pair->scale,
                                                now.pair->scale * now.x, now.turn_a);
      const ContactForce<T> f = contact_force<Law>(
          g, twist_of(now.moving_a), twist_of(now.moving_b), mobility_of(w, now.moving_a), mobility_of(w, now.moving_b),
          now.pair->law, carried_spring(then[k], g.normal), static_cast<T>(dt));
      const Wrench<T> one = wrench_of(g, f);
      sum.force += one.force;
      sum.torque_a += one.torque_a;
      sum.torque_b += one.torque_b;
      const auto relative = static_cast<float>(g.gap > T(0) ? T(0) : -g.gap / now.pair->overlap_limit);
      const bool deep = note_overlap(w, now.a, relative);
      if (k >= slots) continue;
      memory[k] = {f.spring, g.normal, feature(k)};
      record_contact(w, p * w.list.several + static_cast<std::uint32_t>(k), record, deep, g, f, relative);
    }
    if (count < slots) memory[count].feature = none;
    w.list.wrench[p] = sum;
    if (!went_on(it)) w.list.clear[p] = -1;
    if (count > slots) raise(&w.control->most_several, static_cast<std::uint32_t>(count));
  }

  SCREE_HD static bool went_on(const TouchingPair& it) { return (it.more & 1u << 31) != 0; }

  // then[k]: what contact k takes over from the last step.
  template <class Feature>
  SCREE_HD void carry_over(const TouchingPair& it, const PairNow<T>& now, int count, const Feature& feature,
                           Memory<T>* then) const {
    SCREE_UNROLL
    for (int k = 0; k < most; ++k) then[k] = {};
    if (!went_on(it)) return;
    const Memory<T>* memory = w.list.memory + it.pair * w.list.several;
    const int slots = static_cast<int>(w.list.several);
    bool same = count == slots || (count < slots && memory[count].feature == none);
    SCREE_UNROLL
    for (int k = 0; k < most; ++k) {
      if (k >= count || k >= slots) break;
      then[k] = load_whole(memory + k);
      same = same && then[k].feature == feature(k);
    }
    if (same) return;  // as a rule
    std::int8_t from[most];
    for (int k = 0; k < count; ++k) from[k] = -1;
    int before = 0;
    while (before < slots && memory[before].feature != none) ++before;
    FewMarks taken, served;
    const auto distance = [&](std::uint32_t one, std::uint32_t other) {
      if (now.pair->kind != MapKind::star) return one == other ? T(0) : std::numeric_limits<T>::infinity();
      const StarPairView<T>& star = w.stars[now.pair->map];
      return star_feature_distance<T>(one, other, star.a.node_count, star.b.node_count);
    };
    std::uint32_t features[most];
    SCREE_UNROLL
    for (int k = 0; k < most; ++k) features[k] = k < count ? feature(k) : none;
    carry_over_several<T>(
        before, count, [&](int o) { return memory[o].feature; }, [&](int k) { return features[k]; }, distance, taken,
        served, [&](int o, int k) { from[k] = static_cast<std::int8_t>(o); });
    SCREE_UNROLL
    for (int k = 0; k < most; ++k) then[k] = k < count && from[k] >= 0 ? memory[from[k]] : Memory<T>{};
  }
};

}  // namespace scree::gpu
