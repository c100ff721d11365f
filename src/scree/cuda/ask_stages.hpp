#pragma once
// Maps that answer many poses at a time: nets, and references that only the host can compute. Pairs that need an answer
// lay down their poses, map by map; the backend has them answered; PairStage goes on with the answers.
//
// Poses of a map lie in the order in which threads came. An answer does not depend on where its pose lies, so neither
// does anything else.
#include "scree/cuda/pair_stage.hpp"

namespace scree::gpu {

template <class Real>
struct ClearAsked {
  AskView<Real> ask;
  SCREE_HD std::uint32_t count() const { return ask.map_count; }
  SCREE_HD void run(std::uint32_t m) const { ask.ranges[m].count = 0; }
};

// Of a new list, the pairs of each map.
template <class T, class Real>
struct CountAsked {
  WorldView<T> w;
  AskView<Real> ask;
  MapKind kind{};
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }
  SCREE_HD void run(std::uint32_t p) const {
    const auto [a, b] = w.list.ends[p];
    const PairView<T>& pair = w.pair(w.bodies.moving[a].type, w.bodies.moving[b].type);
    if (pair.kind == kind) claim(&ask.ranges[pair.map].count);
  }
};

// One thread: where the poses of each map begin, so that there is room for all of its pairs.
template <class Real>
struct LayOutAsked {
  AskView<Real> ask;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    std::uint32_t first = 0;
    for (std::uint32_t m = 0; m < ask.map_count; ++m) {
      ask.ranges[m].first = first;
      first += ask.ranges[m].count;
    }
  }
};

// In every step.
template <class T, class Real>
struct AskStage {
  WorldView<T> w;
  AskView<Real> ask;
  MapKind kind{};
  bool skip = true;  // as in PairStage

  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : w.control->pairs; }
  SCREE_HD bool open(std::uint32_t p) const { return may_touch(w, p, skip); }
  SCREE_HD void tried(std::uint32_t) const {}

  SCREE_HD void run(std::uint32_t p) const {
    const auto [a, b] = w.list.ends[p];
    if (stands_still(w, a)) return;
    const Moving<T> moving_a = w.bodies.moving[a], moving_b = w.bodies.moving[b];
    const PairView<T>& pair = w.pair(moving_a.type, moving_b.type);
    if (pair.kind != kind || moving_a.kind == gone || moving_b.kind == gone) return;
    const PairPose<T> at(w, pair, a, b);
    if (!at.circles_meet(pair)) return;
    const std::uint32_t k = ask.ranges[pair.map].first + claim(&ask.ranges[pair.map].count);
    ask.x[k] = static_cast<Real>(at.pose.x.x);
    ask.y[k] = static_cast<Real>(at.pose.x.y);
    ask.theta[k] = static_cast<Real>(at.pose.theta);
    w.list.asked[p] = k;
  }
};

}  // namespace scree::gpu
