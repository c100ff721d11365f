#include "beds.hpp"

namespace scree::testing {

namespace {

// Stacks of unit squares: heights[k] of them at [k, k + 1].
Bed stacks(const std::vector<int>& heights) {
  Bed bed;
  for (std::size_t k = 0; k < heights.size(); ++k)
    for (int j = 0; j < heights[k]; ++j) bed.body(bed.square, {static_cast<double>(k) + 0.5, j + 0.5});
  return bed;
}

SurfaceSettings columns(double width) {
  SurfaceSettings s;
  s.column = width;
  return s;
}

TEST(Surface, StacksHaveTheirHeights) {
  Bed bed = stacks({2, 0, 3, 1});
  const SurfaceProfile p = surface_profile(bed.shot(), {}, columns(1));
  ASSERT_EQ(p.top.size(), 4u);
  EXPECT_FALSE(p.top[1].has_value());
  EXPECT_NEAR(p.highest(), 3, 1e-12);
  EXPECT_NEAR(p.lowest(), 0, 1e-12);
  EXPECT_NEAR(p.mean(), 1.5, 1e-12);
  EXPECT_NEAR(p.centre(2), 2.5, 1e-12);
}

TEST(Surface, TopsAreThoseOfTheOutlineNotOfItsCircle) {
  Bed bed;
  const int wedge = bed.polygon("wedge", {{0, 0}, {4, 0}, {0, 2}});
  bed.body(wedge, {4.0 / 3, 2.0 / 3});  // its corner at the origin
  const SurfaceProfile p = surface_profile(bed.shot(), in({0, 0}, {4, 9}), columns(1));
  ASSERT_EQ(p.top.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(p.height(k), 2 - 0.5 * static_cast<double>(k), 1e-12);
}

TEST(Surface, DiscsAreRound) {
  Bed bed;
  bed.body(bed.disc, {0, 0});
  const SurfaceProfile p = surface_profile(bed.shot(), in({-0.5, -1}, {0.5, 1}), columns(0.25));
  ASSERT_EQ(p.top.size(), 4u);
  EXPECT_NEAR(p.height(1), 1.5, 1e-12);
  EXPECT_NEAR(p.height(0), 1 + std::sqrt(0.25 - 0.0625), 1e-12);
  EXPECT_NEAR(p.height(3), 1 + std::sqrt(0.25 - 0.0625), 1e-12);
}

TEST(Surface, PeriodicImagesCoverBothEnds) {
  Bed bed;
  bed.periodic_x(0, 4);
  bed.body(bed.square, {0, 0.5});
  const SurfaceProfile p = surface_profile(bed.shot(), {}, columns(0.5));
  ASSERT_EQ(p.top.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(p.top[k].has_value(), k == 0 || k == 7) << k;
}

TEST(Surface, FlyingGrainsCanBeLeftOut) {
  Bed bed = stacks({1, 1});
  bed.contact(no_body, 0, {0.5, 0}, {0, 1}, 1);
  bed.contact(no_body, 1, {1.5, 0}, {0, 1}, 1);
  bed.body(bed.disc, {1, 7});
  SurfaceSettings s = columns(1);
  EXPECT_NEAR(surface_profile(bed.shot(), {}, s).highest(), 7.5, 1e-12);
  s.touching = true;
  EXPECT_NEAR(surface_profile(bed.shot(), {}, s).highest(), 1, 1e-12);
  EXPECT_NEAR(pile_extent(bed.shot(), {}, 1, false).height, 7.5, 1e-12);
  EXPECT_NEAR(pile_extent(bed.shot(), {}, 1, true).height, 1, 1e-12);
  // By their height, too.
  s.touching = false;
  EXPECT_NEAR(surface_profile(bed.shot(), in({0, 0}, {2, 3}), s).highest(), 1, 1e-12);
}

TEST(Repose, AStaircaseOfBoxesHasTheSlopeOfItsSteps) {
  Bed bed = stacks({1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1});
  const ReposeAngle r = repose_angle(surface_profile(bed.shot(), {}, columns(1)), Flank::both, 0.1, 0.9);
  EXPECT_NEAR(r.angle, pi / 4, 1e-12);
  EXPECT_NEAR(r.error, 0, 1e-12);
  EXPECT_EQ(r.left->points, 6u);
  EXPECT_EQ(r.right->points, 6u);
  EXPECT_NEAR(r.right->slope, -1, 1e-12);
}

TEST(Repose, ATriangleHasItsAngleAndTheBandCutsFootAndSummit) {
  Bed bed;
  const int pile = bed.polygon("pile", {{0, 0}, {10, 0}, {5, 3}});
  bed.body(pile, {5, 1});
  const SurfaceProfile p = surface_profile(bed.shot(), {}, columns(0.25));
  const ReposeAngle r = repose_angle(p, Flank::both, 0.2, 0.8);
  EXPECT_NEAR(r.angle, std::atan(0.6), 1e-12);
  EXPECT_NEAR(r.error, 0, 1e-10);
  // Column tops are at the columns' upper ends: heights 0.15 k; in the band are 4 to 16.
  EXPECT_EQ(r.left->points, 13u);
}

TEST(Repose, TheErrorIsThatOfTheFit) {
  // Heights 1, 2, 4 at 0.5, 1.5, 2.5 before the summit 5: slope 3/2, residual sum of squares 1/6, Sxx 2.
  Bed bed = stacks({1, 2, 4, 5});
  const ReposeAngle r = repose_angle(surface_profile(bed.shot(), {}, columns(1)), Flank::left, 0.1, 0.9);
  EXPECT_NEAR(r.left->slope, 1.5, 1e-12);
  EXPECT_NEAR(r.left->slope_error, std::sqrt(1.0 / 12), 1e-12);
  EXPECT_NEAR(r.error, std::sqrt(1.0 / 12) / (1 + 2.25), 1e-12);
  EXPECT_FALSE(r.right.has_value());
  const auto right = [&] { repose_angle(surface_profile(bed.shot(), {}, columns(1)), Flank::both, 0.1, 0.9); };
  EXPECT_NE(error_of(right).find("the right flank: 0 of the three points"), std::string::npos);
}

TEST(SurfaceAngle, AnInclinedSurfaceAndItsMeanOverTime) {
  MeasureSettings o;
  o.kind = "surface-angle";
  o.surface.column = 0.1;
  o.span = 1;
  o.from = 1;
  const Measure m = make_measure(o);
  const double degrees = 180 / pi;
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    Bed bed;
    const double rise = 1.0 + k;
    const int wedge = bed.polygon("wedge", {{0, 0}, {4, 0}, {4, rise}});
    bed.body(wedge, {8.0 / 3, rise / 3});
    const Reading r = m.read(bed.shot(k));
    const double angle = std::atan(rise / 4) * degrees;
    EXPECT_NEAR(*r.values[0], angle, 1e-9);
    EXPECT_NEAR(*r.values[1], 0, 1e-6);
    if (k == 0) {
      EXPECT_FALSE(r.values[2].has_value());
      continue;
    }
    sum += angle;
    EXPECT_NEAR(*r.values[2], sum / k, 1e-9);
    EXPECT_EQ(*r.values[4], k);
    if (k == 2) {  // of two values the standard error is half their difference
      EXPECT_NEAR(*r.values[3], 0.5 * std::abs(std::atan(0.75) - std::atan(0.5)) * degrees, 1e-9);
    }
  }
}

TEST(SurfaceAngle, TheSpanLeavesTheRimOut) {
  Bed bed = stacks({9, 1, 2, 3, 4, 5, 6, 9});
  const SurfaceProfile p = surface_profile(bed.shot(), {}, columns(1));
  EXPECT_NEAR(surface_line(p, 0.75).slope, 1, 1e-12);
  EXPECT_EQ(surface_line(p, 0.75).points, 6u);
  EXPECT_GT(surface_line(p, 1).slope_error, 0.1);
}

TEST(Runout, TheFrontIsWhatIsConnectedToThePile) {
  Bed bed = stacks({1, 2, 2, 1});
  bed.body(bed.square, {4.9, 0.5});  // 0.4 away: belongs
  bed.body(bed.square, {9, 0.5});    // far away: does not
  const PileExtent e = pile_extent(bed.shot(), {}, 0.5);
  EXPECT_NEAR(e.lo, 0, 1e-12);
  EXPECT_NEAR(e.hi, 5.4, 1e-12);
  EXPECT_NEAR(e.height, 2, 1e-12);
  EXPECT_NEAR(pile_extent(bed.shot(), {}, 0.3).hi, 4, 1e-12);
  EXPECT_NEAR(pile_extent(bed.shot(), {}, 5).hi, 9.5, 1e-12);
  // The default gap is the mean circle around a grain: sqrt(2).
  EXPECT_NEAR(pile_extent(bed.shot(), {}, 0).hi, 5.4, 1e-12);
}

TEST(Runout, IsTheGrowthOverTheRadiusAtTheStart) {
  for (const RunoutSide side : {RunoutSide::both, RunoutSide::right, RunoutSide::left}) {
    MeasureSettings o;
    o.kind = "runout";
    o.side = side;
    o.from = 0.5;
    const Measure m = make_measure(o);
    Bed before = stacks({1}), start = stacks({3, 3, 3, 3}), end = stacks({1, 2, 3, 4, 1, 1});
    EXPECT_FALSE(m.read(before.shot(0)).values[0].has_value());
    EXPECT_NEAR(*m.read(start.shot(1)).values[0], 0, 1e-12);
    const Reading r = m.read(end.shot(2));
    // Both: the half width grows from 2 to 3. Right: from 4 to 6. Left: the pile did not move there.
    EXPECT_NEAR(*r.values[0], side == RunoutSide::left ? 0 : 0.5, 1e-12);
    EXPECT_NEAR(*r.values[4], 4, 1e-12);
  }
}

TEST(Runout, OriginAndRadiusCanBeStated) {
  MeasureSettings o;
  o.kind = "runout";
  o.side = RunoutSide::right;
  o.origin = -1.0;
  o.start_radius = 2.0;
  Bed bed = stacks({1, 1, 1, 1});
  EXPECT_NEAR(*make_measure(o).read(bed.shot()).values[0], 1.5, 1e-12);
  o.origin = 9.0;
  o.start_radius.reset();
  EXPECT_NE(error_of([&] { make_measure(o).read(bed.shot()); }).find("origin"), std::string::npos);
  bed.periodic_x(0, 9);
  EXPECT_NE(error_of([&] { pile_extent(bed.shot(), {}, 1); }).find("periodic"), std::string::npos);
}

TEST(Surface, NothingIsAnError) {
  Bed bed;
  EXPECT_NE(error_of([&] { surface_profile(bed.shot(), {}, {}); }).find("no grain"), std::string::npos);
  EXPECT_NE(error_of([&] { pile_extent(bed.shot(), {}, 0); }).find("no grain"), std::string::npos);
  bed.body(bed.square, {0, 0});
  EXPECT_NE(error_of([&] { surface_profile(bed.shot(), in({0, 5}, {1, 6}), {}); }).find("no grain"), std::string::npos);
}

}  // namespace

}  // namespace scree::testing
