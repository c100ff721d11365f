// Simulation::change: bodies moved from outside between two steps; and the timers of a run.
#include "scree/step/timer.hpp"
#include "step_world.hpp"

namespace scree::testing {

namespace {

// Two discs on a floor under gravity, one on the other.
Simulation stack(const std::string& integrator) {
  Discs w;
  w.half_plane({0, 0}, {0, 1});
  w.world.gravity.value = {0, -10};
  w.body(w.disc, {0, 0.5});
  w.body(w.disc, {0.01, 1.49});
  StepSettings settings = quick();
  settings.integrator = integrator;
  return w.start(settings);
}

}  // namespace

class Change : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Change, ::testing::ValuesIn(integrator_names()),
                         [](const auto& param) { return param.param.substr(0, param.param.find('-')); });

TEST_P(Change, FindsContactsThatNoListKnew) {
  Simulation s = stack(GetParam());
  run(s, 20);
  s.change([](World& w) { w.bodies.x[1] = {30, 0.499}; });
  ASSERT_EQ(s.world().contacts.size(), 2u);
  EXPECT_EQ(s.world().contacts[1].b, 1u);
  EXPECT_NEAR(s.world().contacts[1].gap, -0.001, 1e-12);
  EXPECT_EQ(s.world().pair_contacts, 0u);
}

TEST_P(Change, KeepsTheLedgerClosed) {
  Simulation s = stack(GetParam());
  run(s, 20);
  s.change([](World& w) {
    w.bodies.x[1] = {0.3, 3};
    w.bodies.v[1] = {-1, 4};
    w.bodies.omega[0] = 5;
  });
  // Up by about 1.5 under gravity 10, and the speeds: far more than anything else did.
  EXPECT_GT(s.world().ledger.inserted, 15);
  run(s, 400);
  EXPECT_LT(std::abs(s.energy().relative_residual()), 0.02);
}

TEST(Change, OfNothingChangesNothingButRounding) {
  Simulation plain = stack("symplectic-euler"), changed = stack("symplectic-euler");
  run(plain, 300);
  for (int k = 0; k < 300; ++k) {
    if (k % 50 == 0) changed.change([](World&) {});
    changed.step();
  }
  // Springs turn with the normal, by n.n, which is 1 up to its last digit.
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(norm(changed.world().bodies.x[k] - plain.world().bodies.x[k]), 0, 1e-12);
    EXPECT_NEAR(norm(changed.world().bodies.v[k] - plain.world().bodies.v[k]), 0, 1e-11);
  }
}

TEST(Change, WrapsIntoThePeriodicCell) {
  Discs w;
  w.world.periodic.x = true;
  w.world.periodic.box = {{0, 0}, {4, 1}};
  w.body(w.disc, {1, 0});
  Simulation s = w.start();
  s.change([](World& world) { world.bodies.x[0].x = 9.5; });
  EXPECT_DOUBLE_EQ(s.world().bodies.x[0].x, 1.5);
  EXPECT_EQ(s.world().bodies.image[0][0], 2);
}

// 1.075 / 0.025 is a little less than 43.
TEST(Timer, AlwaysMovesOn) {
  for (const double dt : {2e-3, 1e-2, 1.0 / 60, 5e-4}) {
    for (const double interval : {0.025, 0.0025, 0.1, 0.03}) {
      Timer timer(interval, dt);
      for (int k = 0; k < 5000; ++k) {
        if (timer.due(k * dt)) { EXPECT_FALSE(timer.due(k * dt)) << dt << " " << interval << " " << k; }
        EXPECT_GT(timer.next(), k * dt + 0.5 * dt);
      }
    }
  }
}

TEST(Timer, FiresAtMultiplesRoundedToSteps) {
  Timer timer(0.25, 0.1);
  std::vector<int> fired;
  for (int step = 0; step <= 10; ++step) {
    if (timer.due(0.1 * step)) fired.push_back(step);
  }
  EXPECT_EQ(fired, (std::vector<int>{0, 2, 5, 7, 10}));  // half a step early counts
  EXPECT_FALSE(Timer(0, 0.1).due(0));
  Timer late(0.25, 0.1);
  late.pass(0.6);
  EXPECT_DOUBLE_EQ(late.next(), 0.75);
}

}  // namespace scree::testing
