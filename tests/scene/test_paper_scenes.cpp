// The friction scenes of section 8.1 of the Configurational Element Method paper, from their files to their claims.
// tests/physics/test_blocks.cpp compares the same motions with closed forms.
#include <gtest/gtest.h>

#include "scree/scene/maps.hpp"
#include "scree/scene/scene.hpp"

namespace scree {
namespace {

// A scene of the repository at the given friction, run until `until`.
Simulation run(const std::string& name, const std::string& friction, double until) {
  Scene scene = load_scene(std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / (name + ".toml"),
                           {"materials.default.friction=" + friction});
  ThreadPool pool(1);
  attach_maps(scene, nullptr, pool);
  scene.step.threads = 1;
  Simulation simulation(std::move(scene.world), scene.step);
  while (simulation.world().time < until) simulation.step();
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
  const auto height = [](const char* friction) { return run("triangle", friction, 1.0).world().bodies.x[0].y; };
  const double at_start = 0.973690397642144;
  EXPECT_LT(height("0.1"), 0.9 * at_start);
  EXPECT_NEAR(height("0.3"), at_start, 2e-3);
  EXPECT_NEAR(height("0.5"), at_start, 2e-3);
}

TEST(PaperScenes, TheBlockOnTheSlopeSticksOrSlides) {
  // How far the block moves between 0.2 s after gravity has turned and half a second later.
  const auto moved = [](const char* friction) {
    Simulation simulation = run("inclined-plane", friction, 0.7);
    const Vec2d before = simulation.world().bodies.x[1];
    while (simulation.world().time < 1.2) simulation.step();
    return norm(simulation.world().bodies.x[1] - before);
  };
  EXPECT_LT(moved("0.30"), 1e-5);
  EXPECT_LT(moved("0.32"), 1e-5);
  // g (sin 16 deg - 0.28 cos 16 deg) = 0.0636: 0.0143 m between 0.2 s and 0.7 s.
  EXPECT_NEAR(moved("0.28"), 0.0143, 0.1 * 0.0143);
}

}  // namespace
}  // namespace scree
