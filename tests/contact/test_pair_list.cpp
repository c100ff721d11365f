#include <gtest/gtest.h>

#include <limits>

#include "contact_world.hpp"
#include "scree/contact/narrow_phase.hpp"

namespace scree {
namespace {

using testing::add_maps;
using testing::add_type;
using testing::random_in;

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs pairs_of(const PairList& list) {
  Pairs pairs;
  for (std::uint32_t i = 0; i + 1 < list.first.size(); ++i) {
    for (std::size_t p = list.first[i]; p < list.first[i + 1]; ++p) pairs.emplace_back(i, list.j[p]);
  }
  return pairs;
}

// Everything the list promises, against a test of all pairs written down anew.
void expect_right(const World& w, double skin, ThreadPool& pool, const std::string& what) {
  const TypeTables tables(w);
  PairList list;
  build_pair_list(w, tables, skin, pool, list);
  Pairs wanted;
  for (std::uint32_t i = 0; i < w.bodies.size(); ++i) {
    for (std::uint32_t j = i + 1; j < w.bodies.size(); ++j) {
      if (w.bodies.kind[i] != BodyKind::moving && w.bodies.kind[j] != BodyKind::moving) continue;
      const double reach = w.types[w.bodies.type[i]].radius + w.types[w.bodies.type[j]].radius + skin;
      if (norm(w.separation(w.bodies.x[i], w.bodies.x[j])) < reach) wanted.emplace_back(i, j);
    }
  }
  ASSERT_EQ(list.first.size(), w.bodies.size() + 1);
  ASSERT_EQ(list.first.back(), list.size());
  ASSERT_EQ(pairs_of(list), wanted) << what;
  ASSERT_EQ(brute_force_pairs(w, tables, skin), wanted) << what;
}

struct RandomWorld {
  std::size_t bodies = 200;
  double smallest = 0.1;
  double largest = 1;
  Box box{{0, 0}, {10, 10}};
  bool periodic_x = false;
  bool periodic_y = false;
  double outside = 0;  // share of the box by which bodies may lie outside it

  World make(std::uint64_t seed) const {
    World w;
    Rng rng(seed);
    for (int k = 0; k < 6; ++k) add_type(w, "disc", smallest * std::pow(largest / smallest, k / 5.0));
    w.periodic = {periodic_x, periodic_y, box};
    const Vec2d extra = outside * (box.hi - box.lo);
    for (std::size_t k = 0; k < bodies; ++k) {
      const auto kind = static_cast<BodyKind>(rng.below(5) < 3 ? 0 : 1 + rng.below(2));
      const auto type = static_cast<int>(rng.below(6));
      w.add_body(type, 0, kind, random_in(rng, {box.lo - extra, box.hi + extra}), 0);
    }
    return w;
  }
};

TEST(PairList, MatchesBruteForceOnRandomWorlds) {
  ThreadPool pool(2);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    RandomWorld r;
    r.periodic_x = seed & 1;
    r.periodic_y = seed & 2;
    r.bodies = 60 + 100 * seed;
    expect_right(r.make(seed), 0.05 * static_cast<double>(seed % 4), pool, "seed " + std::to_string(seed));
  }
}

TEST(PairList, FewCellsAndThinBoxes) {
  ThreadPool pool(1);
  for (const double width : {2.1, 4.3, 6.5, 40.0}) {
    for (const bool periodic : {false, true}) {
      RandomWorld r;
      r.box = {{-1, 3}, {-1 + width, 3 + 2.2}};
      r.periodic_x = periodic;
      r.periodic_y = periodic;
      r.bodies = 80;
      expect_right(r.make(7), 0.2, pool, "width " + std::to_string(width));
    }
  }
}

TEST(PairList, BodiesOutsideThePeriodicBox) {
  ThreadPool pool(1);
  RandomWorld r;
  r.periodic_x = r.periodic_y = true;
  r.outside = 1.3;
  expect_right(r.make(3), 0.1, pool, "outside");
}

TEST(PairList, AFewLargeBodiesAmongManySmall) {
  ThreadPool pool(2);
  World w;
  const int small = add_type(w, "disc", 0.1);
  const int large = add_type(w, "disc", 6);
  Rng rng(5);
  const Box box{{0, 0}, {30, 30}};
  for (int k = 0; k < 600; ++k) w.add_body(k % 97 == 40 ? large : small, 0, BodyKind::moving, random_in(rng, box), 0);
  expect_right(w, 0.02, pool, "large");
  w.periodic = {true, true, box};
  expect_right(w, 0.02, pool, "large, periodic");
}

TEST(PairList, DegenerateWorlds) {
  ThreadPool pool(1);
  World none;
  add_type(none, "disc", 1);
  expect_right(none, 0, pool, "no body, no skin");
  none.periodic = {true, false, {{0, 0}, {5, 5}}};
  expect_right(none, 0.1, pool, "no body, periodic");
  RandomWorld r;
  r.bodies = 1;
  expect_right(r.make(1), 0.1, pool, "one");
  r.bodies = 70;
  r.box = {{2, 2}, {2, 2}};
  expect_right(r.make(1), 0.1, pool, "all on one point");
  r.box = {{2, 2}, {50, 2}};
  expect_right(r.make(1), 0.1, pool, "on a line");
  r.box = {{0, 0}, {5, 5}};
  World far = r.make(2);
  far.bodies.x[3] = {1e18, -1e18};
  expect_right(far, 0.1, pool, "one far away");
}

TEST(PairList, SurvivesNumbersThatAreNone) {
  ThreadPool pool(1);
  RandomWorld r;
  World w = r.make(4);
  w.bodies.x[2] = {std::numeric_limits<double>::quiet_NaN(), 0};
  w.bodies.x[9] = {std::numeric_limits<double>::infinity(), 1};
  const TypeTables tables(w);
  PairList list;
  build_pair_list(w, tables, 0.1, pool, list);
  EXPECT_EQ(list.first.size(), w.bodies.size() + 1);
  EXPECT_GT(list.size(), 0u) << "the others still meet";
}

// The certificate: as long as twice the largest move is within the skin, no touching pair is missing.
TEST(PairList, NoTouchingPairIsMissingBeforeTheListIsStale) {
  ThreadPool pool(1);
  const double skin = 0.3;
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    RandomWorld r;
    r.periodic_x = r.periodic_y = seed % 2;
    r.bodies = 150;
    World w = r.make(seed);
    const TypeTables tables(w);
    PairList list;
    build_pair_list(w, tables, skin, pool, list);
    Rng rng(seed, 9);
    for (;;) {
      for (std::size_t k = 0; k < w.bodies.size(); ++k) {
        if (w.bodies.kind[k] == BodyKind::fixed) continue;
        w.bodies.x[k] += random_in(rng, {{-0.02, -0.02}, {0.02, 0.02}});
        w.wrap(k);
      }
      if (2 * track_moves(w, tables, pool, list) > skin) break;
      const auto listed = pairs_of(list);
      for (const auto& touching : brute_force_pairs(w, tables, 0)) {
        ASSERT_TRUE(std::binary_search(listed.begin(), listed.end(), touching));
      }
      ++steps;
    }
  }
  EXPECT_GT(steps, 30) << "the walk is long enough to mean something";
}

TEST(PairList, LargestMoveSeesThroughAWrap) {
  ThreadPool pool(1);
  World w;
  const int disc = add_type(w, "disc", 1);
  w.periodic = {true, false, {{0, 0}, {10, 10}}};
  w.add_body(disc, 0, BodyKind::moving, {9.9, 5}, 0);
  const TypeTables tables(w);
  PairList list;
  build_pair_list(w, tables, 0.5, pool, list);
  w.bodies.x[0].x += 0.3;
  w.wrap(0);
  EXPECT_NEAR(track_moves(w, tables, pool, list), 0.3, 1e-12);
}

const auto no_law = [](std::size_t, std::span<Contact>) {};

// Springs live in World::contacts; the list only points to them, so a rebuild must find them again.
TEST(NarrowPhase, SpringsOutliveARebuildAndTurnWithTheNormal) {
  ThreadPool pool(1);
  World w;
  const int disc = add_type(w, "disc", 1);
  for (int k = 0; k < 5; ++k) w.add_body(disc, 0, BodyKind::moving, {1.9 * k, 0}, 0);
  add_maps(w);
  const TypeTables tables(w);
  PairList list;
  NarrowPhase narrow;
  const auto detect = [&](bool rebuild) {
    if (rebuild) build_pair_list(w, tables, 0.2, pool, list);
    narrow.run(w, tables, find_rotations(w), true, list, pool, no_law, {}, w.pair_contacts, w.contacts);
    w.pair_contacts = w.contacts.size();
  };
  detect(true);
  ASSERT_EQ(w.contacts.size(), 4u);
  for (std::size_t c = 0; c < 4; ++c) w.contacts[c].spring = 0.1 * static_cast<double>(c + 1);
  detect(false);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(w.contacts[c].spring, 0.1 * static_cast<double>(c + 1), 1e-15);
  detect(true);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(w.contacts[c].spring, 0.1 * static_cast<double>(c + 1), 1e-15);

  // Body 1 leaves: its two springs are gone, the others stay, and indices move with the removal of a body.
  w.bodies.x[1].y = 5;
  detect(true);
  ASSERT_EQ(w.contacts.size(), 2u);
  EXPECT_NEAR(w.contacts[0].spring, 0.3, 1e-15);
  EXPECT_NEAR(w.contacts[1].spring, 0.4, 1e-15);

  // Turning the pair (3, 4) by 60 degrees about body 3 leaves cos 60 of its spring.
  w.bodies.x[4] = w.bodies.x[3] + 1.9 * Vec2d{0.5, std::sqrt(0.75)};
  detect(false);
  EXPECT_NEAR(w.contacts[1].spring, 0.4 * 0.5, 1e-12);
}

TEST(NarrowPhase, GradientsMatchFiniteDifferencesOfTheGap) {
  ThreadPool pool(1);
  World w;
  const int box = add_type(w, "box", 1);
  const int hash = add_type(w, "hash", 0.7);
  w.add_body(hash, 0, BodyKind::moving, {}, 0);
  w.add_body(box, 0, BodyKind::moving, {}, 0);
  add_maps(w, 1e-2);
  const TypeTables tables(w);
  const auto contact_at = [&](std::array<double, 6> q, Contact& out) {
    w.bodies.theta = {q[0], q[3]};
    w.bodies.x = {{q[1], q[2]}, {q[4], q[5]}};
    PairList list;
    std::vector<Contact> contacts;
    build_pair_list(w, tables, 0, pool, list);
    NarrowPhase().run(w, tables, find_rotations(w), true, list, pool, no_law, {}, 0, contacts);
    if (contacts.empty()) return false;
    out = contacts.front();
    return true;
  };
  Rng rng(2);
  int seen = 0;
  for (int k = 0; k < 4000 && seen < 40; ++k) {
    std::array<double, 6> q{};
    for (double& v : q) v = rng.uniform(-1, 1);
    q[0] *= 3, q[3] *= 3;
    Contact c;
    if (!contact_at(q, c) || c.gap > -0.005 || c.gap < -0.1) continue;
    // The box has the lower shape index: it is A although its body index is higher.
    ASSERT_EQ(c.a, 1u);
    ASSERT_EQ(c.b, 0u);
    const std::array<double, 6> analytic{c.gap_theta_b, c.gap_x.x, c.gap_x.y, c.gap_theta_a, -c.gap_x.x, -c.gap_x.y};
    bool smooth = true;
    std::array<double, 6> numeric{};
    for (std::size_t d = 0; d < 6; ++d) {
      Contact low;
      Contact high;
      std::array<double, 6> at = q;
      at[d] = q[d] - 1e-6;
      smooth = contact_at(at, low) && smooth;
      at[d] = q[d] + 1e-6;
      smooth = contact_at(at, high) && smooth;
      smooth = smooth && std::abs(high.gap - 2 * c.gap + low.gap) < 1e-9;  // no kink of the exact map here
      numeric[d] = (high.gap - low.gap) / 2e-6;
    }
    if (!smooth) continue;
    ++seen;
    for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(analytic[d], numeric[d], 2e-4) << "coordinate " << d;
    // Both arms reach one contact point: proj r_A + proj r_B = -(x_B - x_A).n, and the point lies on both.
    const Vec2d x_ab = w.separation({q[4], q[5]}, {q[1], q[2]});
    EXPECT_NEAR(c.arm_a + c.arm_b, -dot(x_ab, c.normal), 1e-12);
    const Vec2d point = w.contact_point(c);
    EXPECT_NEAR(dot(point - Vec2d{q[4], q[5]}, c.normal), -c.arm_a, 1e-12);
    EXPECT_NEAR(dot(point - Vec2d{q[1], q[2]}, c.normal), c.arm_b, 1e-12);
  }
  EXPECT_EQ(seen, 40);
}

TEST(NarrowPhase, TouchesAcrossAPeriodicBoundary) {
  ThreadPool pool(1);
  World w;
  const int disc = add_type(w, "disc", 1);
  w.periodic = {true, true, {{0, 0}, {10, 8}}};
  w.add_body(disc, 0, BodyKind::moving, {0.4, 0.3}, 0);
  w.add_body(disc, 0, BodyKind::moving, {9.2, 7.2}, 0);
  add_maps(w);
  const TypeTables tables(w);
  PairList list;
  std::vector<Contact> contacts;
  build_pair_list(w, tables, 0.1, pool, list);
  NarrowPhase().run(w, tables, find_rotations(w), true, list, pool, no_law, {}, 0, contacts);
  ASSERT_EQ(contacts.size(), 1u);
  const Vec2d d{-1.2, -1.1};
  EXPECT_NEAR(contacts[0].gap, norm(d) - 2, 1e-12);
  EXPECT_NEAR(contacts[0].normal.x, d.x / norm(d), 1e-12);
}

}  // namespace
}  // namespace scree
