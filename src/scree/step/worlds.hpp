#pragma once
// Many small worlds of one kind that are stepped together: the base of learning environments. They share grain types,
// materials, contact maps and the geometry of walls. Each has its own grains, contacts, gravity, time, and its own
// motions of walls and kinematic grains; no world sees another.
//
// A world has the bits it would have if it were the only one, whatever the others do and however many there are.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/step/simulation.hpp"

namespace scree {

// What walls, or the kinematic grains of a group, do from now on, until they are told otherwise.
struct Drive {
  Vec2d velocity{};  // length / time
  double omega = 0;  // rad / time, about the origin of the wall or the middle of the group, which moves along
  std::optional<Vec2d> position{};  // a wall: it is put there first
  std::optional<double> angle{};    // likewise
};

// Something has gone wrong in a world, which stands still since the end of that step.
struct WorldFault {
  std::size_t world = 0;
  std::uint64_t step = 0;
  double time = 0;
  Error error;  // names the world, the grain, the time, the cause and the remedy
};

class WorldsBackend;

class Worlds {
 public:
  using Row = std::array<double, 3>;  // x, y, theta; or their velocities

  // World w begins as states[w % states.size()]. settings.device: "cpu" steps each on one thread, "cuda" all together.
  // There is no ledger. Error(input) for what many worlds cannot have: events to come, insertions that are not over at
  // the start, deletion zones, states that differ in more than grains, contacts, poses, motions and gravity.
  Worlds(std::vector<World> states, StepSettings settings, std::size_t count);
  // All begin as `world`; with seeds, one for each, what is inserted at the start is drawn anew for each.
  Worlds(const World& world, StepSettings settings, std::size_t count, std::span<const std::uint64_t> seeds = {});
  ~Worlds();
  Worlds(Worlds&&) noexcept;

  std::size_t count() const;
  std::size_t bodies() const;            // of each
  const StepSettings& settings() const;  // dt resolved

  // Every world that does not stand still goes on by so many steps. What goes wrong is in faults().
  void advance(std::size_t steps);

  // Of one world, from now on. `name`: of walls, or of a group.
  void drive(std::size_t world, const std::string& name, const Drive& drive);
  void set_gravity(std::size_t world, Vec2d gravity);

  // Worlds become as they were at the beginning, or take up a state; they have their own time again.
  void reset(std::span<const std::size_t> worlds);
  void reset(std::span<const std::size_t> worlds, std::size_t state);
  // Keeps the present state of a world; returns its number, for reset().
  std::size_t keep(std::size_t world);
  std::size_t keep(World state);

  // [worlds][bodies]
  void read(std::span<Row> places, std::span<Row> velocities);
  const std::vector<std::uint16_t>& types(std::size_t world) const;  // by body
  // A copy, with the contacts of its last step.
  World world(std::size_t world);
  double time(std::size_t world) const;
  std::uint64_t step(std::size_t world) const;
  // Of worlds that stand still, by world.
  std::vector<WorldFault> faults() const;
  // Bits of all places, velocities and springs of a world: for tests.
  std::uint64_t state_hash(std::size_t world);

 private:
  void begin(std::vector<World> states, std::size_t count);
  void demand(std::size_t world) const;
  void take_up(std::size_t world, std::size_t state);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree
