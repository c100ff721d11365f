// The contacts of a pair of stars by one thread, against those of the batch, in both precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>

#include "brute_force.hpp"
#include "scree/base/sincos_kernel.hpp"
#include "scree/map/star_arrays.hpp"
#include "scree/map/star_map.hpp"
#include "scree/map/star_near_kernel.hpp"
#include "scree/map/star_pair_kernel.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"

namespace scree {
namespace {

using test::random_pose;

template <class T>
StarPlacementOf<T> placement(const StarPairView<T>& pair, const Pose2d& q) {
  Rotation2d turn;
  sine_cosine(q.theta, turn.s, turn.c);
  return {Rotation<T>(static_cast<T>(turn.c), static_cast<T>(turn.s)),
          {static_cast<T>(q.x.x), static_cast<T>(q.x.y)},
          pair.a.centre,
          pair.b.centre};
}

struct Found {
  int code = 0;
  std::vector<PairContact> contacts;

  template <class T>
  void add(const PairContactOf<T>& c) {
    contacts.push_back(
        {{c.geometry.gap, c.geometry.gap_theta, {c.geometry.gap_x.x, c.geometry.gap_x.y}, c.geometry.arm}, c.feature});
  }
};

template <class T>
Found found(const StarPairView<T>& pair, const Pose2d& q, NearParts parts) {
  Found out;
  const StarPlacementOf<T> at = placement(pair, q);
  out.code = star_touching(pair, at, parts, [&](const PairContactOf<T>& c) { out.add(c); });
  return out;
}

// By way of runs that are kept; nothing where a side has too many of them.
template <class T>
std::optional<Found> found_by_runs(const StarPairView<T>& pair, const Pose2d& q, NearParts parts) {
  const StarPlacementOf<T> at = placement(pair, q);
  StarRunsOfPair<T> runs{};
  StarRunWriter<T> writer(&runs, pair.a.node_count, pair.b.node_count);
  for (const bool of_a : {true, false}) {
    const StarSideView<T>& side = pair.side(of_a);
    for (std::uint32_t left = parts_of(parts, of_a) & side.all_parts(); left != 0; left &= left - 1)
      for (int k = side.parts[lowest_bit(left)].first; k < side.parts[lowest_bit(left)].end; ++k) {
        const T gap = star_node_gap(pair, at, of_a, k);
        if (gap < 0) writer.add(of_a, StarRun<T>::of_node(k, gap));
      }
  }
  const int count = writer.finish();
  if (writer.most_of_a_side() > few_star_runs) return {};
  Found out;
  if (count <= 4 && writer.most_of_a_side() <= 2) {  // as most are
    StarContact contact[4];
    if (count == 1) contact[0] = star_contact_at(pair, at, writer.last_of_a(), writer.last_deepest());
    out.code = count < 2    ? count
               : count == 2 ? star_touching_twice(pair, at, runs.side[0], runs.side[1], contact)
                            : star_touching_fourfold(pair, at, runs.side[0], runs.side[1], contact);
    for (int k = 0; k < out.code; ++k)
      out.add(PairContactOf<T>{star_geometry_at(pair, at, contact[k].of_a, contact[k].node), contact[k].feature});
  } else {
    out.code = star_touching(pair, at, runs, [&](const PairContactOf<T>& c) { out.add(c); });
  }
  return out;
}

bool same(const std::vector<PairContact>& a, const std::vector<PairContact>& b) {
  return std::ranges::equal(a, b, [](const PairContact& x, const PairContact& y) {
    return x.feature == y.feature && x.geometry.gap == y.geometry.gap && x.geometry.arm == y.geometry.arm;
  });
}

std::vector<PairContact> of_batch(const StarMap& map, const Pose2d& q, NearParts parts) {
  std::vector<PairContact> out;
  map.touching(q, parts, out);
  return out;
}

double deepest(const std::vector<PairContact>& contacts) {
  double gap = 0;
  for (const PairContact& c : contacts) gap = std::min(gap, c.geometry.gap);
  return gap;
}

// Crosses, a star, a gear, a polygon, a heart, off the star's centre, round.
std::vector<Shape> stars() {
  return {make_named_shape("rosette"),
          make_named_shape("star"),
          make_named_shape("cross"),
          make_named_shape("rosette", {{"n", 12}, {"depth", 0.2}}),
          make_named_shape("box"),
          make_named_shape("heart"),
          make_fourier_star("limacon", {{1, 0.5, 0.1}, {0, 0, 0.1}}),
          make_disc("disc", 1)};
}

template <class Body>
void for_pairs(Body&& body) {
  const std::vector<Shape> all = stars();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j)
      for (const double ratio : {1.0, 0.4 + 0.3 * static_cast<double>(j)}) body(ShapePair{&all[i], &all[j], ratio});
}

TEST(StarPairKernel, HasTheContactsOfTheBatch) {
  std::size_t contacts = 0, several = 0, few = 0, too_many = 0;
  for_pairs([&](const ShapePair& pair) {
    for (const StarDistance distance : {StarDistance::first_order, StarDistance::radial}) {
      const StarMap map(pair, 99, distance);
      Rng rng(21);
      for (int n = 0; n < 200; ++n) {
        const Pose2d q = random_pose(rng, map.reach());
        for (const NearParts parts : {all_parts, map.near_parts(q, 0.02)}) {
          const std::vector<PairContact> want = of_batch(map, q, parts);
          const Found got = found(map.view(), q, parts);
          if (got.code == too_many_star_runs) {
            EXPECT_TRUE(got.contacts.empty());
            ++too_many;
            continue;
          }
          ASSERT_EQ(got.contacts.size(), want.size()) << pair.a->name << " " << pair.b->name << " " << n;
          ASSERT_EQ(got.code, static_cast<int>(want.size()));
          for (std::size_t k = 0; k < want.size(); ++k) {
            const ContactGeometry &g = got.contacts[k].geometry, &w = want[k].geometry;
            EXPECT_EQ(got.contacts[k].feature, want[k].feature);
            EXPECT_NEAR(g.gap, w.gap, 1e-12);
            EXPECT_NEAR(g.gap_theta, w.gap_theta, 1e-12);
            EXPECT_LT(norm(g.gap_x - w.gap_x), 1e-12);
            EXPECT_NEAR(g.arm, w.arm, 1e-12);
          }
          contacts += want.size();
          several += want.size() > 1;
          const std::optional<Found> by_runs = found_by_runs(map.view(), q, parts);
          if (!by_runs) continue;
          few += want.size() > 0;
          EXPECT_TRUE(same(by_runs->contacts, got.contacts)) << pair.a->name << " " << pair.b->name << " " << n;
        }
      }
    }
  });
  EXPECT_GT(contacts, 20000u);
  EXPECT_GT(several, 3000u);
  EXPECT_GT(few, 10000u);
  EXPECT_EQ(too_many, 0u);
}

// In single precision a node within rounding of the boundary may be in or out, of two nodes as deep as each other
// either may be chosen, and a direction may fall into the next cell of the table, where r has another slope. Overlaps
// beyond a tenth of a radius are left out: towards a star's centre a direction loses its digits.
TEST(StarPairKernel, SinglePrecisionHasThemToRounding) {
  constexpr double deep = 0.1;
  std::size_t contacts = 0, poses = 0, unlike = 0, other_cell = 0;
  double off_gap = 0, off_gradient = 0, off_arm = 0;
  for_pairs([&](const ShapePair& pair) {
    const StarMap map(pair, 100);
    const StarArrays<float> a(map.view().a, false), b(map.view().b, false);
    const StarPairView<float> view = star_pair<float>(map.view(), a.view(), b.view());
    Rng rng(22);
    for (int n = 0; n < 800; ++n) {
      const Pose2d q = random_pose(rng, map.reach());
      const std::vector<PairContact> want = of_batch(map, q, all_parts);
      if (deepest(want) < -deep * std::min(1.0, pair.ratio)) continue;
      const Found got = found(view, q, all_parts);
      ASSERT_GE(got.code, 0);
      EXPECT_NEAR(deepest(got.contacts), deepest(want), 2e-6 * map.reach());
      ++poses;
      bool same = got.contacts.size() == want.size();
      for (std::size_t k = 0; same && k < want.size(); ++k) same = got.contacts[k].feature == want[k].feature;
      unlike += !same;
      for (std::size_t k = 0; same && k < want.size(); ++k, ++contacts) {
        const ContactGeometry &g = got.contacts[k].geometry, &w = want[k].geometry;
        off_gap = std::max(off_gap, std::abs(g.gap - w.gap));
        const double off = norm(g.gap_x - w.gap_x) + std::abs(g.gap_theta - w.gap_theta) / map.reach();
        if (off > 1e-4) {
          ++other_cell;
          continue;
        }
        off_gradient = std::max(off_gradient, off);
        off_arm = std::max(off_arm, std::abs(g.arm - w.arm));
      }
    }
  });
  std::printf(
      "%zu contacts: gap within %.1e, gradient %.1e, arm %.1e; other cell: %zu; other contacts: %zu of %zu poses\n",
      contacts, off_gap, off_gradient, off_arm, other_cell, unlike, poses);
  EXPECT_GT(contacts, 5000u);
  EXPECT_LT(off_gap, 1e-5);
  EXPECT_LT(off_arm, 3e-4);
  EXPECT_LT(other_cell, contacts / 200);
  EXPECT_LT(unlike, poses / 1000);
}

// Tables with steps, two nodes at a time, and whole groups of them: what is beyond the last node is far outside.
TEST(StarPairKernel, QuickGapsAreThoseOfTheNodes) {
  std::size_t inside = 0;
  double off = 0;
  for_pairs([&](const ShapePair& pair) {
    for (const StarDistance distance : {StarDistance::first_order, StarDistance::radial}) {
      const StarMap map(pair, 99, distance);
      const bool radial = distance == StarDistance::radial;
      const StarArrays<double> a(map.view().a, radial), b(map.view().b, radial);
      const StarPairView<double> view = map.view();
      const StarPairView<double> with_steps = star_pair<double>(view, a.view(), b.view());
      Rng rng(27);
      for (int n = 0; n < 20; ++n) {
        const StarPlacementOf<double> at = placement(view, random_pose(rng, map.reach()));
        for (const bool of_a : {true, false}) {
          const int count = view.side(of_a).node_count;
          const StarSight<double> own = with_steps.side(of_a).sight, other = with_steps.side(!of_a).sight;
          for (int k = 0; k < (count + star_group - 1) / star_group * star_group; ++k) {
            const TwoStarNodes<double> both = own.nodes[k / 2];
            const double got = quick_star_gap(other.steps, at.seen(of_a, {both.x[k % 2], both.y[k % 2]}));
            if (k >= count) {
              EXPECT_GT(got, 1e6);
              continue;
            }
            EXPECT_EQ(norm(with_steps.side(of_a).node(k) - view.side(of_a).nodes[k]), 0);
            const double want = star_node_gap(view, at, of_a, k);
            off = std::max(off, std::abs(got - want));
            inside += want < 0;
          }
        }
      }
    }
  });
  EXPECT_GT(inside, 50000u);
  EXPECT_LT(off, 1e-12);
}

// More runs than there is room for are told, not dropped: 40 teeth over the rim of a disc.
TEST(StarPairKernel, TellsOfTooManyRuns) {
  const Shape teeth = make_named_shape("rosette", {{"n", 40}, {"depth", 0.2}}), disc = make_disc("disc", 1);
  const StarMap map({&teeth, &disc, 0.85}, 400);
  ASSERT_FALSE(of_batch(map, {}, all_parts).empty());
  const Found got = found(map.view(), {}, all_parts);
  EXPECT_EQ(got.code, too_many_star_runs);
  EXPECT_TRUE(got.contacts.empty());
}

TEST(StarPairKernel, NearPartsAreThoseOfTheMap) {
  std::size_t unlike = 0, poses = 0;
  for_pairs([&](const ShapePair& pair) {
    const StarMap map(pair, 99);
    const StarArrays<float> a(map.view().a, false), b(map.view().b, false);
    const StarPairView<float> view = star_pair<float>(map.view(), a.view(), b.view());
    Rng rng(23);
    for (int n = 0; n < 100; ++n, ++poses) {
      const Pose2d q = random_pose(rng, map.reach());
      const double margin = 0.05;
      const NearParts want = map.near_parts(q, margin);
      unlike += star_near_parts(map.view(), placement(map.view(), q), margin) != want;
      // On the safe side in single precision: none is missing, and hardly any is too many.
      const NearParts got = star_near_parts(view, placement(view, q), static_cast<float>(margin));
      EXPECT_EQ(want & ~got, NearParts{0});
      EXPECT_LE(std::popcount(got & ~want), 1);
    }
  });
  EXPECT_LE(unlike, poses / 1000);  // where rho^2 - r^2 is at the limit
}

// Every node that comes inside while it moves by a margin is among those that may, and of the others hardly any is.
TEST(StarPairKernel, NodesThatMayEnterAreNamedBefore) {
  std::size_t entered = 0, named = 0, all = 0;
  for_pairs([&](const ShapePair& pair) {
    const StarMap map(pair, 99);
    const StarArrays<float> a(map.view().a, false), b(map.view().b, false);
    const StarPairView<float> view = star_pair<float>(map.view(), a.view(), b.view());
    Rng rng(29);
    for (int n = 0; n < 60; ++n) {
      const StarPlacementOf<float> at = placement(view, random_pose(rng, map.reach()));
      for (const bool of_a : {true, false}) {
        const StarSideView<float>& other = view.side(!of_a);
        const float way = static_cast<float>(rng.uniform(0.1, 1)) * other.near_limit;
        for (int k = 0; k < view.side(of_a).node_count; ++k, ++all) {
          const Vec2<float> p = at.seen(of_a, view.side(of_a).node(k));
          bool enters = quick_star_gap(other.sight.steps, p) < 0;
          for (int i = 0; i < 16 && !enters; ++i) {
            const double angle = 2 * std::numbers::pi * i / 16;
            const Vec2<float> there =
                p + way * Vec2<float>{static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
            enters = quick_star_gap(other.sight.steps, there) < 0;
          }
          const bool may = star_node_may_enter(other.sight.steps, other.steep2, p, way + view.rounding);
          EXPECT_TRUE(may || !enters) << pair.a->name << " " << pair.b->name << " " << k;
          entered += enters;
          named += may;
        }
      }
    }
  });
  std::printf("of %zu nodes %zu may enter, %zu do\n", all, named, entered);
  EXPECT_GT(entered, 100000u);
  EXPECT_LT(static_cast<double>(named), 1.02 * static_cast<double>(entered));
}

TEST(NearNodes, AreAllThatWereAddedAndLittleElse) {
  Rng rng(31);
  for (int n = 0; n < 2000; ++n) {
    std::vector<char> wanted(most_star_units, 0);
    NearNodes near;
    int ranges = 0;
    EXPECT_FALSE(near.any());
    for (int from = static_cast<int>(rng.uniform(0, 60)); from < most_star_units;) {
      const int to = std::min(from + 1 + static_cast<int>(rng.uniform(0, 30)), most_star_units);
      near.add(from, to);
      std::fill(wanted.begin() + from, wanted.begin() + to, 1);
      ++ranges;
      from = to + 2 + static_cast<int>(rng.uniform(0, 120));
    }
    EXPECT_EQ(near.any(), ranges > 0);
    EXPECT_EQ(near.ranges(), std::min(ranges, NearNodes::most));
    const int units = near.units();
    int taken = 0, last = -1;
    std::vector<char> got(most_star_units, 0);
    for (; near.any(); ++taken) {
      const NearNodes::Range range = near.take();
      ASSERT_LT(last, range.first);
      ASSERT_LT(range.first, range.end);
      last = range.end;
      std::fill(got.begin() + range.first, got.begin() + range.end, 1);
    }
    EXPECT_EQ(units, std::ranges::count(got, 1));
    EXPECT_EQ(taken, std::min(ranges, NearNodes::most));
    for (int k = 0; k < most_star_units; ++k)
      EXPECT_GE(got[static_cast<std::size_t>(k)], wanted[static_cast<std::size_t>(k)]);
    if (ranges <= NearNodes::most) { EXPECT_EQ(got, wanted); }
  }
}

TEST(NearNodes, NeighboursBecomeOneRange) {
  NearNodes near;
  near.add(0, 3);
  near.add(3, 4);
  near.add(5, 9);  // with the one between
  EXPECT_EQ(near.ranges(), 1);
  EXPECT_EQ(near.units(), 9);
}

TEST(StarPairKernel, PosesThatAreNoNumbersTouchNothing) {
  const Shape cross = make_named_shape("rosette");
  const StarMap map({&cross, &cross, 1}, 100);
  const double none = std::numeric_limits<double>::quiet_NaN(), far = std::numeric_limits<double>::infinity();
  for (const Pose2d& q : {Pose2d{none, {1, 0}}, Pose2d{0, {none, 0}}, Pose2d{0, {0, far}}}) {
    EXPECT_EQ(found(map.view(), q, all_parts).code, 0);
    EXPECT_EQ(star_near_parts(map.view(), placement(map.view(), q), 0.1), all_parts);
  }
}

}  // namespace
}  // namespace scree
