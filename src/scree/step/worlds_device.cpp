// Worlds side by side in the engine of a device.
#include <algorithm>
#include <cmath>

#include "scree/base/text.hpp"
#include "scree/step/device_run.hpp"
#include "scree/step/drive.hpp"
#include "scree/step/resolve.hpp"
#include "scree/step/watchdog.hpp"
#include "scree/step/worlds_backend.hpp"

namespace scree {

namespace {

// What the host knows of a world between steps: time, gravity, walls, motions, and the bodies that follow a motion.
World rig_of(const World& world) {
  World rig;
  rig.groups = world.groups;
  rig.walls = world.walls;
  rig.motions = world.motions;
  rig.gravity = world.gravity;
  rig.periodic = world.periodic;
  rig.time = world.time;
  rig.step = world.step;
  const Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.kind[k] != BodyKind::kinematic) continue;
    const std::size_t own =
        rig.bodies.append(b.id[k], b.type[k], b.group[k], b.kind[k], b.x[k], b.theta[k], b.v[k], b.omega[k]);
    rig.bodies.image[own] = b.image[k];
    rig.anchors.push_back(world.anchors[k]);
  }
  return rig;
}

void put_rig(const World& rig, World& world) {
  world.walls = rig.walls;
  world.motions = rig.motions;
  world.gravity = rig.gravity;
  world.time = rig.time;
  world.step = rig.step;
  std::size_t own = 0;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (world.bodies.kind[k] == BodyKind::kinematic) world.anchors[k] = rig.anchors[own++];
  }
}

// A motion of walls that the device follows by itself.
bool glides(const Motion& m) {
  return m.anchored && (m.kind == Motion::Kind::constant || m.kind == Motion::Kind::rotation) && m.ramp == 0 &&
         m.duration >= 1e300 && m.groups.empty();
}

bool must_be_laid_down(const World& rig) {
  return (rig.gravity.turn_rate != 0 && rig.gravity.value != Vec2d{}) ||
         std::ranges::any_of(rig.motions, [](const Motion& m) { return m.running && !glides(m); });
}

bool moves_bodies(const World& rig) {
  return std::ranges::any_of(rig.motions, [](const Motion& m) { return !m.groups.empty(); });
}

class DeviceWorlds final : public WorldsBackend {
 public:
  DeviceWorlds(const World& first, std::size_t count, const StepSettings& settings, double advised_speed)
      : settings_(settings),
        pool_(settings.threads),
        advised_speed_(advised_speed),
        engine_(many_engine_for(first, count, settings, advised_speed)),
        tables_(first),
        overlaps_(first, tables_),
        rigs_(count),
        origin_(count, 0),
        since_(count, 0),
        stopped_(count, 0) {}

  void keep(const World& state) override {
    states_.push_back(state);
    rigs_of_states_.push_back(rig_of(state));
    World start = state;
    // The first step of symplectic Euler begins with finding contacts.
    if (start.step == 0 && settings_.integrator == "symplectic-euler") start.contacts.clear(), start.pair_contacts = 0;
    engine_->keep(start);
  }

  void take_up(std::size_t world, std::size_t state) override {
    wanted_.push_back({static_cast<std::uint32_t>(world), static_cast<std::uint32_t>(state)});
    World& rig = rigs_[world];
    rig = rigs_of_states_[state];
    const double elapsed = static_cast<double>(rig.step) * settings_.dt;
    origin_[world] = std::abs(rig.time - elapsed) > 1e-9 * settings_.dt ? rig.time - elapsed : 0;
    since_[world] = rig.step;
    stopped_[world] = 0;
    if (rig.step == 0) apply_motions(rig);
    news_ = true;
  }

  std::vector<WorldFault> advance(std::size_t steps) override;

  void change(std::size_t world, const std::function<void(World&)>& edit) override {
    edit(rigs_[world]);
    apply_motions(rigs_[world]);
    news_ = true;
  }

  void read(std::span<Worlds::Row> places, std::span<Worlds::Row> velocities) override {
    send_states();
    engine_->read(places, velocities);
  }

  World world(std::size_t world) override;
  double time(std::size_t world) const override { return rigs_[world].time; }
  std::uint64_t step(std::size_t world) const override { return rigs_[world].step; }

 private:
  double time_of(std::size_t world, std::uint64_t step) const {
    return origin_[world] + static_cast<double>(step) * settings_.dt;
  }
  void send_states();
  std::size_t most_rows() const;
  void lay_down(std::size_t steps);
  void lay_down(std::size_t world, std::size_t row);
  void move_on(std::size_t world, std::size_t steps, bool row_by_row);
  WorldFault fault_of(std::size_t world, const gpu::Trouble& trouble);
  Error error_of_contacts(const World& now, const gpu::Trouble& trouble) const;

  StepSettings settings_;
  ThreadPool pool_;
  double advised_speed_;
  std::unique_ptr<gpu::ManyEngine> engine_;
  TypeTables tables_;
  OverlapGauge overlaps_;
  std::vector<World> states_, rigs_of_states_, rigs_;
  std::vector<double> origin_;         // time of step 0
  std::vector<std::uint64_t> since_;   // step at which it took up its state
  std::vector<std::uint8_t> stopped_;  // 1: stands still
  std::vector<gpu::TakeUp> wanted_;    // states that the device does not know of yet
  std::vector<std::uint32_t> state_;   // by world: the last that it took up
  std::uint64_t done_ = 0;             // steps of the engine
  gpu::ManyInput input_;
  bool news_ = true;
};

void DeviceWorlds::send_states() {
  if (wanted_.empty()) return;
  engine_->take_up(wanted_);
  state_.resize(rigs_.size());
  for (const gpu::TakeUp& t : wanted_) state_[t.world] = t.state;
  wanted_.clear();
}

// So that what is laid down for them stays below some 64 MB.
std::size_t DeviceWorlds::most_rows() const {
  const World& rig = rigs_.front();
  const std::size_t bytes = rigs_.size() * (sizeof(gpu::Script) + rig.walls.size() * sizeof(gpu::WallState) +
                                            rig.bodies.size() * sizeof(gpu::Driven));
  return std::clamp<std::size_t>((std::size_t{64} << 20) / bytes, 2, DeviceRun::most_at_once + 1);
}

// The present state of a rig.
void DeviceWorlds::lay_down(std::size_t w, std::size_t row) {
  const World& rig = rigs_[w];
  const std::size_t place = row * rigs_.size() + w, walls = rig.walls.size();
  input_.scripts[place] = {rig.gravity.at(rig.time), rig.time};
  for (std::size_t k = 0; k < walls; ++k) {
    const Wall& wall = rig.walls[k];
    input_.walls[place * walls + k] = {wall.pose, Rotation2d(wall.pose.theta), wall.velocity, wall.omega};
  }
  if (input_.driven.empty()) return;
  const Bodies& b = rig.bodies;
  for (std::size_t k = 0; k < b.size(); ++k)
    input_.driven[place * b.size() + k] = {b.x[k], b.theta[k], b.v[k], b.omega[k], b.image[k]};
}

void DeviceWorlds::lay_down(std::size_t steps) {
  const std::size_t worlds = rigs_.size(), walls = rigs_.front().walls.size();
  const bool bodies_move = std::ranges::any_of(rigs_, moves_bodies);
  const std::size_t places = input_.rows * worlds;
  input_.scripts.resize(places);
  input_.walls.resize(places * walls);
  input_.driven.resize(bodies_move ? places * rigs_.front().bodies.size() : 0);
  input_.glides.assign(worlds * walls, {});
  pool_.run(worlds, [&](std::size_t w) {
    World& rig = rigs_[w];
    for (const Motion& m : rig.motions) {
      if (!m.running || !glides(m)) continue;
      const Vec2d velocity = m.kind == Motion::Kind::constant ? m.velocity : Vec2d{};
      for (const int wall : m.walls)
        input_.glides[w * walls + static_cast<std::size_t>(wall)] = {
            1,          rig.walls[static_cast<std::size_t>(wall)].anchor,          m.centre, velocity, m.omega, m.start,
            origin_[w], static_cast<double>(rig.step) - static_cast<double>(done_)};
    }
    lay_down(w, 0);
    if (input_.rows == 1) return;
    const World before = rig;
    for (std::size_t row = 1; row <= steps; ++row) {
      if (!stopped_[w]) rig.time = time_of(w, before.step + row), apply_motions(rig);
      lay_down(w, row);
    }
    rig = before;
  });
}

void DeviceWorlds::move_on(std::size_t w, std::size_t steps, bool row_by_row) {
  World& rig = rigs_[w];
  for (std::size_t k = row_by_row ? 1 : steps; k <= steps && k > 0; ++k) {
    rig.time = time_of(w, rig.step + k);
    if (!rig.motions.empty()) apply_motions(rig);
  }
  rig.step += steps;
}

std::vector<WorldFault> DeviceWorlds::advance(std::size_t steps) {
  std::vector<WorldFault> faults;
  send_states();
  while (steps > 0) {
    const bool rows = std::ranges::any_of(rigs_, must_be_laid_down);
    const std::size_t now = std::min(steps, rows ? most_rows() - 1 : DeviceRun::most_at_once);
    input_.news = news_ || rows;
    input_.steps = now;
    input_.rows = rows ? now + 1 : 1;
    if (input_.news) lay_down(now);
    const std::vector<gpu::Trouble> troubles = engine_->advance_all(input_);
    news_ = rows;
    done_ += now;
    steps -= now;
    for (std::size_t w = 0; w < rigs_.size(); ++w) {
      if (stopped_[w]) continue;
      const gpu::Trouble& t = troubles[w];
      move_on(w, t.since == gpu::none ? now : t.since, rows);
      if (t.since == gpu::none) continue;
      stopped_[w] = 1;
      faults.push_back(fault_of(w, t));
    }
  }
  std::ranges::stable_sort(faults, {}, &WorldFault::world);
  return faults;
}

World DeviceWorlds::world(std::size_t w) {
  send_states();
  World world = states_[state_[w]];
  if (rigs_[w].step != since_[w]) engine_->download_world(w, world);
  put_rig(rigs_[w], world);
  return world;
}

WorldFault DeviceWorlds::fault_of(std::size_t w, const gpu::Trouble& t) {
  const World now = world(w);
  const auto fault = [&](const Error& e) { return WorldFault{w, now.step, now.time, of_world(w, e)}; };
  if (t.body == gpu::none) return fault(error_of_contacts(now, t));
  StepStats stats;
  stats.advised_speed = advised_speed_;
  try {
    watch(now, overlaps_, settings_, pool_, stats);
  } catch (const Error& e) { return fault(e); }
  // Single precision made a limit out of what is just below it.
  return fault(Error(ErrorKind::physics, describe_time(now),
                     describe_grain(now, t.body) + " is at the limit of speed or of the bounds",
                     cat("lower step.dt (now ", settings_.dt, ")")));
}

// The contacts themselves are not there any more.
Error DeviceWorlds::error_of_contacts(const World& now, const gpu::Trouble& t) const {
  if (t.overlap == 0)
    return {ErrorKind::physics, describe_time(now),
            "a grain touches others or walls in more places than the GPU keeps track of",
            "use fewer nodes or discs (maps.star_nodes, maps.clump_discs), or device = \"cpu\""};
  const float relative = gpu::bits_float(static_cast<std::uint32_t>(t.overlap >> 32));
  return {ErrorKind::physics, describe_time(now),
          cat(describe_grain(now, t.overlap & 0xffffffffu), " overlaps another or a wall by ", relative,
              " of the thinnest feature (limit ", settings_.watchdog.max_overlap, ")"),
          cat("raise the stiffness and lower step.dt (now ", settings_.dt,
              "), move walls more slowly, or start the grains farther apart if this is the first step")};
}

}  // namespace

std::unique_ptr<WorldsBackend> make_device_worlds(const World& first, std::size_t count, const StepSettings& settings,
                                                  double advised_speed) {
  return std::make_unique<DeviceWorlds>(first, count, settings, advised_speed);
}

}  // namespace scree
