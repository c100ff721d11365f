// Clump contact: pairs of discs, against the closed form of two discs and finite differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "brute_force.hpp"
#include "scree/map/clump_map.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

using test::random_pose;

TEST(ClumpMap, OfTwoDiscsIsTheClosedForm) {
  const Shape disc = make_disc("disc", 1);
  const ClumpMap map({&disc, &disc, 0.6}, {});
  Rng rng(1);
  for (int n = 0; n < 100; ++n) {
    const Pose2d q = random_pose(rng, 1.6);
    const ContactGeometry got = map.query(q), want = disc_contact(q.x, 0.6);
    EXPECT_NEAR(got.gap, want.gap, 1e-14);
    EXPECT_NEAR(got.gap_theta, 0, 1e-14);
    EXPECT_LT(norm(got.gap_x - want.gap_x), 1e-14);
    // Here the contact point is in the middle of the overlap; the closed form's arm is the same.
    EXPECT_NEAR(got.arm, want.arm, 1e-14);
  }
}

TEST(ClumpMap, TouchingListsEveryOverlappingPairOnce) {
  const Shape u = make_named_shape("u"), hash = make_named_shape("hash");
  const ClumpMap map({&u, &hash, 0.8}, {});
  Rng rng(2);
  std::size_t most = 0;
  for (int n = 0; n < 300; ++n) {
    const Pose2d q = random_pose(rng, map.reach());
    std::vector<PairContact> out;
    map.touching(q, all_parts, out);
    std::size_t wanted = 0;
    double smallest = 1e300;
    for (const ClumpDisc& a : map.a().discs)
      for (const ClumpDisc& b : map.b().discs) {
        const double gap = norm(q * b.centre - a.centre) - a.radius - b.radius;
        wanted += gap < 0;
        smallest = std::min(smallest, gap);
      }
    EXPECT_EQ(out.size(), wanted);
    EXPECT_NEAR(map.query(q).gap, smallest, 1e-14);
    for (std::size_t k = 1; k < out.size(); ++k) EXPECT_LT(out[k - 1].feature, out[k].feature);
    for (const PairContact& c : out) {
      EXPECT_EQ(map.feature_distance(c.feature, c.feature), 0);
      EXPECT_TRUE(std::isinf(map.feature_distance(c.feature, c.feature + 1)));
    }
    most = std::max(most, out.size());
  }
  EXPECT_GT(most, 3u);
}

// In single precision, as on a GPU: the same contacts, but for those whose overlap is lost in rounding.
TEST(ClumpKernel, SinglePrecisionFindsTheSameContacts) {
  const Shape u = make_named_shape("u"), hash = make_named_shape("hash");
  for (const double ratio : {0.05, 0.8, 3.0}) {
    const ClumpMap map({&u, &hash, ratio}, {});
    const auto single = [](const Clump& clump) {
      std::vector<ClumpDiscOf<float>> out;
      for (const ClumpDisc& d : clump.discs)
        out.push_back({{static_cast<float>(d.centre.x), static_cast<float>(d.centre.y)}, static_cast<float>(d.radius)});
      return out;
    };
    const auto a = single(map.a()), b = single(map.b());
    const ClumpView<float> view{a.data(), map.view().a_count, b.data(), map.view().b_count,
                                static_cast<float>(map.view().reach_b)};
    const double rounding = 2e-6 * map.reach();
    Rng rng(4);
    std::size_t seen = 0;
    for (int n = 0; n < 1000; ++n) {
      const Pose2d q = random_pose(rng, map.reach());
      std::vector<PairContact> want;
      map.touching(q, all_parts, want);
      std::size_t k = 0;
      const auto skip_until = [&](std::uint32_t feature) {
        for (; k < want.size() && want[k].feature < feature; ++k) EXPECT_GT(want[k].geometry.gap, -rounding);
      };
      const Pose<float> p{static_cast<float>(q.theta), {static_cast<float>(q.x.x), static_cast<float>(q.x.y)}};
      clump_touching(view, p, [&](const PairContactOf<float>& got) {
        skip_until(got.feature);
        if (k == want.size() || want[k].feature != got.feature) {
          EXPECT_GT(got.geometry.gap, -rounding);
          return;
        }
        const ContactGeometry& w = want[k++].geometry;
        EXPECT_NEAR(got.geometry.gap, w.gap, rounding);
        // The normal is a difference of centres over their distance.
        const double distance = w.gap + a[got.feature >> 16].radius + b[got.feature & 0xffff].radius;
        EXPECT_NEAR(got.geometry.arm, w.arm, rounding * (1 + map.reach() / distance));
        ++seen;
      });
      skip_until(~0u);
    }
    EXPECT_GT(seen, 1000u);
  }
}

// Gradients of every single contact: follow one feature over a small move.
TEST(ClumpMap, GradientsOfEveryContact) {
  const Shape cross = make_named_shape("rosette"), heart = make_named_shape("heart");
  const ClumpMap map({&cross, &heart, 1.2}, {});
  Rng rng(3);
  const double h = 1e-6;
  const auto gap_of = [&](const Pose2d& q, std::uint32_t feature) {
    std::vector<PairContact> out;
    map.touching(q, all_parts, out);
    for (const PairContact& c : out)
      if (c.feature == feature) return c.geometry.gap;
    return std::nan("");
  };
  int seen = 0;
  for (int n = 0; n < 100; ++n) {
    const Pose2d q = random_pose(rng, map.reach());
    std::vector<PairContact> out;
    map.touching(q, all_parts, out);
    for (const PairContact& c : out) {
      const double theta = (gap_of({q.theta + h, q.x}, c.feature) - gap_of({q.theta - h, q.x}, c.feature)) / (2 * h);
      const double x =
          (gap_of({q.theta, q.x + Vec2d{h, 0}}, c.feature) - gap_of({q.theta, q.x - Vec2d{h, 0}}, c.feature)) / (2 * h);
      if (!std::isfinite(theta + x)) continue;  // it begins or ends within the move
      EXPECT_NEAR(c.geometry.gap_theta, theta, 1e-6);
      EXPECT_NEAR(c.geometry.gap_x.x, x, 1e-6);
      ++seen;
    }
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace scree
