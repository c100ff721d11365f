#pragma once
// Many small worlds at once: boxes of # that were let fall and have come to rest, and how many of their steps a second
// takes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "scree/base/rng.hpp"
#include "scree/step/worlds.hpp"
#include "support.hpp"

namespace scree::bench {

struct WorldsOptions {
  std::string device = "cuda";
  std::string precision = "single";
  std::size_t worlds = 2048;
  int grains = 500;         // of each
  std::size_t states = 16;  // that worlds begin with, in turn
  double settle = 4;        // time
  std::size_t action = 20;  // steps between two actions of a learner
};

struct WorldsTiming {
  double ms = 0;                 // a step of all worlds
  double world_steps = 0;        // a second, 200 steps at a time
  double acted_world_steps = 0;  // the same with a wall driven, and all places read, at every action
  double contacts = 0;           // a grain
  std::size_t faults = 0;
};

// A box of about as many columns as rows, filled from a lattice; a floor and two sides, which can be driven.
inline World box_of_hashes(int grains, std::uint64_t seed, const World* like = nullptr) {
  Material m;
  m.name = "grain";
  m.friction = 0.4;
  m.restitution = 0.3;
  m.stiffness = 2e6;
  testing::Worlds w(m);
  const int hash = w.type(make_named_shape("hash"), 1);
  const int columns = std::max(2, static_cast<int>(std::sqrt(grains)));
  const double pitch = 2.05, width = pitch * columns;
  Rng rng(seed);
  for (int k = 0; k < grains; ++k) {
    const Vec2d x = {pitch * (k % columns + 0.5) + rng.uniform(-0.02, 0.02), pitch * (k / columns + 0.6)};
    w.body(hash, x, rng.uniform(-3.14, 3.14), {rng.uniform(-0.1, 0.1), 0});
  }
  w.half_plane({0, 0}, {0, 1}).name = "floor";
  w.half_plane({0, 0}, {1, 0}).name = "left";
  w.half_plane({width, 0}, {-1, 0}).name = "right";
  w.world.gravity.value = {0, -9.81};
  if (like) {
    w.world.maps = like->maps;
    w.world.map_table = like->map_table;
  } else {
    ThreadPool pool;
    w.maps(testing::map_kind("table"), pool);
  }
  return std::move(w.world);
}

inline Worlds boxes_of_hashes(const WorldsOptions& o) {
  std::vector<World> states{box_of_hashes(o.grains, 1)};
  while (states.size() < std::min(o.states, o.worlds))
    states.push_back(box_of_hashes(o.grains, states.size() + 1, &states.front()));
  StepSettings settings;
  settings.device = o.device;
  settings.precision = o.precision;
  settings.skin = 0.25;
  return {std::move(states), settings, o.worlds};
}

// Seconds of `what`: the median of a few.
template <class What>
double median_seconds(int times, What what) {
  std::vector<double> all;
  for (int k = 0; k < times; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    what();
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(all);
  return all[all.size() / 2];
}

inline WorldsTiming time_worlds(const WorldsOptions& o, std::size_t steps = 200) {
  Worlds worlds = boxes_of_hashes(o);
  worlds.advance(static_cast<std::size_t>(o.settle / worlds.settings().dt));
  const auto count = static_cast<double>(o.worlds);
  WorldsTiming t;
  t.ms = 1e3 * median_seconds(5, [&] { worlds.advance(steps); }) / static_cast<double>(steps);
  t.world_steps = 1e3 * count / t.ms;
  std::vector<Worlds::Row> places(o.worlds * worlds.bodies()), velocities(places.size());
  double push = 0.01;
  const double acted = median_seconds(5, [&] {
    push = -push;
    for (std::size_t w = 0; w < o.worlds; ++w) worlds.drive(w, "right", {.velocity = {push, 0}});
    worlds.advance(o.action);
    worlds.read(places, velocities);
  });
  t.acted_world_steps = count * static_cast<double>(o.action) / acted;
  t.contacts = static_cast<double>(worlds.world(0).contacts.size()) / o.grains;
  t.faults = worlds.faults().size();
  return t;
}

}  // namespace scree::bench
