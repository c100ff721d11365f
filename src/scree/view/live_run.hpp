#pragma once
// A simulation that takes commands between its steps. No threads and no clock of its own.
#include <optional>
#include <string>
#include <vector>

#include "scree/step/simulation.hpp"
#include "scree/view/message.hpp"

namespace scree {

// Something a user may move: a wall, or the driven grains of a group.
struct Mover {
  bool group = false;
  std::uint32_t index = 0;
  std::string name;
  bool turns = false;
  Vec2d velocity;
  double spin = 0;
  Vec2d centre;      // of its turn
  double reach = 0;  // from there to its farthest point
};

class LiveRun {
 public:
  LiveRun(World world, const StepSettings& settings);

  void step() { simulation_->step(); }
  void start_again();

  // Commands; what they may not do throws Error(input) with the limit, and changes nothing.
  void apply(const SetGravity& command);
  void apply(const Drive& command);
  std::size_t apply(const Drop& command);  // returns how many grains found room

  const World& world() const { return simulation_->world(); }
  Simulation& simulation() { return *simulation_; }
  double dt() const { return simulation_->settings().dt; }

  Vec2d gravity() const;                                                      // of the next step
  const std::vector<std::uint32_t>& droppable() const { return droppable_; }  // types
  std::vector<Mover> movers() const;
  double speed_limit() const;    // of walls and driven grains: contacts are well resolved up to it
  double gravity_limit() const;  // 100 steps of fall stay below speed_limit

 private:
  Mover mover_of_wall(std::size_t wall) const;
  Mover mover_of_group(std::size_t group) const;
  void follow_command(Mover& mover) const;
  std::vector<Placement> free_sites(const Drop& command) const;

  World start_;
  StepSettings settings_;
  std::optional<Simulation> simulation_;
  std::vector<std::uint32_t> droppable_;
  std::vector<std::uint8_t> driven_groups_;  // per group: has kinematic grains, now or later
  std::uint64_t drops_ = 0;
};

// Distance from a point to the solid of a wall where it is now; negative inside.
double wall_distance(const Wall& wall, Vec2d x);

}  // namespace scree
