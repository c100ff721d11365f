#pragma once
// A world whose steps are done by a GPU: what the host lays down for the steps ahead, and which of the two has the
// newer bodies.
//
// Whatever changes a world from outside, events and insertions, is done by a step of the CPU: it is rare, and there is
// one implementation of it. But for rain, which may be due in every step: the CPU is told who is in its way and says
// where the grains come, and the GPU goes on.
#include <memory>

#include "scree/cuda/engine.hpp"
#include "scree/step/simulation.hpp"

namespace scree {

class DeviceRun {
 public:
  static constexpr std::size_t most_at_once = 256;  // steps
  static constexpr std::size_t least_room = 1024;   // for rain, where so much is to come

  DeviceRun(std::unique_ptr<gpu::Engine> engine, const StepSettings& settings, double time_origin)
      : engine_(std::move(engine)), settings_(settings), time_origin_(time_origin) {}

  // True when the coming step is for the CPU.
  bool host_is_due(const World& world) const;
  // At most `most` steps, at least one. Error(physics) is for the caller to find, where the outcome has a fault.
  gpu::Outcome advance(World& world, std::size_t most);
  // The host has what the device has. Grains that deletion zones took are removed.
  void fetch(World& world);
  // What the host has is newer from now on.
  void host_changed() { host_is_newer_ = true; }

 private:
  struct Before;
  double time_at(const World& world, std::size_t steps) const {
    return time_origin_ + static_cast<double>(world.step + steps) * settings_.dt;
  }
  void let_it_rain(World& world);
  std::vector<gpu::StepInput> look_ahead(World& world, std::size_t steps) const;
  void book(World& world, const gpu::Outcome& outcome) const;

  std::unique_ptr<gpu::Engine> engine_;
  const StepSettings& settings_;
  double time_origin_;
  bool host_is_newer_ = true;
  bool device_is_newer_ = false;
};

}  // namespace scree
