#include "scree/step/drive.hpp"

#include <algorithm>

#include "scree/step/energy.hpp"

namespace scree {

namespace {

// Kinematic bodies of a group, and the walls, take the state of their motion.
void follow(World& world, const Motion& motion) {
  const MotionState state = motion_state(motion, world.time);
  for (const int w : motion.walls) {
    Wall& wall = world.walls[static_cast<std::size_t>(w)];
    wall.pose = state.apply(wall.anchor);
    wall.velocity = state.velocity_at(wall.pose.x);
    wall.omega = state.omega;
  }
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (world.bodies.kind[k] != BodyKind::kinematic) continue;
    if (std::find(motion.groups.begin(), motion.groups.end(), world.bodies.group[k]) == motion.groups.end()) continue;
    const Pose2d pose = state.apply(world.anchors[k]);
    world.bodies.x[k] = pose.x;
    world.bodies.image[k] = {0, 0};
    world.wrap(k);
    world.bodies.theta[k] = pose.theta;
    world.bodies.v[k] = state.velocity_at(pose.x);
    world.bodies.omega[k] = state.omega;
  }
}

void halt(World& world, const Motion& motion) {
  for (const int w : motion.walls) {
    world.walls[static_cast<std::size_t>(w)].velocity = {};
    world.walls[static_cast<std::size_t>(w)].omega = 0;
  }
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (world.bodies.kind[k] != BodyKind::kinematic) continue;
    if (std::find(motion.groups.begin(), motion.groups.end(), world.bodies.group[k]) == motion.groups.end()) continue;
    world.bodies.v[k] = {};
    world.bodies.omega[k] = 0;
  }
}

bool share_targets(const Motion& a, const Motion& b) {
  const auto meet = [](const std::vector<int>& p, const std::vector<int>& q) {
    return std::find_first_of(p.begin(), p.end(), q.begin(), q.end()) != p.end();
  };
  return meet(a.walls, b.walls) || meet(a.groups, b.groups);
}

// A motion moves things relative to where they are when it starts, and takes them over from any other that moved them.
void anchor(World& world, Motion& motion) {
  for (Motion& other : world.motions) {
    if (&other == &motion || !other.running || !other.anchored || !share_targets(motion, other)) continue;
    halt(world, other);
    other.running = false;
  }
  motion.anchored = true;
  for (const int w : motion.walls)
    world.walls[static_cast<std::size_t>(w)].anchor = world.walls[static_cast<std::size_t>(w)].pose;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (std::find(motion.groups.begin(), motion.groups.end(), world.bodies.group[k]) != motion.groups.end()) {
      world.anchors[k] = {world.bodies.theta[k], world.unwrapped(k)};
    }
  }
}

void set_gravity(World& world, Vec2d value) {
  const auto potential = [&] {
    double sum = 0;
    const Vec2d g = world.gravity.at(world.time);
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
      if (world.bodies.kind[k] == BodyKind::moving)
        sum -= world.types[world.bodies.type[k]].mass * dot(g, world.unwrapped(k));
    }
    return sum;
  };
  const double before = potential();
  world.gravity.value = value;
  world.gravity.since = world.time;
  world.ledger.gravity_work += potential() - before;
}

bool release_groups(World& world, const Event& event) {
  bool changed = false;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (world.bodies.kind[k] == BodyKind::moving) continue;
    if (std::find(event.targets.begin(), event.targets.end(), world.bodies.group[k]) == event.targets.end()) continue;
    world.bodies.kind[k] = BodyKind::moving;
    world.ledger.inserted += body_energy(world, k);
    changed = true;
  }
  return changed;
}

bool remove_groups(World& world, const Event& event) {
  std::vector<std::uint8_t> dead(world.bodies.size(), 0);
  for (std::size_t k = 0; k < dead.size(); ++k) {
    dead[k] = std::find(event.targets.begin(), event.targets.end(), world.bodies.group[k]) != event.targets.end();
  }
  if (std::find(dead.begin(), dead.end(), 1) == dead.end()) return false;
  remove_bodies(world, dead);
  return true;
}

// The springs of a wall that goes away take their energy with them.
void drop_wall_contacts(World& world, int wall) {
  const auto gone = [&](const Contact& c) { return c.a == no_body && c.wall == wall; };
  for (const Contact& c : world.contacts) {
    if (!gone(c)) continue;
    world.ledger.inserted -= contact_energy(world, c);
    world.wake(c.b);
  }
  std::erase_if(world.contacts, gone);
}

bool carry_out(World& world, Event& event) {
  switch (event.action) {
    case Event::Action::remove_wall:
      for (const int w : event.targets) {
        world.walls[static_cast<std::size_t>(w)].active = false;
        drop_wall_contacts(world, w);
      }
      return false;
    case Event::Action::add_wall:
      for (const int w : event.targets) world.walls[static_cast<std::size_t>(w)].active = true;
      world.wake_all();
      return false;
    case Event::Action::set_gravity:
      set_gravity(world, event.gravity);
      world.wake_all();
      return false;
    case Event::Action::start_motion:
      for (const int m : event.targets) {
        Motion& motion = world.motions[static_cast<std::size_t>(m)];
        motion.anchored = false;
        motion.start = event.time;
        motion.running = true;
      }
      return false;
    case Event::Action::stop_motion:
      for (const int m : event.targets) {
        world.motions[static_cast<std::size_t>(m)].running = false;
        halt(world, world.motions[static_cast<std::size_t>(m)]);
      }
      return false;
    case Event::Action::insert:
      for (const int i : event.targets) {
        world.insertions[static_cast<std::size_t>(i)].enabled = true;
        world.insertions[static_cast<std::size_t>(i)].start = event.time;
      }
      return false;
    case Event::Action::remove_group:
      return remove_groups(world, event);
    case Event::Action::release_group:
      return release_groups(world, event);
  }
  return false;
}

}  // namespace

void apply_motions(World& world) {
  for (Motion& motion : world.motions) {
    if (!motion.running || world.time < motion.start) continue;
    if (!motion.anchored) anchor(world, motion);
    follow(world, motion);
    motion.running = world.time - motion.start < motion.duration;
  }
}

namespace {

// Rounding of n * dt must not put an event off by a step.
bool reached(const World& world, double time) { return time <= world.time + 1e-12 * std::max(1.0, world.time); }

}  // namespace

bool changes_due(const World& world) {
  return std::any_of(world.events.begin(), world.events.end(),
                     [&](const Event& e) { return !e.done && reached(world, e.time); }) ||
         std::any_of(world.insertions.begin(), world.insertions.end(), [&](const Insertion& in) {
           return in.enabled && !in.finished && in.method != Insertion::Method::rain && reached(world, in.start);
         });
}

bool apply_events(World& world) {
  bool changed = false;
  for (Event& event : world.events) {
    if (event.done || !reached(world, event.time)) continue;
    changed = carry_out(world, event) || changed;
    event.done = true;
  }
  return changed;
}

bool apply_deletions(World& world) {
  if (world.deletion_zones.empty()) return false;
  std::vector<std::uint8_t> dead(world.bodies.size(), 0);
  bool any = false;
  for (DeletionZone& zone : world.deletion_zones) {
    for (std::size_t k = 0; k < dead.size(); ++k) {
      if (dead[k] || world.bodies.kind[k] != BodyKind::moving) continue;
      if (zone.box.contains(world.bodies.x[k]) == zone.outside) continue;
      dead[k] = 1;
      ++zone.deleted;
      any = true;
    }
  }
  if (any) remove_bodies(world, dead);
  return any;
}

void remove_bodies(World& world, const std::vector<std::uint8_t>& dead) {
  std::vector<std::uint32_t> new_index(dead.size());
  std::uint32_t kept = 0;
  for (std::size_t k = 0; k < dead.size(); ++k) {
    new_index[k] = kept;
    if (dead[k]) world.ledger.inserted -= body_energy(world, k);
    kept += dead[k] ? 0 : 1;
  }
  const auto gone = [&](const Contact& c) { return dead[c.b] || (c.a != no_body && dead[c.a]); };
  for (const Contact& c : world.contacts) {
    if (!gone(c)) continue;
    world.ledger.inserted -= contact_energy(world, c);
    world.wake(c.b);
    if (c.a != no_body) world.wake(c.a);
  }
  std::erase_if(world.contacts, gone);
  world.pair_contacts = 0;
  for (Contact& c : world.contacts) {
    c.b = new_index[c.b];
    if (c.a == no_body) continue;
    c.a = new_index[c.a];
    ++world.pair_contacts;
  }
  std::erase_if(world.links, [&](const Link& l) { return dead[l.a] || dead[l.b]; });
  for (Link& l : world.links) l.a = new_index[l.a], l.b = new_index[l.b];
  const auto remove_dead = [&](auto& of_bodies) {
    std::size_t k = 0;
    std::erase_if(of_bodies, [&](const auto&) { return dead[k++] != 0; });
  };
  remove_dead(world.linked_at);
  remove_dead(world.anchors);
  remove_dead(world.quiet);
  remove_dead(world.quiet_at);
  world.bodies.remove(dead);
}

}  // namespace scree
