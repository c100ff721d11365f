#pragma once
// Worlds for tests, built in a few lines.
#include <memory>
#include <string>

#include "scree/learn/factory.hpp"
#include "scree/shape/library.hpp"
#include "scree/step/simulation.hpp"
#include "scree/world/world.hpp"

namespace scree::testing {

struct Worlds {
  World world;

  explicit Worlds(Material material) { world.materials.push_back(std::move(material)); }

  int shape(Shape s) {
    world.shapes.push_back(std::make_shared<const Shape>(std::move(s)));
    return static_cast<int>(world.shapes.size()) - 1;
  }
  // A type of a shape at its natural size, or of the given circumradius.
  int type(Shape s, double radius = 0) {
    const double r = radius > 0 ? radius : s.natural_radius;
    std::string name = s.name;
    const int index = shape(std::move(s));
    GrainType t;
    t.name = std::move(name);
    t.shape = index;
    t.radius = r;
    return world.add_type(t);
  }
  std::uint32_t body(int type, Vec2d x, double theta = 0, Vec2d v = {}, double omega = 0,
                     BodyKind kind = BodyKind::moving) {
    return world.add_body(type, 0, kind, x, theta, v, omega);
  }
  Wall& half_plane(Vec2d point, Vec2d normal) {
    Wall wall;
    wall.name = "plane";
    wall.normal = (1 / norm(normal)) * normal;
    wall.pose.x = point;
    world.walls.push_back(wall);
    return world.walls.back();
  }
  void maps(const MapSettings& settings, ThreadPool& pool) {
    for (const MapNeed& need : needed_maps(world)) {
      const auto shape_of = [&](int t) {
        return world.shapes[static_cast<std::size_t>(world.types[static_cast<std::size_t>(t)].shape)].get();
      };
      assign_map(world, need, build_map({shape_of(need.type_a), shape_of(need.type_b), need.ratio}, settings, pool));
    }
  }
  Simulation start(StepSettings settings) { return Simulation(std::move(world), std::move(settings)); }
};

inline MapSettings map_kind(const std::string& kind) {
  MapSettings s;
  s.kind = kind;
  return s;
}

}  // namespace scree::testing
