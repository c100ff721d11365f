#include "scree/step/device_run.hpp"

#include <algorithm>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/step/drive.hpp"

namespace scree {

namespace {

gpu::StepInput input_of(const World& world) {
  gpu::StepInput in;
  in.script = {world.gravity.at(world.time), world.time};
  for (const Wall& wall : world.walls)
    in.walls.push_back({wall.pose, Rotation2d(wall.pose.theta), wall.velocity, wall.omega});
  const Bodies& b = world.bodies;
  if (std::ranges::none_of(world.motions, [](const Motion& m) { return !m.groups.empty(); })) return in;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.kind[k] == BodyKind::kinematic) in.driven.push_back({b.x[k], b.theta[k], b.v[k], b.omega[k], b.image[k]});
  }
  return in;
}

// All that is to come, but not more than an eighth of what is there.
std::size_t room_for_rain(const World& world) {
  return rain_to_come(world, std::max(DeviceRun::least_room, world.bodies.size() / 8));
}

}  // namespace

// What looking ahead changes.
struct DeviceRun::Before {
  double time;
  std::vector<Motion> motions;
  std::vector<Wall> walls;
  std::vector<Pose2d> anchors;

  explicit Before(const World& w) : time(w.time), motions(w.motions), walls(w.walls) {
    if (!w.motions.empty()) anchors = w.anchors;
  }
  void restore(World& w) const {
    w.time = time;
    w.motions = motions;
    w.walls = walls;
    if (!motions.empty()) w.anchors = anchors;
  }
};

bool DeviceRun::host_is_due(const World& world) const {
  return world.step == 0 || changes_due(world) || !coming_rain(world, settings_.dt).simple;
}

// What a step of the CPU begins with, where nothing but rain is due.
void DeviceRun::let_it_rain(World& world) {
  const Rain rain = coming_rain(world, settings_.dt);
  if (rain.most == 0) return;
  if (engine_->room() < rain.most) {
    fetch(world);
    engine_->upload(world, room_for_rain(world) + rain.most);
    host_is_newer_ = false;
  }
  const std::vector<std::uint32_t> in_the_way = engine_->find(rain.regions, world);
  const std::size_t before = world.bodies.size();
  if (!apply_rain(world, settings_.dt, in_the_way)) return;
  engine_->append(world, before);
  device_is_newer_ = true;
}

// Motions at the beginning of every step, up to one that is for the CPU, and at the end of the last.
std::vector<gpu::StepInput> DeviceRun::look_ahead(World& world, std::size_t steps) const {
  std::vector<gpu::StepInput> inputs{input_of(world)};
  while (inputs.size() <= steps) {
    world.time = time_at(world, inputs.size());
    apply_motions(world);
    inputs.push_back(input_of(world));
    if (changes_due(world) || rain_due(world, settings_.dt)) break;
  }
  return inputs;
}

gpu::Outcome DeviceRun::advance(World& world, std::size_t most) {
  if (host_is_newer_) engine_->upload(world, room_for_rain(world));
  host_is_newer_ = false;
  let_it_rain(world);
  const Before before(world);
  // What leaves takes its energy with it, which depends on where gravity points by then.
  const bool look_each_time = world.gravity.turn_rate != 0 && !world.deletion_zones.empty();
  const std::vector<gpu::StepInput> inputs = look_ahead(world, look_each_time ? 1 : std::min(most, most_at_once));
  const gpu::Outcome outcome = engine_->advance(inputs);
  device_is_newer_ = true;
  if (outcome.steps + 1 < inputs.size()) {
    before.restore(world);
    look_ahead(world, outcome.steps);
  }
  world.step += outcome.steps;
  book(world, outcome);
  if (look_each_time || outcome.crowded) fetch(world);
  if (outcome.crowded) {
    throw Error(ErrorKind::physics, cat("t = ", world.time, ", step ", world.step),
                "two grains touch in more places at once than the GPU keeps track of",
                "use fewer nodes or discs (maps.star_nodes, maps.clump_discs), or device = \"cpu\"");
  }
  return outcome;
}

void DeviceRun::book(World& world, const gpu::Outcome& outcome) const {
  Ledger& l = world.ledger;
  l.normal_damping = outcome.work.normal_damping;
  l.friction = outcome.work.friction;
  l.rotational_damping = outcome.work.rotational;
  l.wall_work = outcome.work.wall;
  l.gravity_work = outcome.work.gravity;
  l.moved = outcome.work.moved;
  l.inserted += outcome.work.brought;
  l.elastic = outcome.work.held;  // of large steps; else Simulation::energy() tells
}

void DeviceRun::fetch(World& world) {
  if (!device_is_newer_) return;
  device_is_newer_ = false;
  const std::vector<std::uint8_t> taken = engine_->download(world);
  if (std::ranges::none_of(taken, [](std::uint8_t t) { return t != 0; })) return;
  for (std::size_t k = 0; k < taken.size(); ++k) {
    if (!taken[k]) continue;
    const auto holds = [&](const DeletionZone& z) { return z.box.contains(world.bodies.x[k]) != z.outside; };
    const auto zone = std::ranges::find_if(world.deletion_zones, holds);
    if (zone != world.deletion_zones.end()) ++zone->deleted;
  }
  remove_bodies(world, taken);
  host_is_newer_ = true;
}

}  // namespace scree
