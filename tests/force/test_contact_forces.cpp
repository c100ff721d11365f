#include <gtest/gtest.h>

#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/contact/narrow_phase.hpp"
#include "scree/contact/rotations.hpp"
#include "scree/contact/wall_contact.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/map/exact_map.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

// Boxes, hashes and discs of several sizes thrown into each other, all stages up to the forces.
struct Heap {
  World world;
  ThreadPool pool;
  PairList list;
  std::unique_ptr<TypeTables> types;
  std::unique_ptr<ForceTables> forces;
  std::unique_ptr<WallPhase> walls;
  WallCandidates candidates;
  NarrowPhase narrow;

  static constexpr double dt = 1e-3;

  explicit Heap(int threads, std::uint64_t seed = 1, double rotational_damping = 3, double rolling_friction = 0)
      : pool(threads) {
    Material m;
    m.stiffness = 1000;
    m.friction = 0.4;
    m.rotational_damping = rotational_damping;
    m.rolling_friction = rolling_friction;
    world.materials = {m};
    for (const char* name : {"box", "disc"}) {
      world.shapes.push_back(std::make_shared<const Shape>(make_named_shape(name)));
      for (const double r : {0.5, 1.0}) {
        GrainType t;
        t.name = name;
        t.shape = static_cast<int>(world.shapes.size()) - 1;
        t.radius = r;
        world.add_type(t);
      }
    }
    Rng rng(seed);
    for (int k = 0; k < 60; ++k) {
      const Vec2d x{rng.uniform(0, 6), rng.uniform(0, 6)};
      const Vec2d v{rng.uniform(-1, 1), rng.uniform(-1, 1)};
      world.add_body(static_cast<int>(rng.below(4)), 0, BodyKind::moving, x, rng.uniform(-3, 3), v, rng.uniform(-2, 2));
    }
    for (const MapNeed& need : needed_maps(world)) {
      const auto shape = [&](int t) {
        return world.shapes[static_cast<std::size_t>(world.types[static_cast<std::size_t>(t)].shape)].get();
      };
      const ShapePair pair{shape(need.type_a), shape(need.type_b), need.ratio};
      if (pair.a->is_disc && pair.b->is_disc) {
        assign_map(world, need, std::make_shared<DiscMap>(need.ratio));
      } else {
        assign_map(world, need, std::make_shared<ExactMap>(pair, 1e-3));
      }
    }
  }

  void evaluate(FrictionLaw law = law_by_name("spring-clamp")) {
    types = std::make_unique<TypeTables>(world);
    forces = std::make_unique<ForceTables>(world);
    walls = std::make_unique<WallPhase>(world);
    build_pair_list(world, *types, 0.1, pool, list);
    build_wall_candidates(world, *types, walls->wall_features(), 0.1, pool, candidates);
    const std::vector<Rotation2d> rotations = find_rotations(world);
    std::vector<Contact> found(world.contacts.begin(),
                               world.contacts.begin() + static_cast<std::ptrdiff_t>(world.pair_contacts));
    std::vector<RememberedContact> of_walls;
    for (const Contact& c : std::span(world.contacts).subspan(world.pair_contacts)) of_walls.push_back(remembered(c));
    const auto finish = [&](std::size_t, std::span<Contact> contacts) {
      apply_law(world, *forces, law, dt, contacts);
      add_to_lower(contacts, world.bodies);
    };
    const auto finish_walls = [&](std::size_t, std::span<Contact> contacts) {
      apply_law(world, *forces, law, dt, contacts);
      add_to_grain(contacts, world.bodies);
    };
    const auto placed = [&](std::size_t share) { add_to_higher(found, narrow.shares(), share, world.bodies); };
    start_forces(world, 0, world.bodies.size());
    narrow.run(world, *types, rotations, true, list, pool, finish, placed, found.size(), found);
    const std::size_t pair_contacts = found.size();
    walls->run(world, *types, rotations, candidates, of_walls, pool, finish_walls, found);
    world.contacts = found;
    world.pair_contacts = pair_contacts;
  }
};

TEST(ContactForces, ActionIsReactionInForceAndTorqueAboutTheOrigin) {
  for (const std::string& name : law_names()) {
    const FrictionLaw law = law_by_name(name);
    Heap h(1);
    h.evaluate(law);
    ASSERT_GT(h.world.contacts.size(), 100u);
    Vec2d force;
    double torque = 0;
    double scale = 0;
    double friction = 0;
    for (std::size_t k = 0; k < h.world.bodies.size(); ++k) {
      force += h.world.bodies.force[k];
      torque += h.world.bodies.torque[k] + cross(h.world.bodies.x[k], h.world.bodies.force[k]);
      scale += norm(h.world.bodies.force[k]);
    }
    for (const Contact& c : h.world.contacts) friction += std::abs(c.tangential_force);
    EXPECT_GT(friction, 1) << "friction takes part";
    EXPECT_LT(norm(force), 1e-13 * scale);
    EXPECT_LT(std::abs(torque), 1e-12 * scale);
  }
}

// The wrench of each contact, as forces acting at one point: F d_x + f_t t at the contact point gives the same torques.
// With a map whose gradient is not exact this holds for the friction part, by construction of the arms.
TEST(ContactForces, FrictionActsAtTheContactPoint) {
  Heap h(1);
  h.evaluate();
  for (const Contact& c : h.world.contacts) {
    const Vec2d t = perp(c.normal), point = h.world.contact_point(c);
    EXPECT_NEAR(cross(point - h.world.bodies.x[c.b], t), c.arm_b, 1e-9);
    EXPECT_NEAR(cross(point - h.world.bodies.x[c.a], -t), c.arm_a, 1e-9);
  }
}

TEST(ContactForces, SumsDoNotDependOnTheThreads) {
  Heap one(1);
  one.evaluate();
  for (const int threads : {2, 3, 8}) {
    Heap many(threads);
    many.evaluate();
    EXPECT_EQ(one.world.bodies.torque, many.world.bodies.torque);
    for (std::size_t k = 0; k < one.world.bodies.size(); ++k) {
      ASSERT_EQ(one.world.bodies.force[k], many.world.bodies.force[k]);
    }
  }
}

TEST(ContactForces, TheSumOverABodyIsTheSumOverItsContacts) {
  Heap h(1);
  Wall floor;
  floor.pose.x = {0, 0.4};
  h.world.walls = {floor};
  h.world.gravity.value = {1, -2};
  h.evaluate();
  ASSERT_GT(h.world.contacts.size(), h.world.pair_contacts) << "some touch the floor";
  for (std::uint32_t k = 0; k < h.world.bodies.size(); ++k) {
    Vec2d force = h.world.types[h.world.bodies.type[k]].mass * h.world.gravity.value;
    double torque = 0;
    for (const Contact& c : h.world.contacts) {
      const Vec2d f = c.normal_force * c.gap_x + c.tangential_force * perp(c.normal);
      if (c.b == k) {
        force += f;
        torque += c.normal_force * c.gap_theta_b + c.tangential_force * c.arm_b + c.rotational_torque;
      }
      if (c.a == k) {
        force -= f;
        torque += c.normal_force * c.gap_theta_a + c.tangential_force * c.arm_a - c.rotational_torque;
      }
    }
    EXPECT_NEAR(norm(force - h.world.bodies.force[k]), 0, 1e-10);
    EXPECT_NEAR(torque, h.world.bodies.torque[k], 1e-10);
  }
}

TEST(ContactForces, ForcesFollowALeftTurnOfTheWorld) {
  Heap straight(1);
  straight.evaluate();
  Heap turned(1);
  const double angle = 0.8;
  const Rotation2d r(angle);
  for (std::size_t k = 0; k < turned.world.bodies.size(); ++k) {
    turned.world.bodies.x[k] = r * turned.world.bodies.x[k] + Vec2d{3, -2};
    turned.world.bodies.v[k] = r * turned.world.bodies.v[k];
    turned.world.bodies.theta[k] += angle;
  }
  turned.evaluate();
  for (std::size_t k = 0; k < turned.world.bodies.size(); ++k) {
    EXPECT_NEAR(norm(turned.world.bodies.force[k] - r * straight.world.bodies.force[k]), 0, 1e-6);
    EXPECT_NEAR(turned.world.bodies.torque[k], straight.world.bodies.torque[k], 1e-6);
  }
}

TEST(ContactForces, RotationalDampingIsEqualAndOppositeAndBrakesTheRelativeSpin) {
  Heap h(1);
  h.evaluate();
  const double rate = 3;
  for (const Contact& c : h.world.contacts) {
    const double spin = h.world.bodies.omega[c.b] - h.world.bodies.omega[c.a];
    const double ia = h.world.types[h.world.bodies.type[c.a]].inertia;
    const double ib = h.world.types[h.world.bodies.type[c.b]].inertia;
    EXPECT_NEAR(c.rotational_torque, -rate * spin * ia * ib / (ia + ib), 1e-12);
  }
}

// A quarter of the spin a step, within mu_r R_eff F |d_x|; 1/R_eff without those that do not obey forces.
TEST(ContactForces, RollingResistanceIsLimitedByTheNormalForce) {
  Heap h(1, 1, 0, 0.2);
  h.world.bodies.kind[5] = BodyKind::fixed;
  h.evaluate();
  int limited = 0, free = 0;
  for (const Contact& c : h.world.contacts) {
    double inverse_inertia = 0, inverse_radius = 0;
    for (const std::uint32_t body : {c.a, c.b}) {
      if (body == 5) continue;
      inverse_inertia += 1 / h.world.types[h.world.bodies.type[body]].inertia;
      inverse_radius += 1 / h.world.types[h.world.bodies.type[body]].radius;
    }
    const double spin = h.world.bodies.omega[c.b] - h.world.bodies.omega[c.a];
    const double wanted = -spin / (4 * Heap::dt * inverse_inertia);
    const double limit = 0.2 / inverse_radius * c.normal_force * norm(c.gap_x);
    ++(std::abs(wanted) > limit ? limited : free);
    EXPECT_NEAR(c.rotational_torque, std::clamp(wanted, -limit, limit), 1e-12);
  }
  EXPECT_GT(limited, 20);
  EXPECT_GT(free, 0);
}

TEST(ContactForces, DrivenBodiesCountAsInfinitelyHeavy) {
  Heap h(1);
  h.world.bodies.kind[5] = BodyKind::fixed;
  h.evaluate();
  EXPECT_EQ(h.forces->mobility(h.world, 5).inverse_mass, 0);
  EXPECT_EQ(h.forces->mobility(h.world, 5).inverse_inertia, 0);
  bool seen = false;
  for (const Contact& c : h.world.contacts) {
    if (c.a != 5 && c.b != 5) continue;
    seen = true;
    const bool other_is_b = c.a == 5;
    const GrainType& other = h.world.types[h.world.bodies.type[other_is_b ? c.b : c.a]];
    const double theta = other_is_b ? c.gap_theta_b : c.gap_theta_a;
    const double kappa = contact_kappa(c, h.forces->mobility(h.world, c.a), h.forces->mobility(h.world, c.b));
    EXPECT_NEAR(kappa, norm2(c.gap_x) / other.mass + theta * theta / other.inertia, 1e-12 * kappa);
    EXPECT_NEAR(std::abs(c.rotational_torque),
                3 * other.inertia * std::abs(h.world.bodies.omega[c.b] - h.world.bodies.omega[c.a]), 1e-9);
  }
  EXPECT_TRUE(seen);
}

TEST(ForceTables, HoldWhatTheMaterialsSay) {
  World w;
  Material a;
  a.stiffness = 100;
  a.friction = 0.1;
  Material b;
  b.stiffness = 400;
  b.friction = 0.9;
  w.materials = {a, b};
  w.shapes.push_back(std::make_shared<const Shape>(make_disc("disc", 1)));
  for (const int m : {0, 1}) {
    GrainType t;
    t.material = m;
    w.add_type(t);
  }
  Wall floor;
  floor.material = 1;
  w.walls = {Wall{}, floor};
  PairOverride o;
  o.material_a = 0;
  o.material_b = 1;
  o.friction = 0.7;
  w.pair_overrides = {o};
  const ForceTables tables(w);
  EXPECT_DOUBLE_EQ(tables.pair(0, 0).friction, 0.1);
  EXPECT_DOUBLE_EQ(tables.pair(0, 1).friction, 0.7);
  EXPECT_DOUBLE_EQ(tables.pair(1, 0).friction, 0.7);
  EXPECT_DOUBLE_EQ(tables.pair(1, 1).friction, 0.9);
  EXPECT_DOUBLE_EQ(tables.pair(0, 1).stiffness, 200);
  EXPECT_DOUBLE_EQ(tables.wall(0, 0).friction, 0.1);
  EXPECT_DOUBLE_EQ(tables.wall(0, 1).friction, 0.7) << "walls have materials too";
  EXPECT_DOUBLE_EQ(tables.wall(1, 1).stiffness, 400);
}

TEST(ForceTables, LawsByName) {
  for (const std::string& name : law_names()) EXPECT_NO_THROW(law_by_name(name));
  try {
    law_by_name("spring-clmap");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(e.remedy().find("did you mean 'spring-clamp'"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace scree
