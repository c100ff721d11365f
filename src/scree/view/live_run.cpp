#include "scree/view/live_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

constexpr const char* own_name = "viewer";  // of motions this file adds
constexpr double drop_clearance = 0.05;     // between dropped grains and everything else, in radii
constexpr int sites_per_grain = 8;          // tried before a place counts as full

double segment_distance(Vec2d p, Vec2d a, Vec2d b) {
  const Vec2d ab = b - a;
  const double length2 = norm2(ab);
  const double t = length2 > 0 ? std::clamp(dot(p - a, ab) / length2, 0.0, 1.0) : 0;
  return norm(p - a - t * ab);
}

double chain_distance(const Wall& wall, Vec2d p) {
  double least = 1e300;
  for (std::size_t k = 0; k + 1 < wall.points.size(); ++k)
    least = std::min(least, segment_distance(p, wall.points[k], wall.points[k + 1]));
  if (wall.closed && !wall.points.empty())
    least = std::min(least, segment_distance(p, wall.points.back(), wall.points.front()));
  return least - wall.radius;
}

bool moves(const Motion& motion, bool group, std::uint32_t index) {
  const std::vector<int>& targets = group ? motion.groups : motion.walls;
  return std::find(targets.begin(), targets.end(), static_cast<int>(index)) != targets.end();
}

// The points of a wall, in its own frame.
std::vector<Vec2d> points_of(const Wall& wall) {
  std::vector<Vec2d> out = wall.points;
  for (const Loop& loop : wall.outline.loops) out.insert(out.end(), loop.begin(), loop.end());
  return out;
}

Vec2d middle_of(const std::vector<Vec2d>& points) {
  if (points.empty()) return {};
  Vec2d lo = points.front(), hi = lo;
  for (const Vec2d p : points) {
    lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
    hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
  }
  return 0.5 * (lo + hi);
}

}  // namespace

double wall_distance(const Wall& wall, Vec2d x) {
  const Vec2d p = Rotation2d(-wall.pose.theta) * (x - wall.pose.x);
  switch (wall.kind) {
    case WallKind::half_plane:
      return dot(wall.normal, p);
    case WallKind::circle_inside:
      return wall.radius - norm(p);
    case WallKind::circle_outside:
      return norm(p) - wall.radius;
    case WallKind::polyline:
      return chain_distance(wall, p);
    case WallKind::outline:
      return nearest_boundary(wall.outline, p).distance;
  }
  return 0;
}

LiveRun::LiveRun(World world, const StepSettings& settings) : start_(std::move(world)), settings_(settings) {
  const std::vector<TypeUse> use = type_use(start_);
  for (std::size_t t = 0; t < use.size(); ++t)
    if (use[t].moving) droppable_.push_back(static_cast<std::uint32_t>(t));
  driven_groups_.assign(start_.groups.size(), 0);
  for (std::size_t k = 0; k < start_.bodies.size(); ++k)
    if (start_.bodies.kind[k] == BodyKind::kinematic) driven_groups_[start_.bodies.group[k]] = 1;
  for (const Insertion& in : start_.insertions)
    if (in.kind == BodyKind::kinematic) driven_groups_[static_cast<std::size_t>(in.group)] = 1;
  start_again();
}

void LiveRun::start_again() {
  simulation_.emplace(World(start_), settings_);
  simulation_->prepare();  // so that the first frame shows the first grains
}

double LiveRun::speed_limit() const {
  const double advised = simulation_->stats().advised_speed;
  return advised > 0 && std::isfinite(advised) ? advised : 1e12;
}

double LiveRun::gravity_limit() const { return speed_limit() / (100 * dt()); }

void LiveRun::apply(const SetGravity& command) {
  if (norm(command.value) > gravity_limit())
    throw Error(ErrorKind::input, "gravity", cat(norm(command.value), " is too strong for the time step"),
                cat("stay below ", gravity_limit(), ", or run the scene with a smaller step.dt"));
  World& world = simulation_->mutable_world();
  std::erase_if(world.events, [](const Event& e) { return e.done; });  // commands may be many
  Event event;
  event.time = world.time;
  event.action = Event::Action::set_gravity;
  event.gravity = command.value;
  const auto after = std::upper_bound(world.events.begin(), world.events.end(), event.time,
                                      [](double time, const Event& e) { return time < e.time; });
  world.events.insert(after, event);
}

Vec2d LiveRun::gravity() const {
  Vec2d value = world().gravity.at(world().time);
  for (const Event& e : world().events)
    if (e.action == Event::Action::set_gravity && !e.done && e.time <= world().time) value = e.gravity;
  return value;
}

// A command holds from the next step on.
void LiveRun::follow_command(Mover& m) const {
  for (const Motion& motion : world().motions) {
    if (motion.name != own_name || !motion.running || !moves(motion, m.group, m.index)) continue;
    m.turns = motion.kind == Motion::Kind::rotation;
    m.velocity = m.turns ? Vec2d{} : motion.velocity;
    m.spin = m.turns ? motion.omega : 0;
    if (m.turns) m.centre = motion.centre;
  }
}

Mover LiveRun::mover_of_wall(std::size_t w) const {
  const Wall& wall = world().walls[w];
  const std::vector<Vec2d> points = points_of(wall);
  Mover m;
  m.index = static_cast<std::uint32_t>(w);
  m.name = wall.name.empty() ? cat("wall ", w) : wall.name;
  m.velocity = wall.velocity;
  m.spin = wall.omega;
  m.centre = wall.pose * middle_of(points);
  for (const Motion& motion : world().motions)
    if (motion.kind == Motion::Kind::rotation && moves(motion, false, m.index))
      m.turns = true, m.centre = motion.centre;
  follow_command(m);
  for (const Vec2d p : points) m.reach = std::max(m.reach, norm(wall.pose * p - m.centre) + wall.radius);
  if (points.empty()) m.reach = norm(wall.pose.x - m.centre) + wall.radius;
  // An endless wall is as long as what it can touch.
  if (wall.kind == WallKind::half_plane)
    for (const Vec2d x : world().bodies.x) m.reach = std::max(m.reach, norm(x - m.centre));
  return m;
}

Mover LiveRun::mover_of_group(std::size_t g) const {
  Mover m;
  m.group = true;
  m.index = static_cast<std::uint32_t>(g);
  m.name = world().groups[g];
  const Bodies& b = world().bodies;
  std::vector<Vec2d> points;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.group[k] != g || b.kind[k] != BodyKind::kinematic) continue;
    points.push_back(b.x[k]);
    m.velocity = b.v[k];
    m.spin = b.omega[k];
  }
  m.centre = middle_of(points);
  for (const Motion& motion : world().motions)
    if (motion.kind == Motion::Kind::rotation && moves(motion, true, m.index)) m.turns = true, m.centre = motion.centre;
  if (m.turns) m.velocity = {};
  follow_command(m);
  for (const Vec2d x : points) m.reach = std::max(m.reach, norm(x - m.centre));
  return m;
}

std::vector<Mover> LiveRun::movers() const {
  std::vector<Mover> out;
  for (std::size_t w = 0; w < world().walls.size(); ++w) out.push_back(mover_of_wall(w));
  for (std::size_t g = 0; g < driven_groups_.size(); ++g)
    if (driven_groups_[g]) out.push_back(mover_of_group(g));
  return out;
}

void LiveRun::apply(const Drive& command) {
  const std::size_t count = command.group ? driven_groups_.size() : world().walls.size();
  if (command.index >= count || (command.group && !driven_groups_[command.index]))
    throw Error(ErrorKind::input, "drive",
                cat("there is no ", command.group ? "driven group " : "wall ", command.index),
                "the page lists what can be moved");
  const Mover mover = command.group ? mover_of_group(command.index) : mover_of_wall(command.index);
  const double reach = mover.reach + norm(command.centre - mover.centre);
  const double speed = command.turns ? std::abs(command.spin) * reach : norm(command.velocity);
  if (speed > speed_limit())
    throw Error(ErrorKind::input, "drive",
                cat("\"", mover.name, "\" would move at ", speed, ", too fast for the time step"),
                command.turns ? cat("stay below ", speed_limit() / std::max(reach, 1e-300), " rad a unit of time")
                              : cat("stay below ", speed_limit()));
  World& world = simulation_->mutable_world();
  const auto same = [&](const Motion& m) { return m.name == own_name && moves(m, command.group, command.index); };
  auto own = std::find_if(world.motions.begin(), world.motions.end(), same);
  if (own == world.motions.end()) {
    Motion motion;
    motion.name = own_name;
    (command.group ? motion.groups : motion.walls) = {static_cast<int>(command.index)};
    own = world.motions.insert(world.motions.end(), motion);
  }
  // The motion it followed so far ends here; the new one starts from where it is.
  for (Motion& other : world.motions)
    if (other.running && other.anchored && moves(other, command.group, command.index)) other.running = false;
  own->kind = command.turns ? Motion::Kind::rotation : Motion::Kind::constant;
  own->start = world.time;
  own->velocity = command.velocity;
  own->omega = command.spin;
  own->centre = command.centre;
  own->running = true;
  own->anchored = false;
}

// Sites around a point, nearest first, where a grain's bounding circle is clear of walls, grains and each other.
std::vector<Placement> LiveRun::free_sites(const Drop& command) const {
  const World& w = world();
  const double radius = w.types[command.grain].radius, clearance = drop_clearance * radius;
  const double pitch = 2 * radius + clearance;
  const int rings =
      static_cast<int>(std::ceil(std::sqrt(static_cast<double>(sites_per_grain * command.count) / 3))) + 1;
  std::vector<Vec2d> sites;
  for (int i = -rings; i <= rings; ++i)
    for (int j = -rings; j <= rings; ++j)
      sites.push_back(command.at + pitch * Vec2d{i + 0.5 * j, 0.5 * std::numbers::sqrt3 * j});
  const auto distance = [&](Vec2d x) { return norm2(x - command.at); };
  std::sort(sites.begin(), sites.end(), [&](Vec2d a, Vec2d b) { return distance(a) < distance(b); });
  std::vector<std::size_t> near;
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    const double reach = (2 * rings + 1) * pitch + w.types[w.bodies.type[k]].radius;
    if (norm2(w.separation(command.at, w.bodies.x[k])) < reach * reach) near.push_back(k);
  }
  const auto is_free = [&](Vec2d x) {
    if (!w.bounds.contains(x)) return false;
    if (w.periodic.x && (x.x < w.periodic.box.lo.x || x.x >= w.periodic.box.hi.x)) return false;
    if (w.periodic.y && (x.y < w.periodic.box.lo.y || x.y >= w.periodic.box.hi.y)) return false;
    for (const Wall& wall : w.walls)
      if (wall.active && wall_distance(wall, x) < radius + clearance) return false;
    return std::all_of(near.begin(), near.end(), [&](std::size_t k) {
      const double least = radius + w.types[w.bodies.type[k]].radius + clearance;
      return norm2(w.separation(x, w.bodies.x[k])) >= least * least;
    });
  };
  Rng rng(drops_, 0xd509, 0);
  std::vector<Placement> out;
  for (const Vec2d x : sites) {
    if (out.size() == static_cast<std::size_t>(command.count)) break;
    if (is_free(x))
      out.push_back({static_cast<int>(command.grain), x, rng.uniform(-std::numbers::pi, std::numbers::pi), {}, 0});
  }
  return out;
}

std::size_t LiveRun::apply(const Drop& command) {
  if (std::find(droppable_.begin(), droppable_.end(), command.grain) == droppable_.end())
    throw Error(ErrorKind::input, "drop", cat("grain ", command.grain, " cannot be dropped"),
                "only kinds of grain that move in the scene have contact maps");
  const std::vector<Placement> sites = free_sites(command);
  if (sites.empty()) throw Error(ErrorKind::input, "drop", "there is no room", "click where there is free space");
  ++drops_;
  simulation_->change([&](World& w) {
    for (const Placement& p : sites) w.add_body(p.type, 0, BodyKind::moving, p.x, p.theta);
  });
  return sites.size();
}

}  // namespace scree
