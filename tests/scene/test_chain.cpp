// The coiling chain of the Configurational Element Method paper: links held together by shape alone stay together,
// lowered and dropped.
#include <gtest/gtest.h>

#include <algorithm>

#include "scene_runs.hpp"
#include "scree/base/text.hpp"

namespace scree {
namespace {

using namespace test;

constexpr double ball = 0.22, length = 1;
constexpr double mouth = 0.0855;  // how far below the socket's centre a ball rests on the lips

struct Chain {
  Simulation simulation;
  std::vector<std::uint32_t> links;  // body ids, the hand first, then downwards
  double ball_at = 0;                // of a link's ball along its own x

  // Largest distance of any ball from the centre of the socket it belongs in.
  double widest_joint() const {
    const Bodies& b = simulation.world().bodies;
    double widest = 0;
    for (std::size_t k = 0; k + 1 < links.size(); ++k) {
      const std::size_t upper = links[k], lower = links[k + 1];
      const Vec2d socket = b.x[upper] + Rotation2d(b.theta[upper]) * Vec2d{ball_at - length, 0};
      const Vec2d held = b.x[lower] + Rotation2d(b.theta[lower]) * Vec2d{ball_at, 0};
      widest = std::max(widest, norm(held - socket));
    }
    return widest;
  }

  // The widest any joint was until `time`, looked at every 100 steps.
  double run(double time) {
    double widest = 0;
    while (simulation.world().time < time) {
      for (int k = 0; k < 100; ++k) simulation.step();
      widest = std::max(widest, widest_joint());
    }
    return widest;
  }
};

// A chain of `count` free links whose last one hangs at height `low`.
Chain chain(int count, double low, const std::vector<std::string>& more) {
  const double pitch = 1.07, high = low + pitch * (count - 1);
  std::vector<std::string> overrides = {cat("arrays[0].count=", count), cat("arrays[0].from=[0.0, ", high, "]"),
                                        cat("arrays[0].to=[0.0, ", low, "]"),
                                        cat("bodies[0].position=[0.0, ", high + pitch, "]")};
  overrides.insert(overrides.end(), more.begin(), more.end());
  Scene scene = scene_named("chain", overrides);
  const auto link = scene.world.shapes[0];
  double right = 0;
  for (const Vec2d& v : link->outline.loops[0]) right = std::max(right, v.x * link->natural_radius);
  const World& w = scene.world;
  const auto in_group = [&](const char* name) {
    const auto group = std::find(w.groups.begin(), w.groups.end(), name) - w.groups.begin();
    std::vector<std::uint32_t> found;
    for (std::uint32_t k = 0; k < w.bodies.size(); ++k)
      if (w.bodies.group[k] == group) found.push_back(k);
    return found;
  };
  std::vector<std::uint32_t> links = in_group("hand");
  for (const std::uint32_t k : in_group("chain")) links.push_back(k);
  return {start(scene, 2), std::move(links), right - ball};
}

// Overlap of ball and lips at the worst moment of an impact, over what a joint at rest has.
constexpr double give = 0.03;

TEST(ChainScene, AShortChainStaysWholeWhenDropped) {
  Chain c = chain(24, 15,
                  {"events[0].time=0.05", "arrays[1].count=30", "arrays[1].from=[-14.5, 0.0]",
                   "arrays[1].to=[14.5, 0.0]", "maps.nodes=128"});
  ASSERT_EQ(c.links.size(), 25u);
  EXPECT_LE(c.run(3.5), mouth + give);
  double height = 0;
  for (const std::uint32_t k : c.links) height += c.simulation.world().bodies.x[k].y;
  EXPECT_LT(height / static_cast<double>(c.links.size()), 10) << "it has come down";
}

TEST(ChainScene, SlowFiveHundredLinksStayWholeWhenDropped) {
  Chain c = chain(499, 5.07, {"events[0].time=0.5"});
  EXPECT_LE(c.run(16), mouth + give);
}

TEST(ChainScene, SlowFiveHundredLinksStayWholeWhenLowered) {
  Chain c = chain(499, 5.07, {});
  EXPECT_EQ(c.simulation.world().bodies.size(), 600u);
  EXPECT_LE(c.run(26), mouth + give);
}

}  // namespace
}  // namespace scree
