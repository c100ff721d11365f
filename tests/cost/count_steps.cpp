// Settled piles whose steps check_cost.py counts the instructions of, under callgrind.
//
//   count_steps CASE STEPS      CASE: discs, hashes, stars
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "scree/shape/star.hpp"
#include "support.hpp"

using namespace scree;

namespace {

constexpr int columns = 12, rows = 16;
constexpr int settling = 4000;

Shape shape_of(const std::string& name) {
  if (name == "discs") return make_disc("disc", 1);
  if (name == "hashes") return make_named_shape("hash", {});
  if (name == "stars") return make_named_shape("rosette", {{"n", 4}});
  std::fprintf(stderr, "count_steps: unknown case %s\n", name.c_str());
  std::exit(2);
}

Simulation pile(const std::string& name) {
  Material material;
  material.name = "grain";
  material.friction = 0.5;
  material.restitution = 0.2;
  material.stiffness = 2e4;
  testing::Worlds worlds(material);
  const int type = worlds.type(shape_of(name), 1);
  worlds.half_plane({0, 0}, {0, 1});
  worlds.half_plane({0, 0}, {1, 0});
  worlds.half_plane({2.1 * columns, 0}, {-1, 0});
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      worlds.body(type, {2.1 * i + 1.05 + 0.02 * std::sin(7.0 * j + i), 2.1 * j + 1.05}, 0.3 * i + 0.7 * j);
  worlds.world.gravity.value = {0, -10};
  MapSettings maps = testing::map_kind(name == "stars" ? "star" : name == "discs" ? "exact" : "table");
  maps.nodes = 64;
  ThreadPool pool(1);
  worlds.maps(maps, pool);
  StepSettings settings;
  settings.dt = 1e-3;
  settings.threads = 1;
  return worlds.start(settings);
}

}  // namespace

// What callgrind is told to collect in.
extern "C" [[gnu::noinline]] void counted_steps(Simulation& simulation, int steps) {
  for (int k = 0; k < steps; ++k) simulation.step();
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: count_steps CASE STEPS\n");
    return 2;
  }
  Simulation simulation = pile(argv[1]);
  for (int k = 0; k < settling; ++k) simulation.step();
  counted_steps(simulation, std::atoi(argv[2]));
  std::printf("%zu contacts\n", simulation.stats().contacts);
  return 0;
}
