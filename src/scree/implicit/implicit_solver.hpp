#pragma once
// Large steps: a step is cut into substeps, and in each of them impulses are found that keep linked bodies apart. See
// docs/theory.md.
//
// Nothing but World is remembered from one step to the next: contacts carry the forces.
#include <functional>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/implicit/colouring.hpp"
#include "scree/implicit/find_links.hpp"
#include "scree/implicit/link_pack.hpp"
#include "scree/implicit/settings.hpp"

namespace scree {

class ImplicitSolver {
 public:
  ImplicitSolver(const World& world, const TypeTables& tables, const ForceTables& forces, WallPhase& walls,
                 const ImplicitSettings& settings, double skin);

  // From world.time by dt. `drive(time)` moves time on, and with it gravity, walls and kinematic bodies.
  void step(World& world, double dt, const std::function<void(double)>& drive, ThreadPool& pool);
  void forget_lists() { stale_ = true; }  // bodies came, went, or were moved from outside

  // Speed at which grains that meet head on still approach by little in a substep, with as many as are allowed.
  double fastest(double dt) const;

  int substeps() const { return substeps_; }  // of the last step
  std::size_t links() const { return links_.size(); }
  std::size_t pairs() const { return list_.size(); }
  std::size_t queries() const { return queries_; }  // pairs looked at in the last step
  std::uint64_t rebuilds() const { return rebuilds_; }

 private:
  double load(const World& world) const;
  void choose_substeps(const World& world, double dt);
  void start(const World& world);
  void look_around(World& world, double left, ThreadPool& pool);
  void refresh_lists(const World& world, ThreadPool& pool);
  void pack(const World& world);
  void renew_links(const World& world);
  void set_lane(const World& world, std::size_t link);
  void read_forces();
  void sweep(const std::function<void(LinkPack&)>& visit, ThreadPool& pool);
  void kick(const World& world, double h);
  void drift(World& world, double h);
  void follow_driven(const World& world);
  void write_contacts(World& world) const;
  void finish(World& world) const;

  const TypeTables& tables_;
  const ForceTables& forces_;
  WallPhase& walls_;
  ImplicitSettings settings_;
  double skin_;
  double radius_;  // of the smallest moving grain
  LinkScales scales_;
  LinkFinder finder_;

  PairList list_;
  WallCandidates candidates_;
  std::vector<Rotation2d> rotations_;
  std::vector<Link> links_;
  std::size_t pair_links_ = 0;  // then those with walls
  Colouring colouring_;
  std::vector<LinkPack> packs_;
  std::vector<std::size_t> pack_ends_;  // of each colour
  std::vector<std::uint32_t> lane_of_;  // by link: pack * pack_lanes + lane
  std::vector<double> limit_;           // by link: travel of its bodies at which its planes are taken anew
  std::vector<SolverBody> bodies_;      // bodies, walls, nobody
  std::vector<std::uint8_t> moves_;     // by solver body
  std::vector<Pose2d> driven_at_;       // where walls and kinematic bodies were
  std::vector<double> travel_;          // way of any point of a body since the links were found
  std::vector<double> slack_;           // way that the links allow for
  double h_ = 0;
  double omega_ = 0;  // of the soft rows
  bool stale_ = true;
  int substeps_ = 0;
  std::size_t queries_ = 0;
  std::uint64_t rebuilds_ = 0;
};

}  // namespace scree
