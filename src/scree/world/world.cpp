#include "scree/world/world.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

int World::add_type(GrainType type) {
  const Shape& shape = *shapes[static_cast<std::size_t>(type.shape)];
  const double density = materials[static_cast<std::size_t>(type.material)].density;
  const double r2 = type.radius * type.radius;
  type.mass = density * shape.area * r2;
  type.inertia = density * shape.polar_moment * r2 * r2;
  type.thinnest = shape.thinnest * type.radius;
  types.push_back(std::move(type));
  return static_cast<int>(types.size()) - 1;
}

std::uint32_t World::add_body(int type, int group, BodyKind kind, Vec2d x, double theta, Vec2d v, double omega) {
  const std::uint32_t id = next_id++;
  bodies.append(id, static_cast<std::uint16_t>(type), static_cast<std::uint16_t>(group), kind, x, theta, v, omega);
  anchors.push_back({theta, x});
  return id;
}

namespace {

// Order within a pair: lower shape index, then larger radius.
int compare_types(const GrainType& a, const GrainType& b) {
  if (a.shape != b.shape) return a.shape < b.shape ? -1 : 1;
  if (a.radius != b.radius) return a.radius > b.radius ? -1 : 1;
  return 0;
}

}  // namespace

std::vector<TypeUse> type_use(const World& world) {
  std::vector<TypeUse> use = world.first_use;
  use.resize(world.types.size());
  const auto mark = [&](int type, BodyKind kind) {
    TypeUse& u = use[static_cast<std::size_t>(type)];
    (kind == BodyKind::moving ? u.moving : u.driven) = true;
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) mark(world.bodies.type[i], world.bodies.kind[i]);
  for (const Insertion& in : world.insertions) {
    for (const MixtureEntry& m : in.mixture) mark(m.type, in.kind);
    for (const int type : in.sequence) mark(type, in.kind);
    for (const Placement& p : in.list) mark(p.type, in.kind);
  }
  for (const Event& e : world.events) {
    // A released group may turn any driven type into a moving one.
    if (e.action != Event::Action::release_group) continue;
    for (TypeUse& u : use) u.moving = u.moving || u.driven;
  }
  return use;
}

bool World::in_order(int type_i, int type_j, std::size_t i, std::size_t j) const {
  const int order = compare_types(types[static_cast<std::size_t>(type_i)], types[static_cast<std::size_t>(type_j)]);
  return order != 0 ? order < 0 : i < j;
}

void World::move_into_box(std::size_t body) {
  Vec2d& x = bodies.x[body];
  std::array<std::int32_t, 2>& image = bodies.image[body];
  if (periodic.x) wrap_axis(periodic.box.lo.x, periodic.box.hi.x, x.x, image[0]);
  if (periodic.y) wrap_axis(periodic.box.lo.y, periodic.box.hi.y, x.y, image[1]);
}

Vec2d World::contact_point(const Contact& c) const {
  const Vec2d x_b = bodies.x[c.b];
  if (c.normal == Vec2d{}) return x_b + 0.5 * separation(x_b, bodies.x[c.a]);
  return x_b + c.arm_b * c.normal - (c.gap_theta_b / norm(c.gap_x)) * perp(c.normal);
}

namespace {

// 0.3 / 0.1 and 0.9 / 0.3 differ in the last bit and are one ratio.
bool same_ratio(double a, double b) { return std::abs(a - b) <= 1e-9 * a; }

}  // namespace

std::vector<MapNeed> needed_maps(const World& world) {
  const std::vector<TypeUse> use = type_use(world);
  std::vector<MapNeed> needs;
  const auto shape_of = [&](int type) { return world.types[static_cast<std::size_t>(type)].shape; };
  const auto same = [&](const MapNeed& m, const MapNeed& n) {
    return shape_of(m.type_a) == shape_of(n.type_a) && shape_of(m.type_b) == shape_of(n.type_b) &&
           same_ratio(m.ratio, n.ratio);
  };
  const auto meets = [&](std::size_t i, std::size_t j) {
    return (use[i].moving && (use[j].moving || use[j].driven)) || (use[j].moving && use[i].driven);
  };
  for (std::size_t i = 0; i < world.types.size(); ++i) {
    for (std::size_t j = i; j < world.types.size(); ++j) {
      if (!meets(i, j)) continue;
      const bool ordered = compare_types(world.types[i], world.types[j]) <= 0;
      const std::size_t a = ordered ? i : j;
      const std::size_t b = ordered ? j : i;
      const MapNeed need{static_cast<int>(a), static_cast<int>(b), world.types[b].radius / world.types[a].radius};
      const bool known = std::any_of(needs.begin(), needs.end(), [&](const MapNeed& n) { return same(n, need); });
      if (!known) needs.push_back(need);
    }
  }
  return needs;
}

void assign_map(World& world, const MapNeed& need, std::shared_ptr<const ContactMap> map) {
  const std::size_t n = world.types.size();
  world.map_table.resize(n * n);
  const int shape_a = world.types[static_cast<std::size_t>(need.type_a)].shape;
  const int shape_b = world.types[static_cast<std::size_t>(need.type_b)].shape;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (compare_types(world.types[i], world.types[j]) > 0) continue;
      if (world.types[i].shape != shape_a || world.types[j].shape != shape_b) continue;
      if (!same_ratio(world.types[j].radius / world.types[i].radius, need.ratio)) continue;
      const MapRef ref{map.get(), world.types[i].radius};
      world.map_table[i * n + j] = ref;
      world.map_table[j * n + i] = ref;
    }
  }
  world.maps.push_back(std::move(map));
}

}  // namespace scree
