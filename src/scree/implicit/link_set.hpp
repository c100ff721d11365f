#pragma once
// The links of a step, in packs by colour.
#include <cstdint>
#include <span>
#include <vector>

#include "scree/implicit/colouring.hpp"
#include "scree/implicit/find_links.hpp"
#include "scree/implicit/solver_bodies.hpp"

namespace scree {

class LinkSet {
 public:
  // Packs that are swept before the next ones are: of one colour, side by side or, where they are few, one by one
  // together with other small colours.
  struct Phase {
    std::size_t begin, end;
    bool one_by_one;
  };

  // Packs of `links()` at substeps of length h. Their planes are taken anew when their bodies have moved by `renewal`.
  void pack(const World& world, const ForceTables& forces, const SolverBodies& bodies, double h, double renewal,
            ThreadPool& pool);

  // Planes of links whose bodies have moved on, in the packs [begin, end): those of two bodies. Returns how many.
  std::size_t renew(const World& world, const LinkFinder& finder, const LinkScales& scales, const ForceTables& forces,
                    const SolverBodies& bodies, std::size_t begin, std::size_t end);
  // The same for all links with walls.
  void renew_walls(const World& world, const LinkFinder& finder, const WallCandidates& candidates,
                   const std::vector<double>& slack, const LinkScales& scales, const ForceTables& forces,
                   const SolverBodies& bodies);

  // Contacts of the world: rows that carry a force. `offset` was taken off their gaps.
  void write_contacts(const SolverBodies& bodies, double offset, World& world);
  // Of the last substep: what walls and kinematic bodies did, and what friction took.
  double driven_work(const SolverBodies& bodies) const;
  double friction_work(const SolverBodies& bodies) const;

  std::vector<Link>& links() { return links_; }
  std::vector<LinkPack>& packs() { return packs_; }
  const std::vector<Phase>& phases() const { return phases_; }
  bool damps_spin() const { return damps_spin_; }

 private:
  static constexpr std::uint32_t no_link = 0xffffffffu;
  // How two bodies have moved against each other since the step began; the planes of a link depend on nothing else.
  struct Shift {
    float x, y, turn_a, turn_b;
  };
  Shift shift(const SolverBodies& bodies, const Link& link) const;
  bool moved_on(const SolverBodies& bodies, std::size_t link) const;
  LinkPack& pack_of(std::size_t link) { return packs_[lane_of_[link] / pack_lanes]; }
  std::size_t lane(std::size_t link) const { return lane_of_[link] % pack_lanes; }
  void set_lane(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::size_t link);
  void read_forces();

  std::vector<Link> links_;
  std::size_t pair_links_ = 0;  // then those with walls
  Colouring colouring_;
  std::vector<LinkPack> packs_;
  std::vector<Phase> phases_;
  std::vector<std::uint32_t> lane_of_;  // by link: pack * pack_lanes + lane
  std::vector<std::uint32_t> link_at_;  // by lane
  std::vector<Shift> taken_;            // by link: when its planes were
  std::vector<std::uint32_t> driven_;   // links with a body or wall that does not obey impulses
  double h_ = 0;
  double renewal_ = 0;
  bool damps_spin_ = false;
};

}  // namespace scree
