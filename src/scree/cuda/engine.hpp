#pragma once
// A device that takes a world through its steps: the stages of step/simulation.cpp, with the world's moving parts in
// the memory of the device between visits of the host.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "scree/cuda/views.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/implicit/settings.hpp"
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
  StepWork work;  // as the ledger has it, all since the beginning
  // Of large steps.
  int substeps = 1;          // of the last one
  double meeting_speed = 0;  // the fastest that it had to resolve
  std::size_t meeting_body = 0;
};

// A device goes on with these sums, so that they do not depend on how many steps it was asked for at a time.
inline StepWork work_of(const Ledger& l) {
  StepWork work;
  work.normal_damping = l.normal_damping, work.friction = l.friction, work.rotational = l.rotational_damping;
  work.wall = l.wall_work, work.gravity = l.gravity_work, work.moved = l.moved;
  return work;
}

inline Outcome outcome_of(const Control& c) {
  Outcome out;
  out.steps = c.step;
  out.crowded = c.halt & halt_crowded;
  out.fault = c.halt & halt_fault;
  out.pairs = c.pairs;
  out.queries = c.queries;
  out.rebuilds = c.rebuilds;
  out.deepest_overlap = bits_float(c.deepest);
  out.max_speed = bits_float(c.fastest);
  out.work = c.work;
  return out;
}

class Engine {
 public:
  virtual ~Engine() = default;
  // The world as it is now, with the history of its contacts, and room for so many more bodies.
  virtual void upload(const World& world, std::size_t room = 0) = 0;
  // At most inputs.size() - 1 steps: the state of walls and motions is given at the beginning of each and at the end of
  // the last. Fewer when something comes up.
  virtual Outcome advance(const std::vector<StepInput>& inputs) = 0;
  // Bodies, and the contacts of the last evaluation. Returns, by index, the grains that deletion zones have taken since
  // the upload, with the state they had then; their contacts are left out.
  virtual std::vector<std::uint8_t> download(World& world) = 0;
  // By index, the bodies that have their centres in one of the boxes, or in a periodic image of it. Where they are is
  // written into the world; nothing else of it.
  virtual std::vector<std::uint32_t> find(std::span<const Box> boxes, World& world) = 0;
  // Bodies of the world from `first` on have come: moving ones, that touch nothing. There must be room for them.
  virtual void append(const World& world, std::size_t first) = 0;
  virtual std::size_t room() const = 0;
};

// What the host lays down for many worlds ahead of time.
struct ManyInput {
  std::size_t steps = 0;
  bool news = true;               // false: all below is as it was the last time
  std::size_t rows = 1;           // 1: for all steps; or steps + 1
  std::vector<Script> scripts;    // [rows][worlds]
  std::vector<WallState> walls;   // [rows][worlds][walls]
  std::vector<Driven> driven;     // [rows][worlds][kinematic bodies]
  std::vector<WallGlide> glides;  // [worlds][walls]: those that are on need no rows
};

struct TakeUp {
  std::uint32_t world = 0;
  std::uint32_t state = 0;
};

// Many small worlds that go through their steps side by side, each as it would alone. What goes wrong in one stops that
// one, at the end of that step. There is no ledger.
class ManyEngine {
 public:
  virtual ~ManyEngine() = default;
  // A state that worlds can take up, with the history of its contacts; all have the same number of bodies, and the
  // same ones are moving, fixed and kinematic. They are numbered from 0. Before the first step every world must have
  // taken up one.
  virtual void keep(const World& state) = 0;
  virtual void take_up(const std::vector<TakeUp>& which) = 0;
  // All steps are done. Troubles are of all worlds; `since` counts the steps of this batch.
  virtual std::vector<Trouble> advance_all(const ManyInput& input) = 0;
  // [worlds][bodies]: x, y, theta; and their velocities.
  virtual void read(std::span<std::array<double, 3>> places, std::span<std::array<double, 3>> velocities) = 0;
  // Bodies of one world, and unless it stands still the contacts of its last step. It has done one since its state.
  virtual void download_world(std::size_t world, World& into) = 0;
};

enum class Precision { single_, double_ };

// Throws Error(input) for a world that needs what the device cannot do; Error(system) where there is no device.
std::unique_ptr<Engine> make_serial_engine(const World& world, const EngineSettings& settings, Precision precision);
std::unique_ptr<Engine> make_cuda_engine(const World& world, const EngineSettings& settings, Precision precision);
// The same for large steps.
std::unique_ptr<Engine> make_serial_implicit_engine(const World& world, const EngineSettings& settings,
                                                    const ImplicitSettings& implicit);
std::unique_ptr<Engine> make_cuda_implicit_engine(const World& world, const EngineSettings& settings,
                                                  const ImplicitSettings& implicit);

// `world`: what all have in common, and how many bodies each has.
std::unique_ptr<ManyEngine> make_serial_many(const World& world, std::size_t worlds, const EngineSettings& settings,
                                             Precision precision);
std::unique_ptr<ManyEngine> make_cuda_many(const World& world, std::size_t worlds, const EngineSettings& settings,
                                           Precision precision);

}  // namespace scree::gpu
