// Scenes by large steps that once went wrong: grains that climbed by themselves, and grains that touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scene_runs.hpp"
#include "scene_text.hpp"
#include "scree/base/text.hpp"

namespace scree::test {
namespace {

// Of six, or twelve, in a narrow box of mu = 2 some are many times as heavy, and wedge themselves in.
const std::string wedged = R"(
[run]
duration = 15
[step]
solver = "implicit"
[gravity]
g = [0, -9.81]
[materials.light]
friction = 2
restitution = 0.3
[materials.heavy]
friction = 2
restitution = 0.3
[shapes]
n = { glyph = "n" }
[grains]
a = { shape = "u", radius = 1, material = "light" }
b = { shape = "u", radius = 1, material = "heavy" }
[[insert]]
method = "lattice"
mixture = { a = 3, b = 1 }
x = [-3.2, 3.2]
y = [0.2, 60]
clearance = 0.1
jitter = 0.04
count = 6
[[walls]]
kind = "box"
material = "light"
x = [-3.21, 3.21]
y = [0, 90]
)";

struct Watched {
  double fallen = 0;  // the sum of the losses below what it was before, of the energy moved
  double fastest = 0;
};

Watched watch(const std::string& text, const Overrides& changes) {
  Scene scene = parse_scene(text, "scene.toml", changes);
  const double until = scene.run.duration;
  Simulation simulation = start(scene);
  simulation.prepare();
  Watched seen;
  double most = -1e300;
  while (simulation.glance().time < until - 1e-9) {
    simulation.step();
    const Ledger l = simulation.energy();
    const double lost = l.normal_damping + l.friction + l.rotational_damping;
    most = std::max(most, lost);
    seen.fallen = std::max(seen.fallen, most - lost);
    for (const Vec2d v : simulation.world().bodies.v) seen.fastest = std::max(seen.fastest, norm(v));
  }
  seen.fallen /= simulation.energy().moved;
  return seen;
}

class LargeStepScenes : public ::testing::TestWithParam<const char*> {};

// Of the energy moved they gave themselves up to 3 %, while every grain stood still.
TEST_P(LargeStepScenes, AHeavyGrainWedgedInDoesNotClimb) {
  const std::string device = cat("step.device=", GetParam());
  EXPECT_LE(watch(wedged, {device, "materials.heavy.density=30", "run.seed=5588"}).fallen, 1e-9);
  EXPECT_LE(watch(wedged, {device, "materials.heavy.density=100", "run.seed=5666"}).fallen, 1e-9);
  EXPECT_LE(watch(wedged, {device, "materials.heavy.density=300", "run.seed=18", "insert[0].count=12",
                           "grains.a.shape=n", "grains.b.shape=n"})
                .fallen,
            1e-9);
}

// Sixty discs in rows that just fill a box. In steps far shorter than they need be they were blown apart, at 3.9 R/s.
TEST_P(LargeStepScenes, WhatOnlyTouchesStaysWhereItIs) {
  const std::string text = R"(
[run]
duration = 0.1
[step]
solver = "implicit"
dt = 1e-4
[gravity]
g = [0, -9.81]
[grains]
disc = { radius = 1 }
[[insert]]
method = "lattice"
grain = "disc"
x = [-10, 10]
y = [0, 12]
count = 60
[[walls]]
kind = "box"
x = [-10, 10]
y = [0, 60]
)";
  const Watched seen = watch(text, {cat("step.device=", GetParam())});
  EXPECT_LE(seen.fallen, 1e-9);
  EXPECT_LT(seen.fastest, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Devices, LargeStepScenes, ::testing::Values("cpu", "serial"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace scree::test
