// The same bits whatever the number of threads, with everything going on at once.
#include "physics.hpp"

namespace scree::testing {
namespace {

// A mixed pile in a box whose right wall shakes; rain from above; a removed obstacle; gravity that changes; a deletion
// zone. Enough grains for several chunks of every parallel loop.
World busy_world(const std::string& kind) {
  Material m = elastic_material(2e4);
  m.friction = 0.4;
  m.restitution = 0.4;
  m.rotational_damping = 0.5;
  Worlds w(m);
  const int hash = w.type(shape_for(kind, "hash"), 0.5);
  const int star = w.type(make_named_shape("star"), 0.4);
  const int disc = w.type(make_disc("disc", 0.35));
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({26.3, 0}, {-1, 0});
  Wall peg;
  peg.name = "peg";
  peg.kind = WallKind::circle_outside;
  peg.radius = 1;
  peg.pose.x = {13, 2};
  w.world.walls.push_back(peg);
  Motion shake;
  shake.name = "shake";
  shake.kind = Motion::Kind::oscillation;
  shake.amplitude = {0.05, 0};
  shake.frequency = 4;
  shake.walls = {2};
  w.world.motions.push_back(shake);
  Rng rng(3);
  for (int k = 0; k < 560; ++k) {
    const int column = k % 28, row = k / 28;
    const Vec2d x{0.8 + 0.92 * column, 0.52 + 0.92 * row};
    if (norm(x - peg.pose.x) < 1.6) continue;
    w.body(k % 3 == 0 ? hash : k % 3 == 1 ? star : disc, x, rng.uniform(-pi, pi), {rng.uniform(-2, 2), -4}, 1);
  }
  Insertion rain;
  rain.name = "rain";
  rain.method = Insertion::Method::rain;
  rain.mixture = {{hash, 0.5}, {disc, 0.5}};
  rain.region = {{2, 20}, {24, 23}};
  rain.rate = 200;
  rain.velocity = {0, -5};
  w.world.insertions.push_back(rain);
  w.world.deletion_zones.push_back({"drain", {{0, 0}, {2, 0.6}}, false, 0});
  Event remove;
  remove.time = 0.1;
  remove.targets = {3};
  Event tilt;
  tilt.time = 0.15;
  tilt.action = Event::Action::set_gravity;
  tilt.gravity = {3, -9};
  w.world.events = {remove, tilt};
  w.world.gravity.value = {0, -9.81};
  w.maps(cheap_map(kind), test_pool());
  return w.world;
}

class DeterminismByMap : public ::testing::TestWithParam<std::string> {};

TEST_P(DeterminismByMap, ThreadsDoNotChangeABit) {
  const World world = busy_world(GetParam());
  for (const std::string& integrator : integrator_names()) {
    std::vector<std::uint64_t> hashes;
    std::size_t grains = 0;
    for (const int threads : {1, 2, 3, 8}) {
      StepSettings s = steps_of(1e-3, integrator);
      s.threads = threads;
      Simulation sim(world, s);
      for (int k = 0; k < 350; ++k) sim.step();
      hashes.push_back(sim.state_hash());
      if (threads > 1) continue;
      grains = sim.world().bodies.size();
      EXPECT_GT(sim.stats().contacts, 150u);
      EXPECT_GT(sim.world().insertions[0].inserted, 20u);
      EXPECT_GT(sim.world().deletion_zones[0].deleted, 0u);
      EXPECT_TRUE(sim.world().events[0].done && sim.world().events[1].done);
    }
    EXPECT_GT(grains, 500u);
    for (std::size_t k = 1; k < hashes.size(); ++k) EXPECT_EQ(hashes[k], hashes[0]) << integrator;
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, DeterminismByMap, ::testing::Values("table", "star", "clump"), kind_name);

// The maps' own error bounds decide which pairs are not asked. Were a bound too small, a contact would be missed.
TEST(Determinism, SkippedQueriesDoNotChangeABit) {
  const World world = busy_world("table");
  std::uint64_t hashes[2];
  std::size_t queries[2] = {0, 0};
  for (const bool skip : {false, true}) {
    StepSettings s = steps_of(1e-3);
    s.skip_queries = skip;
    Simulation sim(world, s);
    for (int k = 0; k < 700; ++k) {
      sim.step();
      queries[skip] += sim.stats().queries;
    }
    hashes[skip] = sim.state_hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  // Grains fall and bounce here all the time: the fewest pairs are quiet.
  EXPECT_LT(queries[1], 0.95 * static_cast<double>(queries[0]));
  record("share_of_queries", static_cast<double>(queries[1]) / static_cast<double>(queries[0]));
}

// The hash notices the last bit of one position.
TEST(Determinism, HashSeesTheLastBit) {
  Simulation sim(busy_world("table"), steps_of(1e-3));
  sim.step();
  const std::uint64_t before = sim.state_hash();
  double& x = sim.mutable_world().bodies.x[17].x;
  x = std::nextafter(x, 1e9);
  EXPECT_NE(sim.state_hash(), before);
}

}  // namespace
}  // namespace scree::testing
