#pragma once
// A small world for tests of files and pictures: mixed shapes, a floor, a drum, a moving bar, a few contacts.
#include <memory>

#include "scree/base/rng.hpp"
#include "scree/shape/library.hpp"
#include "scree/world/world.hpp"

namespace scree::demo {

inline int add_type(World& world, const std::string& recipe, double radius) {
  world.shapes.push_back(std::make_shared<const Shape>(make_named_shape(recipe)));
  GrainType type;
  type.name = recipe;
  type.shape = static_cast<int>(world.shapes.size()) - 1;
  type.radius = radius;
  return world.add_type(type);
}

inline World empty_world() {
  World world;
  world.materials.push_back({});
  world.materials[0].name = "glass";
  world.materials[0].stiffness = 1e4;
  world.gravity.value = {0, -9.81};
  return world;
}

inline void add_contact(World& world, std::uint32_t a, std::uint32_t b, double force) {
  Contact c;
  c.a = a, c.b = b, c.gap = -1e-3, c.normal_force = force, c.tangential_force = 0.1 * force, c.spring = 1e-5 * force;
  const Vec2d xa = world.bodies.x[a], xb = world.bodies.x[b];
  c.arm_b = -0.5 * norm(xb - xa);
  c.gap_x = c.normal = (1 / norm(xb - xa)) * (xb - xa);
  world.contacts.push_back(c);
  world.pair_contacts = world.contacts.size();
}

// `side` x `side` grains of five shapes on a lattice in a drum.
inline World drum(int side, std::uint64_t seed = 1) {
  World world = empty_world();
  const char* recipes[] = {"hash", "ring", "star", "heart", "box"};
  for (const char* recipe : recipes) add_type(world, recipe, 0.5);
  world.groups = {"grains", "frame"};
  Wall wall;
  wall.name = "drum";
  wall.kind = WallKind::circle_inside;
  wall.radius = 0.78 * side;
  world.walls.push_back(wall);
  Rng rng(seed);
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      const Vec2d x{i - 0.5 * (side - 1), j - 0.5 * (side - 1)};
      world.add_body(static_cast<int>(rng.below(5)), 0, BodyKind::moving, x, rng.uniform(0, 6.28),
                     {rng.normal(), rng.normal()}, rng.normal());
      const auto n = static_cast<std::uint32_t>(world.bodies.size() - 1);
      if (i > 0) add_contact(world, n - 1, n, 5 * rng.uniform() * rng.uniform());
      if (j > 0) add_contact(world, n - static_cast<std::uint32_t>(side), n, 5 * rng.uniform() * rng.uniform());
    }
  }
  world.time = 1.25;
  world.step = 1250;
  return world;
}

}  // namespace scree::demo
