#include "scree/record/frame.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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
    f.contacts.push_back({id_of(c.a), id_of(c.b), c.wall, world.contact_point(c), c.normal,
                          c.normal_force * norm(c.gap_x), c.tangential_force});
  }
  for (const Wall& w : world.walls) {
    f.wall_pose.push_back(w.pose);
    f.wall_active.push_back(w.active ? 1 : 0);
  }
  return f;
}

namespace {

bool finite(double value) { return std::isfinite(value); }
bool finite(Vec2d v) { return std::isfinite(v.x) && std::isfinite(v.y); }
bool positive(double value) { return std::isfinite(value) && value > 0; }

// What a frame of a damaged file may get wrong. Measures trust the numbers they are given.
class FrameCheck {
 public:
  FrameCheck(const Statics& statics, const Frame& frame) : statics_(statics), f_(frame) {}

  void all() const {
    require(finite(f_.time), "frames/time is not finite");
    types();
    grains();
    contacts();
  }
  void require(bool fine, const std::string& problem) const {
    if (!fine) throw Error(ErrorKind::input, cat("frame at t = ", f_.time), problem, "the file is damaged; run again");
  }

 private:
  template <class Values>
  void require_finite(const Values& values, const char* name) const {
    require(std::ranges::all_of(values, [](const auto& v) { return finite(v); }), cat(name, " is not finite"));
  }

  void types() const {
    const Vec2d period = statics_.periodic.box.hi - statics_.periodic.box.lo;
    for (const GrainType& t : statics_.types) {
      const bool sound = positive(t.radius) && positive(t.mass) && positive(t.inertia);
      require(sound, cat("radius, mass or inertia of grain \"", t.name, "\" is not a positive number"));
      const bool fits = (!statics_.periodic.x || 2 * t.radius <= period.x) &&  // false for a period that is no number
                        (!statics_.periodic.y || 2 * t.radius <= period.y);
      require(fits && finite(period), cat("grain \"", t.name, "\" is wider than the periodic cell"));
    }
    for (const Shape& shape : statics_.shapes)
      require(positive(shape.area), cat("the area of shape \"", shape.name, "\" is not a positive number"));
  }

  void grains() const {
    const bool ascending = std::ranges::adjacent_find(f_.id, std::greater_equal()) == f_.id.end();
    require(ascending && (f_.id.empty() || f_.id.back() != no_body), "grains/id is not in order");
    for (const std::uint16_t group : f_.group)
      require(group < statics_.groups.size(), "a grain is of a group that is missing");
    require_finite(f_.x, "grains/x");
    require_finite(f_.theta, "grains/theta");
    require_finite(f_.v, "grains/v");
    require_finite(f_.omega, "grains/omega");
  }

  void contacts() const {
    for (const FrameContact& c : f_.contacts) {
      require(finite(c.point), "contacts/point is not finite");
      require(finite(c.normal), "contacts/normal is not finite");
      require(finite(c.normal_force), "contacts/normal_force is not finite");
      require(finite(c.tangential_force), "contacts/tangential_force is not finite");
      require(c.a != no_body || c.wall >= 0, "a contact names a wall that is missing");
    }
  }

  const Statics& statics_;
  const Frame& f_;
};

}  // namespace

Snapshot snapshot_of(const Statics& statics, const Frame& f) {
  const FrameCheck check(statics, f);
  check.all();
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
  const auto index_of = [&](std::uint32_t id) {
    const auto it = std::ranges::lower_bound(f.id, id);
    check.require(it != f.id.end() && *it == id, "a contact names a grain that is missing");
    return static_cast<std::uint32_t>(it - f.id.begin());
  };
  s.contacts.reserve(f.contacts.size());
  for (const FrameContact& c : f.contacts)
    s.contacts.push_back({c.a == no_body ? no_body : index_of(c.a), index_of(c.b), c.wall, c.point, c.normal,
                          c.normal_force, c.tangential_force});
  return s;
}

}  // namespace scree
