#pragma once
// Large steps: a step is cut into substeps, and in each of them impulses are found that keep linked bodies apart.
// docs/implicit-theory.md derives them.
//
// Nothing but World is remembered from one step to the next: contacts carry the forces, and links the planes that still
// serve. Links of grains that sleep are not found (sleepers.hpp).
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/implicit/link_set.hpp"
#include "scree/implicit/pace_kernel.hpp"
#include "scree/implicit/settings.hpp"
#include "scree/implicit/sleepers.hpp"

namespace scree {

// Speed at which grains that meet still approach by little in a substep, with as many as are allowed.
double resolved_speed(const World& world, const ImplicitSettings& settings, double dt);

GrainScales scales_of_grains(const World& world);
// Forces of the bodies by gravity and by World::contacts, as the explicit solver leaves them, for whoever reads them.
void sum_forces(World& world, ThreadPool& pool);

class ImplicitSolver {
 public:
  ImplicitSolver(const World& world, const TypeTables& tables, const ForceTables& forces, WallPhase& walls,
                 const ImplicitSettings& settings, double skin);

  struct Work {
    double driven = 0;    // done by walls and kinematic bodies
    double brought = 0;   // by overlaps that no step has made
    double friction = 0;  // of the books
    double rolling = 0;   // likewise: taken by rolling resistance and damping
    double holdable = 0;  // by overlaps at the end: may_hold()
  };
  // From world.time by dt. `books`: whether it is asked for what friction took; `edited`: whether the world has been
  // changed otherwise than by a step, as before the first; `drive(time)` moves time on, and with it gravity, walls and
  // kinematic bodies.
  Work step(World& world, double dt, bool books, bool edited, const std::function<void(double)>& drive,
            ThreadPool& pool);
  void forget_lists() { outlook_.forget_lists(); }  // bodies came, went, or were moved from outside

  // By body: whether contacts have done something to it in the last step.
  std::span<const std::uint8_t> hit() const { return bodies_.hit; }
  const Meeting& fastest_meeting() const { return fastest_meeting_; }  // of the last step, before it
  int substeps() const { return substeps_; }                           // of the last step
  std::size_t pairs() const { return outlook_.list().size(); }         // in the Verlet list
  std::size_t queries() const { return queries_; }                     // pairs looked at in the last step
  std::size_t asleep() const { return sleepers_.count(); }             // grains, at the end of the last step
  std::uint64_t rebuilds() const { return outlook_.rebuilds(); }

 private:
  LoadSum loads(const World& world, ThreadPool& pool) const;
  void choose_substeps(const World& world, double dt, ThreadPool& pool);
  void look_around(World& world, int left, bool first, double wake_speed, ThreadPool& pool);
  SweepSettings sweep_settings() const;
  double renew(const World& world, float threshold, ThreadPool& pool);
  void follow(World& world, const std::function<void()>& drive);
  void note_approaches(float threshold, ThreadPool& pool);
  double rebound_all(float threshold, ThreadPool& pool);
  bool substep(World& world, const SweepSettings& settings, bool books, double left, const std::function<void()>& drive,
               ThreadPool& pool);
  double kinetic_energy(std::optional<Vec2d> kick, std::size_t thread, Barrier& barrier);
  void find_rubbed(std::size_t thread);
  template <class Visit>
  void sweep(std::size_t thread, Barrier& barrier, Visit visit);

  const TypeTables& tables_;
  const ForceTables& forces_;
  WallPhase& walls_;
  ImplicitSettings settings_;
  GrainScales grains_;
  LinkScales scales_;
  LinkFinder finder_;
  Outlook outlook_;
  Sleepers sleepers_;

  SolverBodies bodies_;
  LinkSet links_;
  FoundLinks found_;                    // by a look; its links are then those before
  std::vector<std::uint32_t> several_;  // pairs with several links whose planes are due: the first of each
  Parts<std::uint32_t> several_parts_;
  StepPace pace_;                // its substeps: those from when it was chosen
  int substeps_ = 0;             // in this step, so far
  double shortest_ = 0;          // that a substep may be
  bool watches_speeds_ = false;  // some are so fast that it matters whether they grow
  struct Beginning {             // of a substep in which they are watched
    std::vector<BodyVelocity> velocities;
    std::vector<LinkPack> packs;

    void reserve(const SolverBodies& bodies, const LinkSet& links) {
      velocities.resize(bodies.grains);
      packs.resize(links.packs().size());
    }
    void keep(const SolverBodies& bodies, const LinkSet& links, std::size_t thread);
    void bring_back(SolverBodies& bodies, LinkSet& links) const;
  } beginning_;
  Rubbed<double> rubbed_{};  // so far in this step
  std::vector<Rubbed<double>> rubbed_parts_;
  double absorbed_ = 0;                // by contacts since something rebounded, of the kinetic energy
  std::vector<double> kinetic_parts_;  // of consecutive bodies, default_chunk each
  bool lost_ = true;                   // bodies may meet that have no link
  bool strayed_ = false;               // bodies have moved so far in this step that planes may be due
  bool impacts_ = false;               // some are fast enough to rebound
  Meeting fastest_meeting_;
  std::size_t queries_ = 0;
};

}  // namespace scree
