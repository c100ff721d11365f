#pragma once
// All data of a simulation, without behaviour. contact/, force/ and step/ act on it; scene/ fills it; record/ reads it.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scree/map/contact_map.hpp"
#include "scree/shape/shape.hpp"
#include "scree/world/body.hpp"
#include "scree/world/contact.hpp"
#include "scree/world/event.hpp"
#include "scree/world/ledger.hpp"
#include "scree/world/link.hpp"
#include "scree/world/material.hpp"
#include "scree/world/motion.hpp"
#include "scree/world/periodic.hpp"
#include "scree/world/wall.hpp"

namespace scree {

// Gravity as a vector that may turn: g(t) = R(turn_rate (t - since)) value.
struct Gravity {
  Vec2d value;           // length / time^2
  double turn_rate = 0;  // rad / time, counter-clockwise
  double since = 0;
  Vec2d at(double time) const { return Rotation2d(turn_rate * (time - since)) * value; }
};

// The map of a pair of types. A is the first of the two by (shape index, larger radius, body index).
struct MapRef {
  const ContactMap* map = nullptr;
  double scale = 1;  // A's circumradius: lengths of the map times this
};

struct TypeUse {
  bool moving = false;
  bool driven = false;  // fixed or kinematic
};

struct World {
  std::vector<std::shared_ptr<const Shape>> shapes;
  std::vector<Material> materials;
  std::vector<PairOverride> pair_overrides;
  std::vector<GrainType> types;
  std::vector<TypeUse> first_use;  // by type, at the beginning of the run; empty before
  std::vector<std::string> groups{"grains"};
  std::vector<std::shared_ptr<const ContactMap>> maps;  // keeps what map_table points to alive
  std::vector<MapRef> map_table;                        // types x types, symmetric

  Bodies bodies;
  std::vector<Pose2d> anchors;  // per body: pose when its motion started (kinematic bodies)
  // Per body, with step.sleep, else empty: for how long it has stayed where it is, give or take a little, and where.
  std::vector<double> quiet;
  std::vector<Pose2d> quiet_at;
  std::vector<Wall> walls;
  std::vector<Motion> motions;
  std::vector<Insertion> insertions;
  std::vector<DeletionZone> deletion_zones;
  std::vector<Event> events;  // in order of time

  Gravity gravity;
  Periodic periodic;
  Box bounds{{-1e300, -1e300}, {1e300, 1e300}};  // a grain outside is lost: the watchdog stops the run

  double time = 0;
  std::uint64_t step = 0;
  std::uint32_t next_id = 0;
  // Of the last force evaluation: first `pair_contacts` grain-grain ones by (lower, higher body index, feature), then
  // walls by (b, wall, feature). They carry the friction history.
  std::vector<Contact> contacts;
  std::size_t pair_contacts = 0;
  // Of the implicit solver: planes that serve until bodies have moved on, those of pairs by (lower, higher body index),
  // as seen from where the bodies are; and where those were, by body. What has been moved otherwise has no planes.
  // Forces are those of the contacts.
  std::vector<Link> links;
  std::vector<LinkedBody> linked_at;
  Ledger ledger;

  // Appends a type with mass, inertia and thinnest feature derived from shape, radius and material.
  int add_type(GrainType type);
  std::uint32_t add_body(int type, int group, BodyKind kind, Vec2d x, double theta, Vec2d v = {}, double omega = 0);

  // True when the pair (type_i of body i, type_j of body j) is ordered (A, B) = (i, j).
  bool in_order(int type_i, int type_j, std::size_t i, std::size_t j) const;
  MapRef map_of(int type_i, int type_j) const {
    return map_table[static_cast<std::size_t>(type_i) * types.size() + static_cast<std::size_t>(type_j)];
  }
  PairParameters pair_parameters(int material_a, int material_b) const {
    return mix(materials[static_cast<std::size_t>(material_a)], materials[static_cast<std::size_t>(material_b)],
               pair_overrides, material_a, material_b);
  }
  // x_b - x_a, the nearest periodic image.
  Vec2d separation(Vec2d x_a, Vec2d x_b) const { return scree::separation(periodic, x_a, x_b); }
  Vec2d unwrapped(std::size_t body) const { return scree::unwrapped(periodic, bodies.x[body], bodies.image[body]); }
  // Moves a body into the periodic box and counts the periods in its image; unwrapped() does not change.
  void wrap(std::size_t body) {
    const Vec2d x = bodies.x[body];
    const bool in_x = !periodic.x || (x.x >= periodic.box.lo.x && x.x < periodic.box.hi.x);
    const bool in_y = !periodic.y || (x.y >= periodic.box.lo.y && x.y < periodic.box.hi.y);
    if (!in_x || !in_y) move_into_box(body);
  }
  // Something happened to a body: it does not sleep, nor does what it touches.
  void wake(std::size_t body) {
    if (body < quiet.size()) quiet[body] = 0;
  }
  void wake_all() { quiet.assign(quiet.size(), 0); }
  // Where a contact's force acts, for pictures and stress. It rides on B: r_B.n = arm_b, r_B x gap_x = gap_theta_b.
  Vec2d contact_point(const Contact& c) const;

 private:
  void move_into_box(std::size_t body);
};

// Which kinds of body each type has had, has or will have (insertions, released groups).
std::vector<TypeUse> type_use(const World& world);

// The (A, B, ratio) of every pair of types that can meet, so that the caller can get the maps from a cache and fill
// map_table: shape indices with a <= b, ratio = r_B / r_A.
struct MapNeed {
  int type_a = 0;
  int type_b = 0;
  double ratio = 1;
};
// One entry per distinct (shape A, shape B, ratio), ratios being the same to 1e-9; pairs of types that never move
// relative to each other are left out.
std::vector<MapNeed> needed_maps(const World& world);
// Enters `map` for every pair of types that shares `need`'s shapes and ratio.
void assign_map(World& world, const MapNeed& need, std::shared_ptr<const ContactMap> map);

}  // namespace scree
