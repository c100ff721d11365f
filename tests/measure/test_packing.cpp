#include "beds.hpp"
#include "scree/base/rng.hpp"
#include "scree/measure/clip.hpp"

namespace scree::testing {

namespace {

TEST(Clip, ASquareTurnedByAnEighthIsHalvedByAStripThroughItsCentre) {
  // Diamond |x| + |y| <= 1, area 2: the strip |x| <= h holds 2 - 2 (1 - h)^2.
  const Outline diamond{{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}}};
  for (const double h : {0.1, 0.5, 0.9})
    EXPECT_NEAR(area_in(diamond, {{-h, -5}, {h, 5}}), 2 - 2 * (1 - h) * (1 - h), 1e-14);
  EXPECT_NEAR(area_in(diamond, {{0, 0}, {5, 5}}), 0.5, 1e-14);
  EXPECT_EQ(area_in(diamond, {{2, 2}, {5, 5}}), 0);
}

TEST(Clip, HolesAndConcavePartsAreNotSolid) {
  // A frame: 4 x 4 with a hole of 2 x 2.
  const Outline frame{{{{0, 0}, {4, 0}, {4, 4}, {0, 4}}, {{1, 1}, {1, 3}, {3, 3}, {3, 1}}}};
  EXPECT_NEAR(area_in(frame, {{0, 1.5}, {4, 2.5}}), 2, 1e-14);
  // A U: the strip cuts it into two legs that stay apart.
  const Outline u{{{{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}}};
  EXPECT_NEAR(area_in(u, {{-1, 2}, {4, 2.5}}), 1, 1e-14);
  EXPECT_NEAR(area_in(u, {{1.2, 2}, {1.8, 2.5}}), 0, 1e-14);
}

TEST(Clip, DiscsHaveTheirClosedForms) {
  const auto segment = [](double r, double d) {  // the part of a disc beyond the distance d
    return r * r * std::acos(d / r) - d * std::sqrt(r * r - d * d);
  };
  const Vec2d c{3, -2};
  EXPECT_NEAR(disc_area_in(c, 2, everywhere), 4 * pi, 1e-14);
  EXPECT_NEAR(disc_area_in(c, 2, {{3.5, -9}, {9, 9}}), segment(2, 0.5), 1e-14);
  EXPECT_NEAR(disc_area_in(c, 2, {c, {9, 9}}), pi, 1e-14);
  EXPECT_EQ(disc_area_in(c, 2, {{6, 6}, {9, 9}}), 0);
  EXPECT_NEAR(disc_area_in(c, 2, {c, c + Vec2d{0.5, 0.25}}), 0.125, 1e-14);
}

TEST(Clip, ADiscAgreesWithAFinePolygonInAnyBox) {
  const int n = 4000;
  Outline polygon{{{}}};
  for (int i = 0; i < n; ++i) polygon.loops[0].push_back({std::cos(2 * pi * i / n), std::sin(2 * pi * i / n)});
  Rng rng(7);
  for (int k = 0; k < 200; ++k) {
    const Vec2d p{rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5)}, q{rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5)};
    const Box box{{std::min(p.x, q.x), std::min(p.y, q.y)}, {std::max(p.x, q.x), std::max(p.y, q.y)}};
    EXPECT_NEAR(disc_area_in({}, 1, box), area_in(polygon, box), 5e-6);
  }
}

TEST(Packing, SquaresOnALatticeOfPitchTwoFillAQuarter) {
  Bed bed;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) bed.body(bed.square, {1.0 + 2 * i, 1.0 + 2 * j});
  const Packing p = packing(bed.shot(), in({0, 0}, {10, 8}));
  EXPECT_NEAR(p.fraction, 0.25, 1e-12);
  EXPECT_NEAR(p.solid, 20, 1e-12);
  EXPECT_NEAR(p.area, 80, 1e-12);
  // A region that cuts through squares.
  EXPECT_NEAR(packing(bed.shot(), in({1, 1}, {2, 2})).fraction, 0.25, 1e-12);
  // Left to itself the region is the box around the outlines: 9 x 7.
  EXPECT_NEAR(packing(bed.shot(), {}).fraction, 20.0 / 63, 1e-12);
}

TEST(Packing, HexagonalDiscsFillPiOverTwoRootThree) {
  Bed bed;
  bed.hexagonal(6, 4);
  const double phi = pi / (2 * std::sqrt(3.0));
  EXPECT_NEAR(packing(bed.shot(), {}).fraction, phi, 1e-12);
  // Every layer one row thick holds the same, wherever it cuts, and so does a region across the seam.
  const auto layers = packing_by_layer(bed.shot(), {}, Axis::y, 4);
  ASSERT_EQ(layers.size(), 4u);
  for (const PackingLayer& l : layers) EXPECT_NEAR(l.fraction, phi, 1e-12);
  EXPECT_NEAR(packing(bed.shot(), in({5.3, 0}, {6.3, 4 * Bed::row})).fraction, phi, 1e-12);
}

TEST(Packing, LayersSeeWhereTheSolidIs) {
  Bed bed;
  bed.body(bed.square, {0.5, 0.5});
  bed.body(bed.square, {0.5, 1.5}, pi / 2);
  bed.body(bed.square, {1.5, 0.5});
  const auto layers = packing_by_layer(bed.shot(), in({0, 0}, {2, 3}), Axis::y, 6);
  const double wanted[] = {1, 1, 0.5, 0.5, 0, 0};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(layers[k].fraction, wanted[k], 1e-12) << k;
    EXPECT_NEAR(layers[k].lo, 0.5 * static_cast<double>(k), 1e-12);
  }
  const auto columns = packing_by_layer(bed.shot(), in({0, 0}, {2, 2}), Axis::x, 2);
  EXPECT_NEAR(columns[0].fraction, 1, 1e-12);
  EXPECT_NEAR(columns[1].fraction, 0.5, 1e-12);
}

TEST(Packing, LayersAddUpToTheWholeForAnyShapes) {
  Bed bed;
  const int hash = bed.type(make_named_shape("hash"), 0.7);
  Rng rng(3);
  for (int k = 0; k < 60; ++k) {
    const Vec2d x{rng.uniform(0, 8), rng.uniform(0, 5)};
    bed.body(k % 3 == 0 ? hash : k % 3 == 1 ? bed.disc : bed.square, x, rng.uniform(0, 7));
  }
  bed.periodic_x(0, 8);
  const Selection region = in({1, 0.7}, {8.5, 4.4});
  double sum = 0;
  for (const PackingLayer& l : packing_by_layer(bed.shot(), region, Axis::y, 37)) sum += l.fraction / 37;
  EXPECT_NEAR(sum, packing(bed.shot(), region).fraction, 1e-12);
}

TEST(Packing, ChoosesGrainsByGroupAndKind) {
  Bed bed;
  bed.body(bed.square, {0.5, 0.5});
  bed.body(bed.disc, {1.5, 0.5});
  bed.body(bed.square, {2.5, 0.5}, 0, {}, 0, BodyKind::fixed);
  bed.world.groups.push_back("other");
  bed.world.bodies.group[1] = 1;
  Selection s = in({0, 0}, {3, 1});
  EXPECT_NEAR(packing(bed.shot(), s).solid, 1 + pi / 4, 1e-12);
  s.driven = true;
  EXPECT_NEAR(packing(bed.shot(), s).solid, 2 + pi / 4, 1e-12);
  s.grains = {"square"};
  EXPECT_NEAR(packing(bed.shot(), s).solid, 2, 1e-12);
  s.grains = {}, s.groups = {"other"};
  EXPECT_NEAR(packing(bed.shot(), s).solid, pi / 4, 1e-12);
  s.groups = {"othr"};
  EXPECT_NE(error_of([&] { packing(bed.shot(), s); }).find("did you mean 'other'"), std::string::npos);
}

TEST(Packing, SizesOfOneGrainAreChosenByItsName) {
  Bed bed;
  bed.world.types[0].name = "sand:1";
  bed.world.types[1].name = "sand:2";
  bed.body(bed.square, {0.5, 0.5});
  bed.body(bed.disc, {1.5, 0.5});
  Selection s = in({0, 0}, {2, 1});
  s.grains = {"sand"};
  EXPECT_EQ(chosen(bed.shot(), s).size(), 2u);
  s.grains = {"sand:2"};
  EXPECT_EQ(chosen(bed.shot(), s).size(), 1u);
}

TEST(Packing, SaysWhatIsMissing) {
  Bed bed;
  EXPECT_NE(error_of([&] { packing(bed.shot(), {}); }).find("give x and y"), std::string::npos);
  EXPECT_EQ(packing(bed.shot(), in({0, 0}, {1, 1})).fraction, 0);
  bed.body(bed.square, {0.5, 0.5});
  bed.periodic_x(0, 4);
  EXPECT_NE(error_of([&] { packing(bed.shot(), in({0, 0}, {5, 1})); }).find("periodic cell"), std::string::npos);
}

}  // namespace

}  // namespace scree::testing
