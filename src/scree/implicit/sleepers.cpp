#include "scree/implicit/sleepers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace scree {

namespace {

// A grain thrown up stays within `way` of one place for 4 sqrt(way / g): quiet must be longer than that.
double least_time(double way, double g) { return 4 * std::sqrt(way / g); }

}  // namespace

std::uint32_t Sleepers::root(std::uint32_t body) {
  while (island_[body] != body) body = island_[body] = island_[island_[body]];
  return body;
}

void Sleepers::count_quiet(World& world, const TypeTables& tables, double dt, double speed) {
  const Bodies& b = world.bodies;
  const std::size_t known = world.quiet.size();
  world.quiet.resize(b.size(), 0);
  world.quiet_at.resize(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double radius = tables.radius(b.type[k]);
    Pose2d& at = world.quiet_at[k];
    const double way = norm(world.separation(at.x, b.x[k])) + radius * std::abs(b.theta[k] - at.theta);
    const bool fast = norm(b.v[k]) + radius * std::abs(b.omega[k]) > speed;
    if (k >= known || way > way_ || fast || b.kind[k] != BodyKind::moving) {
      at = {b.theta[k], b.x[k]};
      world.quiet[k] = 0;
    } else {
      world.quiet[k] += dt;
    }
  }
}

// The lowest body of an island stands for it.
void Sleepers::find_islands(const World& world) {
  const Bodies& b = world.bodies;
  island_.resize(b.size());
  std::iota(island_.begin(), island_.end(), 0u);
  for (std::size_t k = 0; k < world.pair_contacts; ++k) {
    const Contact& c = world.contacts[k];
    if (b.kind[c.a] != BodyKind::moving || b.kind[c.b] != BodyKind::moving) continue;
    const std::uint32_t p = root(c.a), q = root(c.b);
    island_[std::max(p, q)] = std::min(p, q);
  }
  for (std::uint32_t k = 0; k < b.size(); ++k) island_[k] = root(k);
}

void Sleepers::start(World& world, const TypeTables& tables, double dt, double speed) {
  Bodies& b = world.bodies;
  asleep_.assign(b.size(), 0);
  if (time_ <= 0) {
    world.quiet.clear(), world.quiet_at.clear();
    return;
  }
  // Without gravity nothing would show that a grain hangs in the air; gravity that turns loads everything anew.
  const double g = norm(world.gravity.at(world.time));
  if (g <= 0 || world.gravity.turn_rate != 0) return world.wake_all();
  count_quiet(world, tables, dt, speed);
  find_islands(world);
  // All of an island count from when the last of them moved: it may have taken away what held another.
  for (std::size_t k = 0; k < b.size(); ++k)
    world.quiet[island_[k]] = std::min(world.quiet[island_[k]], world.quiet[k]);
  for (std::size_t k = 0; k < b.size(); ++k) world.quiet[k] = world.quiet[island_[k]];
  // A grain that nothing touches is not at rest, whatever it looks like.
  const double time = std::max(time_, least_time(way_, g));
  const auto rest = [&](std::uint32_t body) { asleep_[body] = world.quiet[body] >= time; };
  for (const Contact& c : world.contacts) {
    rest(c.b);
    if (c.a != no_body) rest(c.a);
  }
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (asleep_[k]) b.v[k] = {}, b.omega[k] = 0;
  }
}

void Sleepers::hold(SolverBodies& bodies) const {
  for (std::size_t k = 0; k < asleep_.size(); ++k) {
    if (asleep_[k]) bodies.moves[k] = 0;
  }
}

bool Sleepers::wake(const std::vector<Link>& links, double speed, SolverBodies& bodies, World& world) {
  if (count() == 0) return false;
  std::vector<std::uint8_t> struck;  // by the body that stands for an island
  const auto strike = [&](std::uint32_t sleeper, std::uint32_t by) {
    if (sleeper >= asleep_.size() || !asleep_[sleeper]) return;
    if (bodies.moves[by] ? bodies.speed(by) <= speed : bodies.rests(by)) return;
    struck.resize(asleep_.size(), 0);
    struck[island_[sleeper]] = 1;
  };
  for (const Link& link : links) {
    strike(link.a, link.b);
    strike(link.b, link.a);
  }
  for (std::size_t k = 0; k < struck.size(); ++k) {
    if (!asleep_[k] || !struck[island_[k]]) continue;
    asleep_[k] = 0;
    bodies.moves[k] = 1;
    world.quiet[k] = 0;
  }
  return !struck.empty();
}

std::size_t Sleepers::count() const { return static_cast<std::size_t>(std::ranges::count(asleep_, 1)); }

}  // namespace scree
