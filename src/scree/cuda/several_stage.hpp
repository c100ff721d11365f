#pragma once
// Pairs that may touch in several places: stars and clumps. Three stages: the parts of stars that may touch are looked
// for again when the two have moved; in every step the nodes of those parts that are inside of the other are marked,
// and the contacts of pairs with marks are found.
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
  Vec2<T> from_a;  // in the world
  float moved;
  Rotation<T> turn;  // of B in A's frame
  Vec2<T> x;         // of B in A's frame, in units of A's radius

  SCREE_HD PairNow(const WorldView<T>& w, std::uint32_t p) : a(w.list.ends[p][0]), b(w.list.ends[p][1]) {
    const Placed<T> placed_a = w.bodies.placed[a], placed_b = w.bodies.placed[b];
    moving_a = w.bodies.moving[a];
    moving_b = w.bodies.moving[b];
    pair = &w.pair(moving_a.type, moving_b.type);
    turn_a = placed_a.turn;
    const Vec2d apart = separation(w.periodic, placed_a.x, placed_b.x);
    from_a = {static_cast<T>(apart.x), static_cast<T>(apart.y)};
    moved = w.bodies.moved[a] + w.bodies.moved[b];
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

// As in contact/narrow_phase.cpp.
inline constexpr float parts_margin = 0.1f;

// A warp's work: every lane looks at one part of A and one of B.
template <class T>
struct NearPartsStage {
  WorldView<T> w;
  bool skip = true;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }

  SCREE_HD bool open(std::uint32_t p) const {
    const auto [a, b] = w.list.ends[p];
    return !(w.bodies.moved[a] + w.bodies.moved[b] < w.list.parts_clear[p]) && !stands_still(w, a);
  }
  // False: they are apart, and dealt with.
  SCREE_HD bool begin(std::uint32_t p) const {
    if (PairNow<T>(w, p).circles_meet()) return true;
    finish(p, 0, 0);
    return false;
  }
  // Bit 0: part `lane` of A may touch; bit 1: that of B.
  SCREE_HD std::uint32_t look(std::uint32_t p, int lane) const {
    const PairNow<T> now(w, p);
    if (now.pair->kind != MapKind::star || !skip) return 3;
    const StarPairView<T>& star = w.stars[now.pair->map];
    const StarPlacementOf<T> at = now.placement(star);
    if (!at.finite()) return 3;
    const T beyond = static_cast<T>(margin(now)) / now.pair->scale;
    const bool of_a = lane < star.a.part_count && part_is_near(star, at, true, lane, beyond);
    const bool of_b = lane < star.b.part_count && part_is_near(star, at, false, lane, beyond);
    return (of_a ? 1u : 0u) | (of_b ? 2u : 0u);
  }
  SCREE_HD void finish(std::uint32_t p, std::uint32_t of_a, std::uint32_t of_b) const {
    const PairNow<T> now(w, p);
    float way = skip ? margin(now) - now.moved : 0;
    if (!now.circles_meet())
      way = static_cast<float>(norm(now.from_a) - now.pair->reach - now.pair->rounding) - now.moved;
    const NearParts near = of_a | NearParts{of_b} << most_star_parts;
    w.list.near[p] = near;
    w.list.parts_clear[p] = way > 0 ? way * (1 - rounding) : 0;
    if (near == 0) w.list.clear[p] = 0;
  }

 private:
  SCREE_HD float margin(const PairNow<T>& now) const {
    return 2 * now.moved + parts_margin * static_cast<float>(w.limits.skin);
  }
};

// A team's work, half of it on A and half on B: the lanes take nodes side by side.
template <class T>
struct RunStage {
  WorldView<T> w;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }
  SCREE_HD bool open(std::uint32_t p) const { return w.list.near[p] != 0 && !stands_still(w, w.list.ends[p][0]); }

  // What the nodes of a pair have in common.
  struct Item {
    const StarPairView<T>* star = nullptr;  // none: no stars, or they are apart
    StarPlacementOf<T> at{{}, {}, {}, {}};
    NearParts near = 0;
    bool meets = false;

    SCREE_HD Item(const WorldView<T>& w, std::uint32_t p) {
      const PairNow<T> now(w, p);
      meets = now.circles_meet();
      if (!meets || now.pair->kind != MapKind::star) return;
      star = &w.stars[now.pair->map];
      at = now.placement(*star);
      if (at.finite()) near = w.list.near[p];
    }
    SCREE_HD std::uint32_t parts(bool of_a) const {
      return star ? parts_of(near, of_a) & star->side(of_a).all_parts() : 0;
    }
    SCREE_HD const StarPartOf<T>& part(bool of_a, std::uint32_t left) const {
      return star->side(of_a).parts[lowest_bit(left)];
    }
    SCREE_HD bool is_near(bool of_a, int node) const { return star_node_is_near(*star, at, of_a, node); }
    SCREE_HD T gap(bool of_a, int node) const { return star_node_gap(*star, at, of_a, node); }
    SCREE_HD int node_count(bool of_a) const { return star ? star->side(of_a).node_count : 0; }
  };
  SCREE_HD Item item(std::uint32_t p) const { return {w, p}; }
  SCREE_HD StarRunWriter<T> writer(std::uint32_t p, bool of_a, bool writes) const {
    return StarRunWriter<T>(writes ? w.list.runs + 2 * std::size_t{p} + (of_a ? 0 : 1) : nullptr);
  }
  // `runs`: of both sides. Clumps have no nodes, and are looked at whenever their circles meet.
  SCREE_HD void finish(std::uint32_t p, const Item& item, int runs) const {
    if (runs == 1) {
      w.list.touching[claim(&w.control->once)] = p;
    } else if (runs > 1 || (item.meets && !item.star)) {
      w.list.touching[w.list.capacity - 1 - claim(&w.control->tangled)] = p;
    } else {
      w.list.clear[p] = 0;
    }
  }
};

// Pairs that touch `most` times at most: 1, as most do, or as often as there is room for.
template <class T, class Law, int most>
struct SeveralStage {
  WorldView<T> w;
  double dt = 0;
  bool record = false;
  SCREE_HD std::uint32_t count() const {
    if (w.control->halt) return 0;
    return most == 1 ? w.control->once : w.control->tangled;
  }

  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t p = w.list.touching[most == 1 ? k : w.list.capacity - 1 - k];
    const PairNow<T> now(w, p);
    Found found;
    find(p, now, found);
    if (found.count > most) note_crowd(w, now.a);
    if (found.count == 0) {
      w.list.clear[p] = 0;
      return;
    }
    touch(p, now, found);
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

  SCREE_HD void find(std::uint32_t p, const PairNow<T>& now, Found& found) const {
    const FewStarRuns<T>* runs = w.list.runs + 2 * std::size_t{p};
    if constexpr (most == 1) {
      const StarPairView<T>& star = w.stars[now.pair->map];
      found(star_touching_once(star, now.placement(star), runs[0], runs[1]));
    } else if (now.pair->kind == MapKind::star) {
      const StarPairView<T>& star = w.stars[now.pair->map];
      if (runs[0].end <= few_star_runs && runs[1].end <= few_star_runs) {
        star_touching(star, now.placement(star), runs[0], runs[1], found);
      } else if (star_touching(star, now.placement(star), w.list.near[p], found) < 0) {
        note_crowd(w, now.a);
      }
    } else {
      clump_touching(w.clumps[now.pair->map], now.turn, now.x, found);
    }
  }

  SCREE_HD void touch(std::uint32_t p, const PairNow<T>& now, const Found& found) const {
    const int slots = static_cast<int>(w.list.several);
    const int count = found.count < most ? found.count : most;
    Memory<T>* memory = w.list.memory + p * w.list.several;
    std::int8_t from[most];
    for (int k = 0; k < count; ++k) from[k] = -1;
    carry_over(p, now, found, count, from);
    T spring[most];
    for (int k = 0; k < count; ++k) {
      const WorldGeometry<T> g = geometry_of(now, found.contact[k].geometry);
      spring[k] = from[k] >= 0 ? carried_spring(memory[from[k]], g.normal) : T(0);
    }
    Wrench<T> sum{};
    for (int k = 0; k < count; ++k) {
      const WorldGeometry<T> g = geometry_of(now, found.contact[k].geometry);
      const ContactForce<T> f =
          contact_force<Law>(g, twist_of(now.moving_a), twist_of(now.moving_b), mobility_of(w, now.moving_a),
                             mobility_of(w, now.moving_b), now.pair->law, spring[k], static_cast<T>(dt));
      const Wrench<T> one = wrench_of(g, f);
      sum.force += one.force;
      sum.torque_a += one.torque_a;
      sum.torque_b += one.torque_b;
      const auto relative = static_cast<float>(-g.gap / now.pair->overlap_limit);
      const bool deep = note_overlap(w, now.a, relative);
      if (k >= slots) continue;
      memory[k] = {f.spring, g.normal, found.contact[k].feature};
      record_contact(w, p * w.list.several + static_cast<std::uint32_t>(k), record, deep, g, f, relative);
    }
    for (int k = count; k < slots; ++k) memory[k].feature = none;
    w.list.wrench[p] = sum;
    w.list.clear[p] = -1;
    raise(&w.control->most_several, static_cast<std::uint32_t>(count));
  }

  SCREE_HD static WorldGeometry<T> geometry_of(const PairNow<T>& now, const ContactGeometryOf<T>& g) {
    return world_geometry(g.gap, g.gap_theta, g.gap_x, g.arm, now.pair->scale, now.pair->scale * now.x, now.turn_a);
  }

  // from[k]: which contact of the last step goes on as contact k.
  SCREE_HD void carry_over(std::uint32_t p, const PairNow<T>& now, const Found& found, int count,
                           std::int8_t* from) const {
    if (!(w.list.clear[p] < 0)) return;
    const Memory<T>* memory = w.list.memory + p * w.list.several;
    int before = 0;
    while (before < static_cast<int>(w.list.several) && memory[before].feature != none) ++before;
    FewMarks taken, served;
    const auto distance = [&](std::uint32_t then, std::uint32_t here) {
      if (now.pair->kind != MapKind::star) return then == here ? T(0) : std::numeric_limits<T>::infinity();
      const StarPairView<T>& star = w.stars[now.pair->map];
      return star_feature_distance<T>(then, here, star.a.node_count, star.b.node_count);
    };
    carry_over_several<T>(
        before, count, [&](int o) { return memory[o].feature; }, [&](int k) { return found.contact[k].feature; },
        distance, taken, served, [&](int o, int k) { from[k] = static_cast<std::int8_t>(o); });
  }
};

}  // namespace scree::gpu
