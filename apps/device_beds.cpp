#include "device_beds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "interrupt.hpp"
#include "scree/base/error.hpp"
#include "scree/base/parallel.hpp"
#include "scree/base/rng.hpp"
#include "scree/learn/factory.hpp"
#include "scree/map/map_cache.hpp"
#include "scree/shape/library.hpp"

namespace scree::cli {

namespace {

// Letters of bars one wide, as outlines: they need no font.
std::vector<Shape> letters() {
  const std::pair<const char*, Loop> outlines[] = {
      {"C", {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 5}, {4, 5}, {4, 6}, {0, 6}}},
      {"E",
       {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 2.5}, {3.5, 2.5}, {3.5, 3.5}, {1, 3.5}, {1, 5}, {4, 5}, {4, 6}, {0, 6}}},
      {"F", {{0, 0}, {1, 0}, {1, 2.5}, {3.5, 2.5}, {3.5, 3.5}, {1, 3.5}, {1, 5}, {4, 5}, {4, 6}, {0, 6}}},
      {"H", {{0, 0}, {1, 0}, {1, 2.5}, {3, 2.5}, {3, 0}, {4, 0}, {4, 6}, {3, 6}, {3, 3.5}, {1, 3.5}, {1, 6}, {0, 6}}},
      {"I", {{0, 0}, {1, 0}, {1, 6}, {0, 6}}},
      {"L", {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 6}, {0, 6}}},
      {"N", {{0, 0}, {1, 0}, {1, 4}, {3, 0}, {4, 0}, {4, 6}, {3, 6}, {3, 2}, {1, 6}, {0, 6}}},
      {"T", {{1.5, 0}, {2.5, 0}, {2.5, 5}, {4, 5}, {4, 6}, {0, 6}, {0, 5}, {1.5, 5}}},
      {"U", {{0, 0}, {4, 0}, {4, 6}, {3, 6}, {3, 1}, {1, 1}, {1, 6}, {0, 6}}}};
  std::vector<Shape> shapes;
  for (const auto& [name, loop] : outlines) shapes.push_back(make_shape(name, Outline{{loop}}));
  return shapes;
}

std::vector<Shape> shapes_of(const std::string& grains) {
  if (grains == "letters") return letters();
  return {make_named_shape(grains == "discs" ? "disc" : grains == "crosses" ? "cross" : grains)};
}

void add_types(World& world, const std::string& grains) {
  for (Shape& shape : shapes_of(grains)) {
    GrainType type;
    type.name = shape.name;
    type.shape = static_cast<int>(world.shapes.size());
    type.radius = 1;
    world.shapes.push_back(std::make_shared<const Shape>(std::move(shape)));
    world.add_type(type);
  }
}

void add_maps(World& world, const MapSettings& settings, ProgressLine& line) {
  ThreadPool pool;
  const MapCache cache;
  for (const MapNeed& need : needed_maps(world)) {
    const auto shape_of = [&](int t) {
      return world.shapes[static_cast<std::size_t>(world.types[static_cast<std::size_t>(t)].shape)].get();
    };
    const ShapePair pair{shape_of(need.type_a), shape_of(need.type_b), need.ratio};
    const auto progress = [&](double fraction, const std::string& stage) {
      if (interrupted()) throw Interrupted();
      if (line.due()) line.show(fraction, fmt::format("map {} - {}: {}", pair.a->name, pair.b->name, stage));
    };
    assign_map(world, need, cache.get(pair, settings, [&] { return build_map(pair, settings, pool, progress); }));
  }
}

constexpr double pi = std::numbers::pi;
// No two circumcircles meet, whatever the jitter: 2.04 is the least distance.
constexpr double pitch = 2.06, jitter = 0.01;

World world_of(const std::string& grains) {
  World world;
  Material m;
  m.name = "grain";
  m.friction = 0.4;
  m.restitution = 0.1;
  m.stiffness = 2e5;  // grains at the bottom overlap by a thousandth of their radius
  world.materials.push_back(m);
  add_types(world, grains);
  world.gravity.value = {0, -9.81};
  return world;
}

}  // namespace

World lattice_bed(const std::string& grains, const BedSize& size, const MapSettings& maps, ProgressLine& line) {
  World world = world_of(grains);
  const std::size_t columns = std::max<std::size_t>(4, size.grains / static_cast<std::size_t>(size.layers));
  const auto at = [&](std::size_t column, std::size_t row) {
    return Vec2d{pitch * (static_cast<double>(column) + 0.5), pitch * static_cast<double>(row)};
  };
  for (std::size_t c = 0; c < columns; ++c) world.add_body(0, 0, BodyKind::fixed, at(c, 0), 0);
  Rng rng(1);
  for (std::size_t k = 0; k < size.grains; ++k) {
    const Vec2d shift{rng.uniform(-jitter, jitter), rng.uniform(-jitter, jitter)};
    world.add_body(static_cast<int>(k % world.types.size()), 0, BodyKind::moving,
                   at(k % columns, 1 + k / columns) + shift, rng.uniform(-pi, pi));
  }
  world.periodic = {true, false, {{0, 0}, {pitch * static_cast<double>(columns), 0}}};
  add_maps(world, maps, line);
  return world;
}

std::vector<World> box_beds(std::size_t count, std::size_t grains, ProgressLine& line) {
  World world = world_of("hash");
  const auto columns = std::max<std::size_t>(2, static_cast<std::size_t>(std::sqrt(static_cast<double>(grains))));
  const auto wall = [&](const char* name, Vec2d at, Vec2d normal) {
    Wall w;
    w.name = name;
    w.normal = normal;
    w.pose.x = at;
    world.walls.push_back(w);
  };
  wall("floor", {0, 0}, {0, 1});
  wall("left", {0, 0}, {1, 0});
  wall("right", {pitch * static_cast<double>(columns), 0}, {-1, 0});
  std::vector<World> boxes(count, world);
  Rng rng(1);
  for (World& box : boxes)
    for (std::size_t k = 0; k < grains; ++k) {
      const Vec2d x{static_cast<double>(k % columns) + 0.5, static_cast<double>(k / columns) + 0.6};
      box.add_body(0, 0, BodyKind::moving, pitch * x + Vec2d{rng.uniform(-jitter, jitter), 0}, rng.uniform(-pi, pi));
    }
  add_maps(boxes[0], {}, line);
  for (World& box : boxes) box.maps = boxes[0].maps, box.map_table = boxes[0].map_table;
  return boxes;
}

double mean_speed(const World& world) {
  double sum = 0;
  std::size_t moving = 0;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (world.bodies.kind[k] != BodyKind::moving) continue;
    sum += norm(world.bodies.v[k]);
    ++moving;
  }
  return moving > 0 ? sum / static_cast<double>(moving) : 0;
}

}  // namespace scree::cli
