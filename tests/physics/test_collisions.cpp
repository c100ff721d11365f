// Collisions of non-convex grains far from any wall: what is conserved, and how well.
#include <algorithm>

#include "physics.hpp"

namespace scree::testing {
namespace {

Material frictional() {
  Material m = elastic_material(2e4);
  m.friction = 0.4;
  m.restitution = 0.6;
  m.rotational_damping = 1;
  return m;
}

// Maps are built once per kind: three shapes of three sizes.
Worlds& zoo(const std::string& kind) {
  static std::vector<std::pair<std::string, Worlds>> built;
  for (auto& [name, w] : built)
    if (name == kind) return w;
  Worlds w(frictional());
  const char* names[] = {"hash", "star", "u"};
  const double sizes[] = {1.0, 0.7, 1.2};
  for (int k = 0; k < 3; ++k) w.body(w.type(shape_for(kind, names[k]), sizes[k]), {10.0 * k, 0});
  w.maps(cheap_map(kind), test_pool());
  w.world.bodies = {};
  w.world.anchors.clear();
  built.emplace_back(kind, std::move(w));
  return built.back().second;
}

// Two grains that will meet off centre, away from the origin, with a common drift.
Worlds meeting(const std::string& kind, std::uint64_t seed) {
  Worlds w = zoo(kind);
  Rng rng(seed, 7);
  const int first = static_cast<int>(rng.below(3)), second = static_cast<int>(rng.below(3));
  const Vec2d n = Rotation2d(rng.uniform(0, 2 * pi)) * Vec2d{1, 0};
  const double reach =
      w.world.types[static_cast<std::size_t>(first)].radius + w.world.types[static_cast<std::size_t>(second)].radius;
  const Vec2d middle{rng.uniform(-3, 3), rng.uniform(-3, 3)}, drift_velocity{rng.uniform(-1, 1), rng.uniform(-1, 1)};
  const double offset = seed % 2 ? rng.uniform(-0.4, 0.4) : 0;  // head on or oblique
  const auto spin = [&] { return rng.uniform(-2, 2); };
  w.body(first, middle, rng.uniform(-4, 4), drift_velocity + 1.5 * n, spin());
  w.body(second, middle + (0.98 * reach) * n + offset * perp(n), rng.uniform(-4, 4), drift_velocity - 1.5 * n, spin());
  return w;
}

class Collision : public ::testing::TestWithParam<std::string> {};

// Forces on the two are equal and opposite along one line by construction (g_A from the transposed Jacobian, one shared
// contact point), whatever the map answers: only rounding may change momentum and angular momentum.
TEST_P(Collision, KeepsMomentumAndAngularMomentum) {
  const bool slow = GetParam() == "exact" || GetParam() == "grid-minimum";
  int touched = 0;
  double worst = 0;
  for (std::uint64_t seed = 0; seed < (slow ? 6u : 24u); ++seed) {
    SCOPED_TRACE(seed);
    StepSettings settings = steps_of(slow ? 2e-3 : 1e-3, seed % 3 ? "symplectic-euler" : "velocity-verlet");
    settings.law = seed % 4 ? "spring-clamp" : "algorithm-1";
    settings.watchdog.enabled = false;  // coarse nets may let grains overlap deeply; momentum must not care
    Simulation sim = meeting(GetParam(), seed).start(settings);
    const Momentum before = momentum_of(sim.world());
    double scale = 0, angular_scale = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const double mv = mass_of(sim.world(), k) * norm(sim.world().bodies.v[k]);
      scale += mv;
      angular_scale += mv * (norm(sim.world().bodies.x[k]) + 1);
    }
    std::size_t contact_steps = 0;
    while (sim.world().time < 0.6) {
      sim.step();
      contact_steps += sim.stats().contacts;
    }
    touched += contact_steps > 3;
    const Momentum after = momentum_of(sim.world());
    worst = std::max(
        {worst, norm(after.linear - before.linear) / scale, std::abs(after.angular - before.angular) / angular_scale});
    EXPECT_LT(norm(after.linear - before.linear), 1e-12 * scale);
    EXPECT_NEAR(after.angular, before.angular, 1e-12 * angular_scale);
  }
  record("worst", worst);
  EXPECT_GE(touched, slow ? 4 : 16);
}

INSTANTIATE_TEST_SUITE_P(Maps, Collision, ::testing::ValuesIn(map_kinds()), kind_name);

struct Bounces {
  int count = 0;
  double worst = 0;  // largest |E - E_0| / E_0 found between contacts
};

// A table whose gradient is made a unit vector, as the papers do: its forces are no longer those of one potential.
class UnitGradient final : public ContactMap {
 public:
  explicit UnitGradient(std::shared_ptr<const ContactMap> map) : ContactMap(map->reach()), map_(std::move(map)) {}
  std::string_view kind() const override { return "unit-gradient"; }
  std::size_t bytes() const override { return map_->bytes(); }
  int smoothness() const override { return 0; }

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override {
    map_->query_batch(poses, out);
    for (ContactGeometry& g : out) g.gap_x = (1 / norm(g.gap_x)) * g.gap_x;
  }

 private:
  std::shared_ptr<const ContactMap> map_;
};

// Two # in a periodic cell, elastic and frictionless; energy is read whenever they do not touch.
Bounces bounce_about(int bounces, double dt, const std::string& integrator, bool unit_gradient = false) {
  Worlds w(elastic_material(2e4));
  const int hash = w.type(make_named_shape("hash"), 1);
  w.body(hash, {1.2, 1.1}, 0.3, {1.5, 0.4}, 0.7);
  w.body(hash, {3.4, 3.2}, -0.5, {-1.1, -0.6}, -0.9);
  w.world.periodic = {true, true, {{0, 0}, {4.2, 4.2}}};
  w.maps(map_kind("table"), test_pool());
  if (unit_gradient) {
    const auto table = w.world.maps.back();
    assign_map(w.world, needed_maps(w.world).front(), std::make_shared<UnitGradient>(table));
  }
  Simulation sim = w.start(steps_of(dt, integrator));
  const double start = sim.energy().kinetic;
  Bounces b;
  bool touching = false;
  while (b.count < bounces && sim.world().time < 1000) {
    sim.step();
    const bool now = sim.stats().contacts > 0;
    if (touching && !now) {
      ++b.count;
      b.worst = std::max(b.worst, std::abs(sim.energy().kinetic - start) / start);
    }
    touching = now;
  }
  return b;
}

// The default table at omega dt = 0.03. What is left is the time step's: 1.3e-4 (Euler) and 4.2e-4 (Verlet) here,
// 6e-5 and 7e-5 at half the step, 3e-5 and 1e-5 at a quarter.
TEST(LongRun, FrictionlessHashesKeepTheirEnergyOver160Bounces) {
  for (const std::string& integrator : integrator_names()) {
    const Bounces b = bounce_about(160, 1e-4, integrator);
    EXPECT_EQ(b.count, 160);
    EXPECT_LT(b.worst, 1e-3) << integrator;
    record("worst_" + integrator, b.worst);
  }
}

// Why the gradient must not be normalised: the same table and step then gain or lose percents.
TEST(LongRun, UnitGradientsWouldNotKeepIt) {
  const double worst = bounce_about(160, 1e-4, "symplectic-euler", true).worst;
  record("worst", worst);
  EXPECT_GT(worst, 0.01);
}

}  // namespace
}  // namespace scree::testing
