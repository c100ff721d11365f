#include "scree/record/frame.hpp"

#include <algorithm>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

Statics statics_of(const World& world, std::string run_json) {
  Statics s;
  s.run_json = std::move(run_json);
  for (const auto& shape : world.shapes) s.shapes.push_back(*shape);
  s.types = world.types;
  s.materials = world.materials;
  s.groups = world.groups;
  s.walls = world.walls;
  s.periodic = world.periodic;
  return s;
}

Frame frame_of(const World& world) {
  const Bodies& b = world.bodies;
  Frame f;
  f.time = world.time;
  f.step = world.step;
  f.gravity = world.gravity.at(world.time);
  f.ledger = world.ledger;
  f.id = b.id;
  f.type = b.type;
  f.group = b.group;
  f.kind = b.kind;
  f.x = b.x;
  f.theta = b.theta;
  f.v = b.v;
  f.omega = b.omega;
  f.contacts.reserve(world.contacts.size());
  for (const Contact& c : world.contacts) {
    const auto id_of = [&](std::uint32_t body) { return body < b.size() ? b.id[body] : no_body; };
    f.contacts.push_back(
        {id_of(c.a), id_of(c.b), c.wall, c.point, c.normal, c.normal_force * norm(c.gap_x), c.tangential_force});
  }
  for (const Wall& w : world.walls) {
    f.wall_pose.push_back(w.pose);
    f.wall_active.push_back(w.active ? 1 : 0);
  }
  return f;
}

Snapshot snapshot_of(const Statics& statics, const Frame& f) {
  Snapshot s;
  s.time = f.time;
  for (const Shape& shape : statics.shapes) s.shapes.push_back(&shape);
  s.types = statics.types;
  s.groups = statics.groups;
  s.periodic = statics.periodic;
  s.id = f.id;
  s.type = f.type;
  s.group = f.group;
  s.kind = f.kind;
  s.x = f.x;
  s.theta = f.theta;
  s.v = f.v;
  s.omega = f.omega;
  const auto require = [&](bool fine, const char* problem) {
    if (!fine) throw Error(ErrorKind::input, cat("frame at t = ", f.time), problem, "the file is damaged; run again");
  };
  for (const std::uint16_t group : f.group) require(group < s.groups.size(), "a grain is of a group that is missing");
  const auto index_of = [&](std::uint32_t id) {
    const auto it = std::ranges::lower_bound(f.id, id);
    require(it != f.id.end() && *it == id, "a contact names a grain that is missing");
    return static_cast<std::uint32_t>(it - f.id.begin());
  };
  s.contacts.reserve(f.contacts.size());
  for (const FrameContact& c : f.contacts)
    s.contacts.push_back({c.a == no_body ? no_body : index_of(c.a), index_of(c.b), c.wall, c.point, c.normal,
                          c.normal_force, c.tangential_force});
  return s;
}

}  // namespace scree
