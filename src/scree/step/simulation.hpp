#pragma once
// One simulation: a World and the order of the stages that take it from one step to the next. docs/architecture.md
// walks through step().
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/narrow_phase.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/implicit/outlook.hpp"
#include "scree/implicit/settings.hpp"
#include "scree/world/world.hpp"

namespace scree {

struct WatchdogLimits {
  double max_speed = 0;      // length / time; 0: thinnest feature / (2 dt), half a feature a step
  double max_overlap = 0.5;  // in units of the thinner partner's thinnest feature w
  bool enabled = true;
};

struct StepSettings {
  std::string solver = "explicit";              // or "implicit": large steps of rigid grains
  double dt = 0;                                // time; 0: chosen (dt_advice)
  std::string integrator = "symplectic-euler";  // or "velocity-verlet"
  std::string law = "spring-clamp";             // friction: or "algorithm-1"
  std::string device = "cpu";                   // or "cuda"; "serial": the stages of the GPU, on the CPU
  std::string precision = "single";             // of contacts and velocities on a GPU; or "double"
  int threads = 0;                              // 0: one per core; never changes the results
  double skin = 0;                              // Verlet skin, length; 0: chosen from the grain sizes
  bool skip_queries = true;                     // of pairs that a map's bound certifies apart; changes no result
  bool ledger = true;                           // account for energy every step
  ImplicitSettings implicit;
  WatchdogLimits watchdog;
};

// Stability of the explicit step. omega = sqrt(k kappa) of the stiffest pair that can meet, zeta its damping ratio.
struct StepAdvice {
  double omega_max = 0;   // 1 / time
  double dt_advised = 0;  // 0.33 / omega, or half the limit where that is less (zeta > 1.35); or that of large steps
  double dt_limit = 0;    // 2 (sqrt(1 + zeta^2) - zeta) / omega: unstable beyond; large steps have none
  double kappa_max = 0;   // 1 / mass
  double stiffness_for_dt(double dt) const { return 0.33 * 0.33 / (dt * dt * kappa_max); }  // largest advised k_n
  std::string stiffest;                                                                     // "hash-hash", for messages
};
StepAdvice advise_step(const World& world);
// Of the implicit solver: sqrt(0.0027 R / g), in which the smallest grain, of circumradius R, falls by a thousandth of
// R. 0 without gravity or grains.
double advise_large_step(const World& world);
std::string why_no_large_step(const World& world);  // where it is 0

struct StepStats {
  std::size_t pairs = 0;       // in the Verlet list
  std::size_t queries = 0;     // map queries of the last step: pairs that could touch
  std::size_t contacts = 0;    // touching now
  std::uint64_t rebuilds = 0;  // of the list so far
  double deepest_overlap = 0;  // of the last step, in units of w
  double max_speed = 0;        // of the last step, length / time
  double advised_speed = 0;    // thinnest feature / (9 dt): above it contacts are poorly resolved
  int substeps = 1;            // of the last step
  Meeting meeting;             // implicit: the fastest that the last step had to resolve
  std::size_t asleep = 0;      // grains that slept in the last step
};

// Seconds spent in each stage of all steps so far.
struct StageTimes {
  double drive = 0;      // events, insertions, deletions, motions
  double broad = 0;      // moves since the lists were built; the lists
  double narrow = 0;     // rotations; pairs to contacts with their forces
  NarrowTimes parts;     // of narrow, summed over threads
  double walls = 0;      // grains to wall contacts with their forces
  double integrate = 0;  // kick and drift
  double ledger = 0;
  double watchdog = 0;

  double total() const { return drive + broad + narrow + walls + integrate + ledger + watchdog; }
};

std::vector<std::string> integrator_names();
std::vector<std::string> solver_names();
std::vector<std::string> device_names();
std::vector<std::string> precision_names();

// Bits of all positions, angles, velocities and contact springs: for determinism tests.
std::uint64_t state_hash(const World& world);

class Simulation {
 public:
  // Checks that every pair of types that can meet has a map, that names are known and that dt is stable
  // (Error(input) with numbers otherwise).
  Simulation(World world, StepSettings settings);
  ~Simulation();
  Simulation(Simulation&&) noexcept;

  // What is due now happens: events, insertions, deletions. step() begins with it; asked for before, the world can be
  // looked at with its first grains in it.
  void prepare();
  // Advances by one dt. Throws Error(physics), naming grain, time, cause and remedy, when the watchdog barks; the
  // world is then still readable.
  void step();
  // The same many times. On a GPU the world stays there meanwhile, which is much quicker than step after step.
  void advance(std::size_t steps);
  // How many steps to ask for at a time: 1 where more gain nothing.
  std::size_t most_at_once() const;
  // Between steps: `edit` moves bodies or changes their velocities. Lists, contacts and forces are then found anew,
  // springs held still, and the energy that came or went is the ledger's `inserted`. Kinematic bodies go on as their
  // motion says. When `edit` throws, it must have left the world as it was.
  void change(const std::function<void(World&)>& edit);

  const World& world() const;
  World& mutable_world();
  // The world without asking a GPU for its bodies and contacts: time, step, walls and ledger are those of now.
  const World& glance() const;
  const StepSettings& settings() const;  // dt resolved
  StepStats stats() const;
  StageTimes stage_times() const;
  // Kinetic, gravity and elastic parts evaluated now; the rest as accumulated.
  Ledger energy();
  std::uint64_t state_hash() const;  // of its world

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree
