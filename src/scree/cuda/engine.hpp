#pragma once
// A device that takes a world through its steps: the stages of step/simulation.cpp, with the world's moving parts in
// the memory of the device between visits of the host.
#include <memory>
#include <vector>

#include "scree/cuda/views.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/world/world.hpp"

namespace scree::gpu {

struct EngineSettings {
  double dt = 0;
  double skin = 0;
  bool velocity_verlet = false;
  bool skip = true;
  bool ledger = true;
  FrictionLaw law{};
  bool watch = true;
  double most_speed = 0;    // length / time
  double most_overlap = 0;  // in units of w
};

// What the host lays down for a step ahead of time.
struct StepInput {
  Script script;
  std::vector<WallState> walls;
  std::vector<Driven> driven;  // kinematic bodies, by index
};

struct Outcome {
  std::size_t steps = 0;  // done
  bool fault = false;     // the watchdog must look
  bool crowded = false;   // two grains touch in more places than the device has room for
  std::size_t pairs = 0;
  std::size_t queries = 0;
  std::uint64_t rebuilds = 0;
  double deepest_overlap = 0;
  double max_speed = 0;
  StepWork work;  // where the ledger is kept
};

class Engine {
 public:
  virtual ~Engine() = default;
  // The world as it is now, with the history of its contacts.
  virtual void upload(const World& world) = 0;
  // At most inputs.size() - 1 steps: the state of walls and motions is given at the beginning of each and at the end of
  // the last. Fewer when something comes up.
  virtual Outcome advance(const std::vector<StepInput>& inputs) = 0;
  // Bodies, and the contacts of the last evaluation. Returns, by index, the grains that deletion zones have taken since
  // the upload, with the state they had then; their contacts are left out.
  virtual std::vector<std::uint8_t> download(World& world) = 0;
};

enum class Precision { single_, double_ };

// Throws Error(input) for a world that needs what the device cannot do; Error(system) where there is no device.
std::unique_ptr<Engine> make_serial_engine(const World& world, const EngineSettings& settings, Precision precision);
std::unique_ptr<Engine> make_cuda_engine(const World& world, const EngineSettings& settings, Precision precision);

}  // namespace scree::gpu
