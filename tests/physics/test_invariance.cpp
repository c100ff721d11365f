// Symmetries of the equations of motion: nothing may depend on where, how turned or in which order things are listed.
#include <algorithm>

#include "physics.hpp"

namespace scree::testing {
namespace {

Material rough() {
  Material m = elastic_material(1e4);
  m.friction = 0.5;
  m.restitution = 0.4;
  m.rotational_damping = 0.5;
  return m;
}

// A handful of unlike grains thrown together under gravity in a corner of two planes, seen from a frame that is turned
// by `frame.theta` and moved by `frame.x`. Discs, # and stars of unlike sizes.
Worlds thrown(const std::string& kind, const Pose2d& frame, bool reversed = false) {
  static std::vector<std::pair<std::string, World>> built;
  auto found = std::find_if(built.begin(), built.end(), [&](const auto& b) { return b.first == kind; });
  if (found == built.end()) {
    Worlds w(rough());
    w.body(w.type(shape_for(kind, "hash"), 1), {0, 0});
    w.body(w.type(make_named_shape("star"), 0.8), {5, 0});
    w.body(w.type(make_disc("disc", 0.6)), {10, 0});
    w.maps(cheap_map(kind), test_pool());
    w.world.bodies = {};
    w.world.anchors.clear();
    built.emplace_back(kind, w.world);
    found = built.end() - 1;
  }
  Worlds w(rough());
  w.world = found->second;
  struct Start {
    int type;
    Pose2d pose;
    Vec2d v;
    double omega;
  };
  std::vector<Start> starts = {{0, {0.3, {1.1, 1.15}}, {0.5, -1}, 1},
                               {1, {1.3, {2.55, 1.3}}, {-1.4, -0.5}, -2},
                               {2, {0, {1.6, 2.5}}, {0.1, -2}, 3},
                               {0, {-0.8, {3.1, 2.95}}, {-2, -1}, 0.5},
                               {1, {2.1, {0.95, 3.4}}, {0.6, -1.5}, 0.2}};
  if (reversed) std::reverse(starts.begin(), starts.end());
  const Rotation2d r(frame.theta);
  for (const Start& s : starts) w.body(s.type, frame * s.pose.x, s.pose.theta + frame.theta, r * s.v, s.omega);
  w.half_plane(frame * Vec2d{0, 0}, r * Vec2d{0, 1});
  w.half_plane(frame * Vec2d{0, 0}, r * Vec2d{1, 0});
  w.world.gravity.value = r * Vec2d{-1, -9.81};
  return w;
}

constexpr double run_time = 0.4;

class Invariance : public ::testing::TestWithParam<std::string> {
 protected:
  double dt() const { return GetParam() == "exact" ? 1e-3 : 5e-4; }
};

struct State {
  std::vector<Pose2d> poses;
  std::size_t contact_steps = 0;
};

State run(Worlds w, double dt) {
  Simulation sim = w.start(steps_of(dt));
  State s;
  while (sim.world().time < run_time) {
    sim.step();
    s.contact_steps += sim.world().pair_contacts;
  }
  for (std::size_t k = 0; k < sim.world().bodies.size(); ++k)
    s.poses.push_back({sim.world().bodies.theta[k], sim.world().bodies.x[k]});
  return s;
}

// Rounding, 1e-16, grows by about a factor of ten with each of the half dozen collisions.
constexpr double rounding = 1e-10;

TEST_P(Invariance, TurnedAndMovedWorldMovesAlike) {
  const Pose2d frame{0.77, {3.1, -2.2}};
  const State here = run(thrown(GetParam(), {}), dt());
  const State there = run(thrown(GetParam(), frame), dt());
  EXPECT_GT(here.contact_steps, 50u);
  double worst = 0;
  for (std::size_t k = 0; k < here.poses.size(); ++k) {
    worst = std::max(worst, norm(there.poses[k].x - frame * here.poses[k].x));
    EXPECT_LT(norm(there.poses[k].x - frame * here.poses[k].x), rounding);
    EXPECT_NEAR(there.poses[k].theta, here.poses[k].theta + frame.theta, rounding);
  }
  record("worst", worst);
}

TEST_P(Invariance, ListingBodiesInReverseChangesNothing) {
  const State here = run(thrown(GetParam(), {}), dt());
  const State there = run(thrown(GetParam(), {}, true), dt());
  const std::size_t n = here.poses.size();
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_LT(norm(there.poses[n - 1 - k].x - here.poses[k].x), rounding);
    EXPECT_NEAR(there.poses[n - 1 - k].theta, here.poses[k].theta, rounding);
  }
}

// The two wrenches of every contact about the world's origin add up to zero: force and moment.
TEST_P(Invariance, ActionIsReaction) {
  Simulation sim = thrown(GetParam(), {0.4, {0.5, 0.25}}).start(steps_of(dt()));
  std::size_t seen = 0;
  while (sim.world().time < run_time) {
    // Contacts belong to the positions before the drift of symplectic Euler: keep those.
    const Bodies before = sim.world().bodies;
    sim.step();
    for (std::size_t i = 0; i < sim.world().pair_contacts; ++i, ++seen) {
      const Contact& c = sim.world().contacts[i];
      const Vec2d force = c.normal_force * c.gap_x + c.tangential_force * perp(c.normal);
      const double on_b = c.normal_force * c.gap_theta_b + c.tangential_force * c.arm_b + c.rotational_torque;
      const double on_a = c.normal_force * c.gap_theta_a + c.tangential_force * c.arm_a - c.rotational_torque;
      const double moment = cross(before.x[c.b], force) + on_b - cross(before.x[c.a], force) + on_a;
      EXPECT_NEAR(moment, 0, 1e-13 * (norm(force) * (norm(before.x[c.a]) + 2) + std::abs(on_a) + std::abs(on_b)));
      const Bodies& now = sim.world().bodies;
      const Vec2d point = sim.world().contact_point(c);
      // The stated contact point is where the whole force acts, up to the rotational damping.
      const double about_point = cross(point - now.x[c.b], c.normal_force * c.gap_x);
      EXPECT_NEAR(about_point, c.normal_force * c.gap_theta_b, 1e-9 * (1 + norm(force)));
    }
  }
  EXPECT_GT(seen, 50u);
}

INSTANTIATE_TEST_SUITE_P(Maps, Invariance, ::testing::Values("exact", "table", "neural", "star", "clump"), kind_name);

// Two equal grains change roles when their order changes: A becomes B, and the map is asked for the inverse pose. The
// exact map (no smoothing, which acts on B's rotation alone) answers the same from either side. Approximate maps differ
// by their error, so this says nothing about the engine there.
TEST(InvarianceOfRoles, EqualGrainsMayChangeRoles) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<Vec2d> end[2];
    for (const bool swapped : {false, true}) {
      Rng rng(seed, 5);
      Worlds w(rough());
      const int hash = w.type(make_named_shape("hash"), 1);
      const Pose2d first{rng.uniform(-3, 3), {0, 0}}, second{rng.uniform(-3, 3), {1.95, rng.uniform(-0.4, 0.4)}};
      if (!swapped) w.body(hash, first.x, first.theta, {1, 0}, 0.5);
      w.body(hash, second.x, second.theta, {-1, 0}, 0.5);
      if (swapped) w.body(hash, first.x, first.theta, {1, 0}, 0.5);
      MapSettings sharp = map_kind("exact");
      sharp.epsilon = 0;
      w.maps(sharp, test_pool());
      Simulation sim = w.start(steps_of(1e-3));
      while (sim.world().time < 0.5) {
        sim.step();
        contacts += sim.stats().contacts;
      }
      end[swapped] = sim.world().bodies.v;
    }
    EXPECT_LT(norm(end[0][0] - end[1][1]) + norm(end[0][1] - end[1][0]), rounding);
  }
  EXPECT_GT(contacts, 100u);
}

}  // namespace
}  // namespace scree::testing
