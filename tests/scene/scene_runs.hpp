#pragma once
// Scenes of the repository, run from their files: what tests of the papers' scenes share.
#include <filesystem>
#include <string>
#include <vector>

#include "scree/scene/maps.hpp"
#include "scree/scene/scene.hpp"

namespace scree::test {

using Overrides = std::vector<std::string>;

inline Scene scene_named(const std::string& name, const Overrides& overrides = {}) {
  return load_scene(std::filesystem::path(SCREE_SOURCE_DIR) / "scenes" / (name + ".toml"), overrides);
}

// Builds the maps and hands the world over; `scene` keeps the rest.
inline Simulation start(Scene& scene, int threads = 1) {
  ThreadPool pool(threads);
  attach_maps(scene, nullptr, pool);
  scene.step.threads = threads;
  return Simulation(std::move(scene.world), scene.step);
}

inline Simulation start(const std::string& name, const Overrides& overrides) {
  Scene scene = scene_named(name, overrides);
  return start(scene);
}

inline void advance(Simulation& simulation, double until) {
  while (simulation.world().time < until) simulation.step();
}

inline World end_of(const std::string& name, const Overrides& overrides) {
  Scene scene = scene_named(name, overrides);
  Simulation simulation = start(scene);
  advance(simulation, scene.run.duration);
  return simulation.world();
}

inline std::vector<Vec2d> moving_grains(const World& world) {
  std::vector<Vec2d> x;
  for (std::size_t i = 0; i < world.bodies.size(); ++i)
    if (world.bodies.kind[i] == BodyKind::moving) x.push_back(world.bodies.x[i]);
  return x;
}

// Of the grains that move by themselves.
inline double mean_speed(const World& world) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (world.bodies.kind[i] != BodyKind::moving) continue;
    sum += norm(world.bodies.v[i]);
    ++count;
  }
  return sum / static_cast<double>(count);
}

}  // namespace scree::test
