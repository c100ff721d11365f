// Outlines: areas and moments against closed forms, distance queries, and every way a drawn outline can be wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/shape/curve.hpp"
#include "scree/shape/edge_grid.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

Loop box(double x0, double y0, double x1, double y1) { return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}; }

std::string complaint(Outline outline) {
  try {
    checked_outline(std::move(outline), "pebble");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.where(), "shape \"pebble\"");
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(MassProperties, BoxAnywhere) {
  // J = w h (w^2 + h^2) / 12. Far from the origin too: the sums must not lose the digits.
  for (const double shift : {0.0, 3.0, 1e6}) {
    const MassProperties m = mass_properties({{box(shift, shift, shift + 2, shift + 0.5)}});
    EXPECT_NEAR(m.area, 1.0, 1e-9);
    EXPECT_NEAR(m.centroid.x, shift + 1, 1e-9);
    EXPECT_NEAR(m.centroid.y, shift + 0.25, 1e-9);
    EXPECT_NEAR(m.polar_moment, 1.0 * (4 + 0.25) / 12, 1e-9);
  }
}

TEST(MassProperties, HoleOffCentre) {
  // A 4 x 4 box without a unit box about (1, 0).
  const Outline outline = checked_outline({{box(-2, -2, 2, 2), box(0.5, -0.5, 1.5, 0.5)}}, "frame");
  const MassProperties m = mass_properties(outline);
  const double cx = -1.0 / 15;
  EXPECT_NEAR(m.area, 15, 1e-12);
  EXPECT_NEAR(m.centroid.x, cx, 1e-12);
  EXPECT_NEAR(m.centroid.y, 0, 1e-12);
  const double about_origin = 16 * 32.0 / 12 - (2.0 / 12 + 1);
  EXPECT_NEAR(m.polar_moment, about_origin - 15 * cx * cx, 1e-12);
}

TEST(MassProperties, DiscAndRingInTheLimit) {
  // An inscribed n-gon falls short of the circle by O(1 / n^2): halving the chord quarters the error.
  double last = 0;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const MassProperties disc = mass_properties({{circle_loop({2, 1}, 1.5, tolerance)}});
    EXPECT_NEAR(disc.area, pi * 2.25, 2 * pi * 1.5 * tolerance);
    EXPECT_NEAR(disc.polar_moment, pi / 2 * std::pow(1.5, 4), 2 * pi * std::pow(1.5, 3) * tolerance);
    const double error = pi * 2.25 - disc.area;
    if (last > 0) { EXPECT_NEAR(last / error, 10, 3); }
    last = error;
    Outline ring = checked_outline(ring_outline({0, 0}, 1, 0.6, tolerance), "ring");
    const MassProperties m = mass_properties(ring);
    EXPECT_NEAR(m.area, pi * (1 - 0.36), 2 * pi * tolerance);
    EXPECT_NEAR(m.polar_moment, pi / 2 * (1 - std::pow(0.6, 4)), 2 * pi * tolerance);
  }
}

TEST(Flattening, StaysWithinTolerance) {
  Rng rng(3);
  for (int k = 0; k < 200; ++k) {
    const double tolerance = std::pow(10, rng.uniform(-5, -1));
    Vec2d p[4];
    for (Vec2d& v : p) v = {rng.uniform(-1, 1), rng.uniform(-1, 1)};
    Loop cubic = {p[0]};
    append_cubic(cubic, p[1], p[2], p[3], tolerance);
    Loop quadratic = {p[0]};
    append_quadratic(quadratic, p[1], p[2], tolerance);
    const auto distance = [](const Loop& chords, Vec2d q) {
      double best = 1e9;
      for (std::size_t i = 0; i + 1 < chords.size(); ++i)
        best = std::min(best, norm(q - nearest_on_segment(chords[i], chords[i + 1], q)));
      return best;
    };
    for (double t = 0; t <= 1; t += 0.01) {
      const double u = 1 - t;
      EXPECT_LE(distance(cubic, u * u * u * p[0] + 3 * u * u * t * p[1] + 3 * u * t * t * p[2] + t * t * t * p[3]),
                tolerance * (1 + 1e-9));
      EXPECT_LE(distance(quadratic, u * u * p[0] + 2 * u * t * p[1] + t * t * p[2]), tolerance * (1 + 1e-9));
    }
    const Loop circle = circle_loop(p[0], 2, tolerance);
    EXPECT_LE(2 - norm(0.5 * (circle[0] + circle[1]) - p[0]), tolerance * (1 + 1e-9));
  }
}

TEST(NearestBoundary, SignNormalAndHoles) {
  const Outline frame = checked_outline({{box(-2, -2, 2, 2), box(-1, -1, 1, 1)}}, "frame");
  EXPECT_NEAR(nearest_boundary(frame, {3, 0}).distance, 1, 1e-15);
  EXPECT_NEAR(nearest_boundary(frame, {0, 0}).distance, 1, 1e-15);  // inside the hole is outside the solid
  EXPECT_NEAR(nearest_boundary(frame, {1.75, 0.3}).distance, -0.25, 1e-15);
  for (const double x : {1.75, 2.0, 2.5})
    EXPECT_NEAR(norm(nearest_boundary(frame, {x, 0.3}).normal - Vec2d{1, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(nearest_boundary(frame, {1.25, 0.3}).normal - Vec2d{-1, 0}), 0, 1e-15);
  const BoundaryPoint corner = nearest_boundary(frame, {3, 3});
  EXPECT_NEAR(corner.distance, std::sqrt(2), 1e-15);
  EXPECT_NEAR(corner.normal.x, std::sqrt(0.5), 1e-15);
}

TEST(NearestBoundary, NormalIsTheGradientAndGridAgrees) {
  Loop star;
  for (int k = 0; k < 14; ++k) star.push_back((k % 2 ? 0.5 : 1) * Vec2d{std::cos(pi * k / 7), std::sin(pi * k / 7)});
  const Outline outline = checked_outline({{star}}, "star");
  const EdgeGrid grid(outline_edges(outline));
  Rng rng(11);
  int smooth = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec2d p{rng.uniform(-2, 2), rng.uniform(-2, 2)};
    const BoundaryPoint b = nearest_boundary(outline, p);
    EXPECT_NEAR(std::sqrt(grid.nearest(p).distance2), std::abs(b.distance), 1e-14);
    EXPECT_EQ(b.distance < 0, contains(outline, p));
    const double h = 1e-6;
    const Vec2d slope{
        (nearest_boundary(outline, p + Vec2d{h, 0}).distance - nearest_boundary(outline, p - Vec2d{h, 0}).distance) /
            (2 * h),
        (nearest_boundary(outline, p + Vec2d{0, h}).distance - nearest_boundary(outline, p - Vec2d{0, h}).distance) /
            (2 * h)};
    if (norm(slope) < 0.999) continue;  // on the medial axis
    ++smooth;
    EXPECT_NEAR(norm(slope - b.normal), 0, 1e-4);
  }
  EXPECT_GT(smooth, 1900);
}

TEST(CheckedOutline, FixesOrientationByNesting) {
  Loop outer = box(-4, -4, 4, 4);
  std::reverse(outer.begin(), outer.end());
  const Outline nested = checked_outline({{box(-1, -1, 1, 1), outer, box(-2, -2, 2, 2), box(6, 0, 7, 1)}}, "nested");
  EXPECT_GT(signed_area(nested.loops[0]), 0);  // an island in the hole
  EXPECT_GT(signed_area(nested.loops[1]), 0);
  EXPECT_LT(signed_area(nested.loops[2]), 0);
  EXPECT_GT(signed_area(nested.loops[3]), 0);  // a second part beside
  EXPECT_NEAR(mass_properties(nested).area, 64 - 16 + 4 + 1, 1e-12);
}

TEST(CheckedOutline, AcceptsClosedLoopsAndCollinearPoints) {
  const Outline closed = checked_outline({{{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {0, 1}, {0, 0}}}}, "closed");
  EXPECT_EQ(closed.loops[0].size(), 5u);
}

TEST(CheckedOutline, NamesWhatIsWrongAndWhere) {
  EXPECT_TRUE(says(complaint({}), "no loops"));
  EXPECT_TRUE(says(complaint({{{{0, 0}, {1, 0}, {0, 0}}}}), "2 distinct vertices"));
  EXPECT_TRUE(says(complaint({{{{0, 0}, {1, 0}, {NAN, 1}}}}), "vertex 2"));
  EXPECT_TRUE(says(complaint({{{{0, 0}, {1, 0}, {2e9, 1}}}}), "vertex 2 (2e+09, 1)"));
  EXPECT_TRUE(says(complaint({{{{0, 0}, {1, 0}, {1, 0}, {1, 1}}}}), "vertex 1 (1, 0) and vertex 2 are the same"));
  EXPECT_TRUE(says(complaint({{{{0, 0}, {2, 0}, {2, 2}, {2, 1}, {0, 1}}}}), "vertex 2 (2, 2) is the tip of a spike"));
  EXPECT_TRUE(says(complaint({{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}}}), "spike"));
  const std::string eight = complaint({{{{0, 0}, {1, 1}, {1, 0}, {0, 1}}}});
  EXPECT_TRUE(says(eight, "meets itself at (0.5, 0.5)")) << eight;
  EXPECT_TRUE(says(eight, "edge 0-1 from (0, 0) to (1, 1)")) << eight;
  EXPECT_TRUE(says(eight, "edge 2-3 from (1, 0) to (0, 1)")) << eight;
  // A vertex that only touches another edge leaves the solid without width there.
  EXPECT_TRUE(says(complaint({{{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}}}), "meets itself at (1, 0)"));
  const std::string crossing = complaint({{box(0, 0, 2, 2), box(1, 1, 3, 3)}});
  EXPECT_TRUE(says(crossing, "two loops meet at")) << crossing;
  EXPECT_TRUE(says(crossing, "loop 0, edge")) << crossing;
  EXPECT_TRUE(says(crossing, "loop 1, edge")) << crossing;
  EXPECT_TRUE(says(complaint({{Loop(20001)}}), "20001 vertices; at most 20000"));
}

TEST(CheckedOutline, LargeOutlines) {
  Loop comb;
  for (int k = 0; k < 4999; ++k) {
    const double x = k;
    comb.insert(comb.end(), {{x, 0.0}, {x + 0.25, 1000.0}, {x + 0.5, 1000.0}, {x + 0.75, 0.0}});
  }
  comb.insert(comb.end(), {{5000.0, -1.0}, {0.0, -1.0}});
  EXPECT_EQ(complaint({{comb}}), "accepted");
  comb[10000].x -= 0.4;  // now crosses the tooth before
  EXPECT_TRUE(says(complaint({{comb}}), "meets itself"));
}

TEST(CheckedOutline, ComparesNearEdgesOnly) {
  Loop circle;
  for (int k = 0; k < 20000; ++k) circle.push_back({std::cos(pi * k / 10000), std::sin(pi * k / 10000)});
  std::size_t pairs = 0;
  EdgeGrid(outline_edges({{circle}})).for_near_pairs([&](std::size_t, std::size_t) { return ++pairs > 0; });
  EXPECT_LT(pairs, 50 * circle.size());  // 10,000 times n if all were compared
}

}  // namespace
}  // namespace scree
