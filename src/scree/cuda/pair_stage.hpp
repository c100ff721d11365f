#pragma once
// Pairs of the list -> contacts -> what they do to their bodies. A pair is dealt with by one thread, which writes to
// that pair alone.
#include "scree/contact/contact_kernel.hpp"
#include "scree/cuda/many_worlds.hpp"

namespace scree::gpu {

// Bounds are held in single precision, on the safe side by this share.
inline constexpr float rounding = 1e-6f;

template <class T>
SCREE_HD inline T carried_spring(const Memory<T>& before, Vec2<T> normal) {
  const T along = dot(before.normal, normal);
  return along > T(0) ? before.spring * along : T(0);
}

template <class T>
SCREE_HD inline TwistOf<T> twist_of(const Moving<T>& m) {
  return {m.v, m.omega};
}

template <class T>
SCREE_HD inline MobilityOf<T> mobility_of(const WorldView<T>& w, const Moving<T>& m) {
  return m.kind == BodyKind::moving ? w.types[m.type].mobility : MobilityOf<T>{};
}

template <class T>
SCREE_HD inline Wrench<T> wrench_of(const WorldGeometry<T>& g, const ContactForce<T>& f) {
  return {f.normal * g.gap_x + f.tangential * perp(g.normal),
          f.normal * g.gap_theta_a + f.tangential * g.arm_a - f.rotational,
          f.normal * g.gap_theta_b + f.tangential * g.arm_b + f.rotational};
}

// Two discs in the world frame: `x` from A to B.
template <class T>
SCREE_HD inline WorldGeometry<T> disc_geometry(Vec2<T> x, T radius_a, T reach) {
  const T distance = norm(x), half_difference = radius_a - T(0.5) * reach;
  WorldGeometry<T> g;
  g.gap = distance - reach;
  g.normal = distance > T(0) ? (T(1) / distance) * x : Vec2<T>{T(1), T(0)};
  g.gap_x = g.normal;
  g.arm_a = T(-0.5) * distance - half_difference;
  g.arm_b = T(-0.5) * distance + half_difference;
  return g;
}

// False where a certificate says that the pair is apart: nothing has changed for it then.
template <class T>
SCREE_HD inline bool may_touch(const WorldView<T>& w, std::uint32_t p, bool skip) {
  const auto [a, b] = w.list.ends[p];
  return !skip || !(w.bodies.moved[a] + w.bodies.moved[b] < w.list.clear[p]);
}

// Where B is, seen from A.
template <class T>
struct PairPose {
  Rotation<T> turn;  // of A
  Vec2<T> from_a;    // in the world
  Pose<T> pose;      // in A's frame, in units of A's radius

  SCREE_HD PairPose(const WorldView<T>& w, const PairView<T>& pair, std::uint32_t a, std::uint32_t b) {
    const Placed<T>&at = w.bodies.placed[a], &with = w.bodies.placed[b];
    const Vec2d apart = separation(w.periodic, at.x, with.x);
    turn = at.turn;
    from_a = {static_cast<T>(apart.x), static_cast<T>(apart.y)};
    pose = {static_cast<T>(wrap_angle(with.theta - at.theta)), turn.back((T(1) / pair.scale) * from_a)};
  }
  SCREE_HD bool circles_meet(const PairView<T>& pair) const { return norm2(from_a) < pair.reach * pair.reach; }
};

// What kinds of maps are in the scene, those of SeveralStage aside.
enum class Kinds { discs, tables, all };

template <class T, class Law, Kinds kinds>
struct PairStage {
  WorldView<T> w;
  double dt = 0;        // that springs move on by
  bool skip = true;     // pairs that a certificate says to be apart
  bool record = false;  // contacts in full as well

  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }

  SCREE_HD bool open(std::uint32_t p) const { return may_touch(w, p, skip); }
  SCREE_HD void tried(std::uint32_t pairs) const { add(&w.control->queries, pairs); }

  SCREE_HD void run(std::uint32_t p) const {
    const auto [a, b] = w.list.ends[p];
    if (stands_still(w, a)) return;
    const Moving<T> moving_a = w.bodies.moving[a], moving_b = w.bodies.moving[b];
    const PairView<T>& pair = w.pair(moving_a.type, moving_b.type);
    if (kinds != Kinds::discs && pair.kind >= MapKind::star) return;  // SeveralStage
    if (moving_a.kind == gone || moving_b.kind == gone) return part(p);
    const PairPose<T> at(w, pair, a, b);
    if (!at.circles_meet(pair)) return set_apart(p, a, b, norm(at.from_a) - pair.reach - pair.rounding);
    WorldGeometry<T> g;
    if (kinds == Kinds::discs || pair.kind == MapKind::discs) {
      g = disc_geometry(at.from_a, pair.scale, pair.reach);
      if (g.gap >= T(0)) return set_apart(p, a, b, g.gap - pair.rounding);
    } else {
      const ContactGeometryOf<T> answer = ask(p, pair, at.pose);
      if (!(answer.gap < T(0)) && std::isfinite(answer.gap)) {
        return set_apart(p, a, b, pair.scale * answer.gap - pair.doubt - pair.rounding);
      }
      g = world_geometry(answer.gap, answer.gap_theta, answer.gap_x, answer.arm, pair.scale, pair.scale * at.pose.x,
                         at.turn);
    }
    touch(p, a, pair, moving_a, moving_b, g);
  }

 private:
  SCREE_HD ContactGeometryOf<T> ask(std::uint32_t p, const PairView<T>& pair, const Pose<T>& pose) const {
    if constexpr (kinds == Kinds::all) {
      if (pair.kind == MapKind::neural) return w.nets.template answer<T>(w.list.asked[p]);
      if (pair.kind == MapKind::reference) return w.references.template answer<T>(w.list.asked[p]);
    }
    return query_table(w.tables[pair.map], pose);
  }

  // For good.
  SCREE_HD void part(std::uint32_t p) const { w.list.clear[p] = 3e38f; }

  SCREE_HD void touch(std::uint32_t p, std::uint32_t slot_a, const PairView<T>& pair, const Moving<T>& a,
                      const Moving<T>& b, const WorldGeometry<T>& g) const {
    const bool went_on = w.list.clear[p] < 0;
    const std::uint32_t slot = p * w.list.several;
    Memory<T>& memory = w.list.memory[slot];
    const T spring = went_on ? carried_spring(memory, g.normal) : T(0);
    const ContactForce<T> f = contact_force<Law>(g, twist_of(a), twist_of(b), mobility_of(w, a), mobility_of(w, b),
                                                 pair.law, spring, static_cast<T>(dt));
    memory = {f.spring, g.normal, 0};
    if (w.list.several > 1) w.list.memory[slot + 1].feature = none;
    w.list.wrench[p] = wrench_of(g, f);
    if (!went_on) w.list.clear[p] = -1;
    const auto relative = static_cast<float>(-g.gap / pair.overlap_limit);
    record_contact(w, slot, record, note_overlap(w, slot_a, relative), g, f, relative);
  }

  // They must move by `gap`, both together, before they can touch. Moves are counted from where the list was built,
  // so that what both have moved already may have to be undone first.
  SCREE_HD void set_apart(std::uint32_t p, std::uint32_t a, std::uint32_t b, T gap) const {
    const float way = static_cast<float>(gap) - (w.bodies.moved[a] + w.bodies.moved[b]);
    w.list.clear[p] = way > 0 ? way * (1 - rounding) : 0;
  }
};

}  // namespace scree::gpu
