// The friction scenes of section 8.1 of the Configurational Element Method paper, from their files to their claims.
// tests/physics/test_blocks.cpp compares the same motions with closed forms.
#include <gtest/gtest.h>

#include "scene_runs.hpp"

namespace scree {
namespace {

using namespace test;

// By each of the solvers; the large steps are those that the implicit one takes by itself.
class PaperScenes : public ::testing::TestWithParam<std::string> {
 protected:
  static Simulation run(const std::string& name, const std::string& friction, double until) {
    Overrides changes{"materials.default.friction=" + friction};
    if (GetParam() == "implicit") changes.insert(changes.end(), {"step.solver=implicit", "step.dt=auto"});
    Simulation simulation = start(name, changes);
    advance(simulation, until);
    return simulation;
  }
};

TEST_P(PaperScenes, TheLeaningBlockSlidesTheMoreFrictionTheLess) {
  const auto height = [](const char* friction) { return run("leaning-block", friction, 0.3).world().bodies.x[0].y; };
  const double at_start = 0.589402541842326;
  const double low = height("0.1");
  const double middle = height("0.3");
  const double high = height("0.5");
  EXPECT_LT(low, middle);
  EXPECT_LT(middle, high);
  EXPECT_LT(high, at_start - 1e-3);
}

TEST_P(PaperScenes, TheTriangleFallsOnlyAtTheLowestFriction) {
  const auto height = [](const char* friction) { return run("triangle", friction, 2.0).world().bodies.x[0].y; };
  const double at_start = 0.973690397642144;
  EXPECT_LT(height("0.1"), 0.9 * at_start);
  EXPECT_NEAR(height("0.3"), at_start, 2e-3);
  EXPECT_NEAR(height("0.5"), at_start, 2e-3);
}

TEST_P(PaperScenes, TheBlockOnTheSlopeSticksOrSlides) {
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
  // It is a hundred and fiftieth of gravity, what is left of two large forces; by large steps planes are those of up to
  // 0.006 R back.
  EXPECT_NEAR(change("0.28").acceleration, expected, (GetParam() == "implicit" ? 1.2e-2 : 1e-3) * expected);
}

INSTANTIATE_TEST_SUITE_P(Solvers, PaperScenes, ::testing::Values("explicit", "implicit"),
                         [](const auto& solver) { return solver.param; });

}  // namespace
}  // namespace scree
