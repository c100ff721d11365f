// What a large step is cut into: by depth, by how many grains there are, by overlap and speed.
#include <gtest/gtest.h>

#include "scree/implicit/pace_kernel.hpp"

namespace scree::test {

namespace {

constexpr double gravity = 9.81, dt = 1.0 / 60;

// A bed at rest of grains of radius 1, its surface `depth` above its lowest grain.
LoadSum bed(double bodies, double depth) {
  LoadSum sum;
  sum.lowest = 0;
  sum.bodies = bodies;
  sum.height = bodies * gravity * depth / 2;
  return sum;
}

StepPace at_rest(const LoadSum& sum, const ImplicitSettings& settings = {}) {
  GrainScales grains;
  grains.stride = large_step::stride;
  return pace_of(sum, 0, gravity, dt, grains, settings);
}

}  // namespace

TEST(Pace, AsManySubstepsAsDepthAsksFor) {
  const StepPace shallow = at_rest(bed(1000, 30)), deep = at_rest(bed(1000, 300)), deepest = at_rest(bed(1000, 1200));
  EXPECT_EQ(shallow.substeps, fewest_substeps);
  EXPECT_GT(deep.substeps, shallow.substeps);
  // Four times the load, twice the stiffness per mass and time, twice the substeps.
  EXPECT_NEAR(deepest.omega / deep.omega, 2, 0.01);
  EXPECT_NEAR(static_cast<double>(deepest.substeps) / deep.substeps, 2, 0.1);
  EXPECT_NEAR(deepest.load / deep.load, 4, 0.02);
}

TEST(Pace, OfMoreGrainsSomeBearMore) {
  const StepPace few = at_rest(bed(100, 600)), some = at_rest(bed(6300, 600)), many = at_rest(bed(100'000, 600));
  EXPECT_EQ(few.omega, some.omega);
  EXPECT_EQ(few.substeps, some.substeps);
  EXPECT_NEAR(many.omega * many.omega / (some.omega * some.omega), std::log(1e5) / (1.75 * 5), 1e-9);
  EXPECT_GT(many.substeps, some.substeps);
  EXPECT_NEAR(many.load, some.load, 1e-9 * some.load);  // what a grain bears in the mean
}

TEST(Pace, ASmallerOverlapTakesStifferRows) {
  ImplicitSettings fine;
  fine.overlap = ImplicitSettings{}.overlap / 4;
  EXPECT_NEAR(at_rest(bed(1000, 600), fine).omega / at_rest(bed(1000, 600)).omega, 2, 1e-9);
}

TEST(Pace, ContactsThatAreTooDeepHurry) {
  LoadSum sum = bed(1000, 600);
  const StepPace usual = at_rest(sum);
  sum.deepest = 0.04;  // four times what is tolerated
  EXPECT_EQ(at_rest(sum).substeps, usual.substeps);
  sum.deepest = 0.044;
  EXPECT_NEAR(at_rest(sum).omega / usual.omega, 2, 1e-9);
}

TEST(Pace, StatedSubstepsAreTaken) {
  ImplicitSettings stated;
  stated.substeps = 5;
  EXPECT_EQ(at_rest(bed(100'000, 1200), stated).substeps, 5);
}

TEST(Pace, ShorterSubstepsWhereSpeedsGrow) {
  GrainScales grains;
  grains.stride = large_step::stride;
  StepPace pace;
  pace.substeps = 8;
  pace.h = dt / 8;
  EXPECT_FALSE(hurry(grains.stride / pace.h, dt, 1e-4, grains, pace));
  EXPECT_EQ(pace.h, dt / 8);
  EXPECT_TRUE(hurry(10 * grains.stride / pace.h, dt, 1e-6, grains, pace));
  EXPECT_LT(pace.h, dt / 70);
}

}  // namespace scree::test
