#pragma once
// What steps the worlds of Worlds: simulations side by side on the CPU, or one engine of a device.
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scree/step/worlds.hpp"

namespace scree {

class WorldsBackend {
 public:
  virtual ~WorldsBackend() = default;
  // The states kept so far have got one more, at the end; they stay where they are.
  virtual void keep(const World& state) = 0;
  virtual void take_up(std::size_t world, std::size_t state) = 0;
  // Of worlds that do not stand still. Returns the new faults.
  virtual std::vector<WorldFault> advance(std::size_t steps) = 0;
  // `edit` changes walls, motions, kinematic bodies or gravity of a world.
  virtual void change(std::size_t world, const std::function<void(World&)>& edit) = 0;
  virtual void read(std::span<Worlds::Row> places, std::span<Worlds::Row> velocities) = 0;
  virtual World world(std::size_t world) = 0;
  virtual double time(std::size_t world) const = 0;
  virtual std::uint64_t step(std::size_t world) const = 0;
};

std::unique_ptr<WorldsBackend> make_cpu_worlds(std::size_t count, const StepSettings& settings);
// `first`: the first state, for what all have in common.
std::unique_ptr<WorldsBackend> make_device_worlds(const World& first, std::size_t count, const StepSettings& settings,
                                                  double advised_speed);

// What is wrong in world number w, its name put before where it happened.
inline Error of_world(std::size_t w, const Error& e) {
  return {e.kind(), "world " + std::to_string(w) + ", " + e.where(), e.problem(), e.remedy()};
}

}  // namespace scree
