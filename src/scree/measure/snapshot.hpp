#pragma once
// One instant of a run as measures see it: grains and contacts, whether they come from a live World or from a file.
#include <cstdint>
#include <string>
#include <vector>

#include "scree/world/world.hpp"

namespace scree {

struct SnapshotContact {
  std::uint32_t a = no_body;    // index of the grain in the snapshot; no_body for a wall contact
  std::uint32_t b = no_body;    // index of the grain
  std::int32_t wall = -1;       // index of the wall when a == no_body
  Vec2d point;                  // world: where the force acts
  Vec2d normal;                 // unit, from A to B, or 0
  double normal_force = 0;      // on B along the normal, >= 0
  double tangential_force = 0;  // on B along the normal turned by a quarter

  Vec2d force_on_b() const { return normal_force * normal + tangential_force * perp(normal); }
};

// Arrays have one entry per grain, in order of id.
struct Snapshot {
  double time = 0;
  std::vector<const Shape*> shapes;  // borrowed: what the snapshot was made of must outlive it
  std::vector<GrainType> types;
  std::vector<std::string> groups;
  Periodic periodic;

  std::vector<std::uint32_t> id;
  std::vector<std::uint16_t> type;
  std::vector<std::uint16_t> group;
  std::vector<BodyKind> kind;
  std::vector<Vec2d> x;  // wrapped into the cell in periodic directions
  std::vector<double> theta;
  std::vector<Vec2d> v;
  std::vector<double> omega;
  std::vector<SnapshotContact> contacts;

  std::size_t size() const { return id.size(); }
  const GrainType& type_of(std::size_t grain) const { return types[type[grain]]; }
  const Shape& shape_of(std::size_t grain) const { return *shapes[static_cast<std::size_t>(type_of(grain).shape)]; }
  double area_of(std::size_t grain) const {
    return shape_of(grain).area * type_of(grain).radius * type_of(grain).radius;
  }
  bool driven(std::size_t grain) const { return kind[grain] != BodyKind::moving; }
  Vec2d period() const { return periodic.box.hi - periodic.box.lo; }
  // x_b - x_a, the nearest periodic image.
  Vec2d separation(Vec2d x_a, Vec2d x_b) const;
};

Snapshot snapshot_of(const World& world);

}  // namespace scree
