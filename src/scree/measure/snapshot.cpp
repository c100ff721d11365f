#include "scree/measure/snapshot.hpp"

#include <cmath>

namespace scree {

Vec2d Snapshot::separation(Vec2d x_a, Vec2d x_b) const {
  Vec2d d = x_b - x_a;
  if (periodic.x) d.x -= period().x * std::round(d.x / period().x);
  if (periodic.y) d.y -= period().y * std::round(d.y / period().y);
  return d;
}

Snapshot snapshot_of(const World& world) {
  const Bodies& b = world.bodies;
  Snapshot s;
  s.time = world.time;
  for (const auto& shape : world.shapes) s.shapes.push_back(shape.get());
  s.types = world.types;
  s.groups = world.groups;
  s.periodic = world.periodic;
  s.id = b.id;
  s.type = b.type;
  s.group = b.group;
  s.kind = b.kind;
  s.x = b.x;
  s.theta = b.theta;
  s.v = b.v;
  s.omega = b.omega;
  s.contacts.reserve(world.contacts.size());
  for (const Contact& c : world.contacts)
    s.contacts.push_back(
        {c.a, c.b, c.wall, world.contact_point(c), c.normal, c.normal_force * norm(c.gap_x), c.tangential_force});
  return s;
}

}  // namespace scree
