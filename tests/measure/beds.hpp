#pragma once
// Arrangements of grains with known answers.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/measure/measure.hpp"
#include "support.hpp"

namespace scree::testing {

inline constexpr double pi = std::numbers::pi;

inline Material unit_material() {
  Material m;
  m.name = "unit";
  m.stiffness = 1000;
  return m;
}

// A world of unit squares (type 0) and discs of diameter 1 (type 1), density 1.
struct Bed : Worlds {
  int square, disc;
  Bed() : Worlds(unit_material()) {
    square = type(make_shape("square", {{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}}));
    disc = type(make_disc("disc", 0.5));
  }
  int polygon(const std::string& name, Loop loop) { return type(make_shape(name, {{std::move(loop)}})); }

  // A contact whose force on B is `force`, its normal along `normal`; a == no_body for wall 0.
  void contact(std::uint32_t a, std::uint32_t b, Vec2d point, Vec2d normal, double normal_force,
               double tangential_force = 0) {
    Contact c;
    c.a = a;
    c.b = b;
    c.wall = a == no_body ? 0 : -1;
    c.normal = c.gap_x = (1 / norm(normal)) * normal;
    c.arm_b = dot(world.separation(world.bodies.x[b], point), c.normal);
    c.gap_theta_b = cross(world.separation(world.bodies.x[b], point), c.gap_x);
    c.gap = -0.01;
    c.normal_force = normal_force;
    c.tangential_force = tangential_force;
    world.contacts.push_back(c);
  }
  void periodic_x(double lo, double hi) {
    world.periodic.x = true;
    world.periodic.box.lo.x = lo, world.periodic.box.hi.x = hi;
  }
  // Touching discs of a triangular lattice that repeats in both directions; rows, an even number, are `row` apart.
  static constexpr double row = 0.5 * std::numbers::sqrt3;
  void hexagonal(int columns, int rows) {
    periodic_x(0, columns);
    world.periodic.y = true;
    world.periodic.box.lo.y = 0, world.periodic.box.hi.y = rows * row;
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) body(disc, {i + (j % 2) * 0.5, j * row});
  }
  Snapshot shot(double time = 0) {
    world.time = time;
    return snapshot_of(world);
  }
};

inline Selection in(Vec2d lo, Vec2d hi) {
  Selection s;
  s.region = {lo, hi};
  return s;
}

// What the error that `action` throws says; "" when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_FALSE(e.remedy().empty()) << e.what();
    return e.what();
  }
  return {};
}

}  // namespace scree::testing
