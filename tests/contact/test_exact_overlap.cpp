#include <gtest/gtest.h>

#include <algorithm>

#include "contact_world.hpp"
#include "scree/contact/exact_overlap.hpp"

namespace scree {
namespace {

// Grains that jitter, and now and then leap: what is remembered of pairs must never hide an overlap.
TEST(ExactOverlap, WhatItRemembersHidesNothing) {
  World w;
  const int hash = testing::add_type(w, "hash", 1), cross = testing::add_type(w, "cross", 0.6);
  Rng rng(11);
  constexpr int count = 24;
  for (int k = 0; k < count; ++k)
    w.add_body(k % 2 ? hash : cross, 0, BodyKind::moving, {1.5 * (k % 6), 1.5 * (k / 6)}, rng.uniform(-3, 3), {}, 0);
  testing::add_maps(w);
  ThreadPool pool(2);
  ExactOverlap remembering(w);
  for (int round = 0; round < 60; ++round) {
    const double way = round % 10 == 9 ? 0.3 : 0.003;
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      w.bodies.x[at] += Vec2d{rng.uniform(-way, way), rng.uniform(-way, way)};
      w.bodies.theta[at] += rng.uniform(-way, way);
    }
    double deepest = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t j = i + 1; j < count; ++j)
        if (norm(w.bodies.x[i] - w.bodies.x[j]) < 2) deepest = std::max(deepest, -remembering.gap(w, i, j));
    }
    ASSERT_GT(deepest, 0);
    const double ignored = rng.uniform(0, 1.2) * deepest, found = remembering.deepest(w, pool, ignored);
    if (ignored < deepest) {
      EXPECT_EQ(found, deepest) << round;
    } else {
      EXPECT_LE(found, ignored) << round;
    }
  }
  w.add_body(hash, 0, BodyKind::moving, w.bodies.x[0], w.bodies.theta[0], {}, 0);  // indices may mean others now
  EXPECT_GT(remembering.deepest(w, pool), 0.2);
}

}  // namespace
}  // namespace scree
