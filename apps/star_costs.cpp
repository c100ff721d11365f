#include "star_costs.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numbers>

#include "interrupt.hpp"
#include "scree/base/rng.hpp"
#include "scree/contact/narrow_phase.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/rotations.hpp"
#include "scree/learn/factory.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/map/star_map.hpp"
#include "scree/shape/star.hpp"
#include "scree/step/simulation.hpp"

namespace scree::cli {

namespace {

using Clock = std::chrono::steady_clock;

// The paper's units: mm, g, s. Cross r = R (2 + sin 4 angle) / 3 and a disc of the same area, 30 mm^2, and mass.
constexpr double cross_radius = 4.37, mass = 0.1062, dt = 1e-4;
const double disc_radius = cross_radius / std::numbers::sqrt2;

// Grains of one shape poured into a box as wide as it is deep, settled with the given map.
World packing(const StarCostSettings& o, Shape shape, std::shared_ptr<const ContactMap> map, ProgressLine& line) {
  World world;
  Material m;
  m.name = "paper";
  m.friction = 0.5;
  m.stiffness = 1e6;
  m.normal_damping = 100;
  const double radius = shape.natural_radius;
  m.density = mass / (shape.area * radius * radius);
  world.materials.push_back(m);
  GrainType type;
  type.name = shape.name;
  type.radius = radius;
  world.shapes.push_back(std::make_shared<const Shape>(std::move(shape)));
  world.add_type(type);
  const double pitch = 2.1 * radius;
  const int columns = std::max(2, static_cast<int>(std::sqrt(0.7 * o.grains)));
  Rng rng(1);
  for (int k = 0; k < o.grains; ++k)
    world.add_body(0, 0, BodyKind::moving, {pitch * (k % columns + 0.5), pitch * (k / columns + 0.5)},
                   rng.uniform(-std::numbers::pi, std::numbers::pi), {rng.uniform(-50, 50), 0});
  const auto plane = [&](Vec2d point, Vec2d normal) {
    Wall wall;
    wall.name = "plane";
    wall.normal = normal;
    wall.pose.x = point;
    world.walls.push_back(wall);
  };
  plane({0, 0}, {0, 1});
  plane({0, 0}, {1, 0});
  plane({columns * pitch, 0}, {-1, 0});
  world.gravity.value = {0, -9810};
  for (const MapNeed& need : needed_maps(world)) assign_map(world, need, map);
  StepSettings settings;
  settings.dt = dt;
  settings.watchdog.max_overlap = 1;  // the step of the paper is coarse, and grains land hard
  Simulation sim(std::move(world), settings);
  while (sim.world().time < o.settle) {
    if (interrupted()) throw Interrupted();
    if (line.due()) line.show(sim.world().time / o.settle, "settling " + type.name);
    sim.step();
  }
  line.clear();
  return sim.world();
}

// Median time of the narrow phase over the frozen packing, on one thread.
StarCost measure(World world, std::shared_ptr<const ContactMap> map, int rounds) {
  for (const MapNeed& need : needed_maps(world)) assign_map(world, need, map);
  ThreadPool one(1);
  const TypeTables tables(world);
  PairList list;
  const std::vector<Rotation2d> rotations = find_rotations(world);
  world.contacts.clear();
  world.pair_contacts = 0;
  build_pair_list(world, tables, 0.25 * world.types[0].radius, one, list);
  NarrowPhase narrow;
  const auto no_law = [](std::size_t, std::span<Contact>) {};
  StarCost cost;
  std::vector<double> times;
  for (int k = -3; k < rounds; ++k) {  // three rounds to warm up
    if (interrupted()) throw Interrupted();
    const auto start = Clock::now();
    cost.candidates =
        narrow.run(world, tables, rotations, true, list, one, no_law, {}, world.pair_contacts, world.contacts);
    if (k >= 0) times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    world.pair_contacts = world.contacts.size();  // the next round finds the history of this one, as a step does
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  const double median = times[times.size() / 2];
  cost.contacts = world.contacts.size();
  cost.milliseconds = 1e3 * median;
  cost.nanoseconds = 1e9 * median / static_cast<double>(std::max<std::size_t>(1, cost.candidates));
  return cost;
}

MapSettings settings_of(const std::string& kind, int discs = 0, StarDistance distance = StarDistance::first_order) {
  MapSettings s;
  s.kind = kind;
  s.clump_discs = discs;
  s.star_distance = distance;
  return s;
}

}  // namespace

Shape paper_cross() { return make_fourier_star("cross", {{2 * cross_radius / 3}, {0, 0, 0, cross_radius / 3}}); }

std::vector<StarCost> star_costs(const StarCostSettings& o, ProgressLine& line) {
  ThreadPool pool;
  std::vector<StarCost> out;
  const auto add = [&](const World& world, const char* name, const char* contact,
                       std::shared_ptr<const ContactMap> map) {
    StarCost c = measure(world, map, o.rounds);
    c.packing = name;
    c.contact = contact;
    c.error = map->error().samples > 0 ? map->error().gap_rmse : -1;
    out.push_back(std::move(c));
  };
  const Shape disc = make_disc("disc", disc_radius);
  const auto discs = std::make_shared<const DiscMap>(1);
  const World round = packing(o, disc, discs, line);
  add(round, "discs", "disc", discs);
  add(round, "discs", "star", std::make_shared<const StarMap>(ShapePair{&disc, &disc, 1}, 100));
  const Shape cross = paper_cross();
  const ShapePair pair{&cross, &cross, 1};
  const auto built = [&](const MapSettings& s) { return std::shared_ptr<const ContactMap>(build_map(pair, s, pool)); };
  const auto star = built(settings_of("star"));
  const World crosses = packing(o, cross, star, line);
  add(crosses, "crosses", "star", star);
  add(crosses, "crosses", "star, radial", built(settings_of("star", 0, StarDistance::radial)));
  add(crosses, "crosses", "clump of 9", built(settings_of("clump", 9)));
  add(crosses, "crosses", "clump of 17", built(settings_of("clump", 17)));
  add(crosses, "crosses", "table", built(settings_of("table")));
  return out;
}

}  // namespace scree::cli
