#pragma once
// Shared by the physics tests: materials, maps by kind, runs, sums over bodies.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "scree/base/rng.hpp"
#include "scree/shape/star.hpp"
#include "scree/world/integrator_kernel.hpp"
#include "support.hpp"

namespace scree::testing {

inline constexpr double pi = std::numbers::pi;

inline ThreadPool& test_pool() {
  static ThreadPool pool(2);
  return pool;
}

// Density such that nothing is 1 by chance; frictionless and elastic until a test says otherwise.
inline Material elastic_material(double stiffness) {
  Material m;
  m.name = "test";
  m.density = 1.3;
  m.friction = 0;
  m.restitution = 1;
  m.stiffness = stiffness;
  return m;
}

inline StepSettings steps_of(double dt, const std::string& integrator = "symplectic-euler") {
  StepSettings s;
  s.dt = dt;
  s.integrator = integrator;
  s.threads = 1;
  return s;
}

// Cheap versions of every kind: the tests that loop over kinds ask for laws that hold whatever the map's accuracy.
inline MapSettings cheap_map(const std::string& kind) {
  MapSettings s = map_kind(kind);
  s.nodes = 48;
  s.samples = 20000;
  s.epochs = 4;
  s.grid = 61;
  return s;
}

// A library shape, or one like it that a map of this kind can be made of: stars are star-shaped.
inline Shape shape_for(const std::string& kind, const std::string& name) {
  // Tips on the diagonals, as # has them.
  if (kind == "star" && name == "hash") return make_fourier_star("rosette", {{2, 0, 0, 0, -1}, {}});
  if (kind == "star" && name == "u") return make_named_shape("heart");
  return make_named_shape(name);
}

inline void run_until(Simulation& sim, double time) {
  while (sim.world().time < time - 0.5 * sim.settings().dt) sim.step();
}

inline double mass_of(const World& w, std::size_t body) { return w.types[w.bodies.type[body]].mass; }
inline double inertia_of(const World& w, std::size_t body) { return w.types[w.bodies.type[body]].inertia; }

struct Momentum {
  Vec2d linear;
  double angular = 0;  // about the origin
};

inline Momentum momentum_of(const World& w) {
  Momentum p;
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    const Vec2d mv = mass_of(w, k) * w.bodies.v[k];
    p.linear += mv;
    p.angular += cross(w.bodies.x[k], mv) + inertia_of(w, k) * w.bodies.omega[k];
  }
  return p;
}

// Names of map kinds as GoogleTest wants them.
inline std::string kind_name(const ::testing::TestParamInfo<std::string>& kind) {
  std::string name = kind.param;
  std::erase(name, '-');
  return name;
}

// Leaves a measured figure in the XML report (--gtest_output=xml): docs/validation.md quotes them.
inline void record(const std::string& what, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  ::testing::Test::RecordProperty(what, text);
}

// log2 of the ratio of two successive errors when dt is halved.
inline double order_of(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace scree::testing
