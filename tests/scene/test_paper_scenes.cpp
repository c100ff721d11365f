// The friction scenes of section 8.1 of the Configurational Element Method paper, from their files to their claims.
// tests/physics/test_blocks.cpp compares the same motions with closed forms.
#include <gtest/gtest.h>

#include "scene_runs.hpp"

namespace scree {
namespace {

using namespace test;

Simulation run(const std::string& name, const std::string& friction, double until) {
  Simulation simulation = start(name, {"materials.default.friction=" + friction});
  advance(simulation, until);
  return simulation;
}

TEST(PaperScenes, TheLeaningBlockSlidesTheMoreFrictionTheLess) {
  const auto height = [](const char* friction) { return run("leaning-block", friction, 0.3).world().bodies.x[0].y; };
  const double at_start = 0.589402541842326;
  const double low = height("0.1");
  const double middle = height("0.3");
  const double high = height("0.5");
  EXPECT_LT(low, middle);
  EXPECT_LT(middle, high);
  EXPECT_LT(high, at_start - 1e-3);
}

TEST(PaperScenes, TheTriangleFallsOnlyAtTheLowestFriction) {
  const auto height = [](const char* friction) { return run("triangle", friction, 2.0).world().bodies.x[0].y; };
  const double at_start = 0.973690397642144;
  EXPECT_LT(height("0.1"), 0.9 * at_start);
  EXPECT_NEAR(height("0.3"), at_start, 2e-3);
  EXPECT_NEAR(height("0.5"), at_start, 2e-3);
}

TEST(PaperScenes, TheBlockOnTheSlopeSticksOrSlides) {
  // Gravity turns upright at 0.5 s; from 0.7 s on the block has settled into sticking or sliding.
  struct Change {
    double distance;
    double acceleration;
  };
  const auto change = [](const char* friction) {
    Simulation simulation = run("inclined-plane", friction, 0.7);
    const Vec2d x = simulation.world().bodies.x[1];
    const double v = norm(simulation.world().bodies.v[1]);
    const double t = simulation.world().time;
    advance(simulation, 1.2);
    return Change{norm(simulation.world().bodies.x[1] - x),
                  (norm(simulation.world().bodies.v[1]) - v) / (simulation.world().time - t)};
  };
  EXPECT_LT(change("0.30").distance, 1e-5);
  EXPECT_LT(change("0.32").distance, 1e-5);
  const double slope = 16 * std::numbers::pi / 180;
  const double expected = 9.81 * (std::sin(slope) - 0.28 * std::cos(slope));
  EXPECT_NEAR(change("0.28").acceleration, expected, 1e-3 * expected);
}

}  // namespace
}  // namespace scree
