// Large steps come to rest: planes that lag behind the pose must not keep grains moving.
#include "implicit.hpp"

namespace scree::testing {
namespace {

double fastest_of(Simulation& sim, double until) {
  double fastest = 0;
  while (sim.world().time < until - 1e-9) {
    sim.step();
    for (const Vec2d v : sim.world().bodies.v) fastest = std::max(fastest, norm(v));
  }
  return fastest;
}

// The least that a lag can pump up: a disc that slides to and fro in a bowl, at first at 0.01 a unit of time.
// With nothing set against the lag it went on at 0.02 for good, with mu = 0.01 too.
TEST(Implicit, ADiscThatSwingsInABowlComesToRest) {
  for (const double mu : {0.0, 0.01}) {
    Worlds w(rough(mu));
    const int bowl = w.type(make_named_shape("arc"), 3), disc = w.type(make_disc("disc", 0.5));
    w.body(bowl, {0, 0}, pi / 2, {}, 0, BodyKind::fixed);
    w.body(disc, {0, 0});
    w.world.gravity.value = {0, -9.81};
    w.maps(map_kind("table"), test_pool());
    StepSettings s = large_steps();
    s.dt = 0;
    Simulation sim = w.start(s);
    run(sim, 20);
    sim.change([](World& world) { world.bodies.v[1].x += 0.01; });
    EXPECT_GT(fastest_of(sim, 22), 0.008) << mu;
    run(sim, 50);
    const double left = fastest_of(sim, 54);
    EXPECT_LE(left, 1e-4) << mu;
    record("left", left);
  }
}

// Of ten such pours of staples with next to no friction seven shook for good, at 1 to 3 radii a second.
TEST(Implicit, SlipperyStaplesComeToRest) {
  constexpr double radius = 0.05;
  for (const std::uint64_t seed : {4, 5}) {
    Worlds w(rough(0.05));
    const int staple = w.type(make_named_shape("n"), radius);
    w.half_plane({0, 0}, {0, 1});
    w.half_plane({0, 0}, {1, 0});
    w.half_plane({36 * radius, 0}, {-1, 0});
    w.world.gravity.value = {0, -9.81};
    Rng rng(seed);
    for (int k = 0; k < 300; ++k) {
      const Vec2d aside{rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1)};
      w.body(staple, radius * (Vec2d{1.4 + 2.2 * (k % 16), 1.4 + 2.2 * (k / 16)} + aside), rng.uniform(-pi, pi));
    }
    w.maps(map_kind("table"), test_pool());
    StepSettings s = large_steps();
    s.dt = 0;
    Simulation sim = w.start(s);
    run(sim, 11);
    const double fastest = fastest_of(sim, 12);
    EXPECT_LE(fastest, 1e-3 * radius) << seed;
    record("fastest", fastest);
  }
}

}  // namespace
}  // namespace scree::testing
