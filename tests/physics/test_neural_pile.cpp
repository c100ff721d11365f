// A pile whose contacts all come from small trained nets: rough, but it must run.
#include "physics.hpp"

namespace scree::testing {
namespace {

struct Net {
  const char* name;
  int samples, epochs;
  double residual;  // of the ledger, relative
};

World pile(const Net& net) {
  Material m = elastic_material(2e4);
  m.friction = 0.5;
  m.restitution = 0.2;
  m.rotational_damping = 1;
  Worlds w(m);
  const int hash = w.type(make_named_shape("hash"), 0.5);
  const int star = w.type(make_named_shape("star"), 0.5);
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({5, 0}, {-1, 0});
  w.world.gravity.value = {0, -9.81};
  w.world.bounds = {{-1, -1}, {6, 30}};
  Rng rng(2);
  for (int k = 0; k < 40; ++k)
    w.body(k % 2 ? hash : star, {0.7 + 1.1 * (k % 4), 0.7 + 1.1 * (k / 4)}, rng.uniform(-pi, pi));
  MapSettings map = map_kind("neural");
  map.net = net.name;
  map.samples = net.samples;
  map.epochs = net.epochs;
  w.maps(map, test_pool());
  return w.world;
}

// The pile comes down and the watchdog stays quiet. The smooth net closes the ledger like a table does (1e-4 measured).
// The paper's ReLU net has a gradient that jumps from facet to facet: grains that rest on such an edge tremble, and a
// finite step feeds them (4e-2 measured at this step, 2e-1 at twice the step).
TEST(NeuralPile, SettlesUnderTheWatchdogSlow) {
  for (const Net& net : {Net{"silu-5x64", 60000, 10, 5e-3}, Net{"relu-3x32", 100000, 15, 0.1}}) {
    SCOPED_TRACE(net.name);
    World world = pile(net);
    StepSettings s = steps_of(0.5 * advise_step(world).dt_advised);
    s.threads = 2;
    Simulation sim(std::move(world), s);
    ASSERT_NO_THROW(run_until(sim, 6));
    const Ledger l = sim.energy();
    EXPECT_LT(l.kinetic, 1e-4 * l.initial);
    EXPECT_LT(std::abs(l.relative_residual()), net.residual);
    EXPECT_GT(sim.world().contacts.size(), 40u);
  }
}

}  // namespace
}  // namespace scree::testing
