#pragma once
// The links of a step, in packs by colour.
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scree/implicit/colouring.hpp"
#include "scree/implicit/find_links.hpp"
#include "scree/implicit/solver_bodies.hpp"

namespace scree {

class LinkSet {
 public:
  // A step begins, with the links of the last one, which World keeps; it ends, and World has them again.
  void start(double h, const LinkLimits& limits, ThreadPool& pool, World& world);
  void finish(const SolverBodies& bodies, ThreadPool& pool, World& world);
  // Packs of `links`, of which some may have been kept: their planes are those of old. `links` are then those of old.
  void pack(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::vector<Link>& links,
            ThreadPool& pool);
  // Links of pairs; then the least that the gap of one can be now, if its planes still serve.
  std::span<const Link> of_pairs() const { return std::span(links_).first(pair_links_); }
  std::optional<double> least_gap(const SolverBodies& bodies, const Link& link) const;

  // Planes of links whose bodies have moved on, in the packs [begin, end): those of two bodies. Returns how many.
  std::size_t renew(const World& world, const LinkFinder& finder, const LinkScales& scales, const ForceTables& forces,
                    const SolverBodies& bodies, std::size_t begin, std::size_t end);
  // The same for all links with walls.
  void renew_walls(const World& world, const LinkFinder& finder, const Outlook& outlook, const LinkScales& scales,
                   const ForceTables& forces, const SolverBodies& bodies, ThreadPool& pool);

  // Contacts of the world: rows that carry a force. `offset` was taken off their gaps. Those between bodies that do not
  // move stay as they are.
  void write_contacts(const SolverBodies& bodies, double offset, ThreadPool& pool, World& world);
  // Of the last substep: what walls and kinematic bodies did, and what friction and rolling resistance took.
  struct Losses {
    double sliding = 0, rolling = 0;
    Losses& operator+=(const Losses& more) {
      sliding += more.sliding, rolling += more.rolling;
      return *this;
    }
  };
  double driven_work(const SolverBodies& bodies) const;
  Losses losses(const SolverBodies& bodies, ThreadPool& pool) const;

  std::vector<LinkPack>& packs() { return packs_; }
  const std::vector<LinkPack>& packs() const { return packs_; }
  std::size_t phases() const { return phases_.size(); }
  std::size_t threads() const { return threads_; }  // that share the packs
  // The packs [first, second) of a phase that are a thread's.
  std::pair<std::size_t, std::size_t> share(std::size_t phase, std::size_t thread) const {
    const std::size_t* at = &shares_[phase * (threads_ + 1) + thread];
    return {at[0], at[1]};
  }
  bool damps_spin() const { return damps_spin_; }

 private:
  static constexpr std::uint32_t no_link = 0xffffffffu;
  // Packs that are swept before the next ones are: of one colour, or of several small ones.
  struct Phase {
    std::size_t begin, end;
    bool small;
  };
  // The way of its bodies against each other since its planes were taken.
  double way_since(const SolverBodies& bodies, const Link& link, Shift& by) const;
  bool moved_on(const SolverBodies& bodies, const Link& link) const;
  void find_phases();
  void share_out(std::size_t threads);
  void find_links_of(std::size_t grains, const SolverBodies& bodies);
  LinkPack& pack_of(std::size_t link) { return packs_[lane_of_[link] / pack_lanes]; }
  const LinkPack& pack_of(std::size_t link) const { return packs_[lane_of_[link] / pack_lanes]; }
  std::size_t lane(std::size_t link) const { return lane_of_[link] % pack_lanes; }
  void set_lane(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::size_t link);
  // Of a link, from `out` on; returns where they end. `grains`: bodies that are not walls.
  Contact* add_contacts(const SolverBodies& bodies, std::size_t grains, double offset, std::size_t link,
                        Contact* out) const;

  std::vector<Link> links_;
  std::size_t pair_links_ = 0;               // then those with walls
  std::vector<std::uint8_t> displaced_;      // bodies: not where the last step left them, until the first look
  std::vector<std::size_t> wall_bodies_{0};  // the first of each body, and where the last one's end
  Colouring colouring_;
  std::vector<LinkPack> packs_;
  std::vector<PackWatch> watches_;  // by pack
  std::vector<Phase> phases_;
  std::size_t threads_ = 1;
  std::vector<std::size_t> shares_;     // by phase: where the packs of each thread begin, and where the last one's end
  std::vector<std::uint32_t> lane_of_;  // by link: pack * pack_lanes + lane
  std::vector<std::uint32_t> link_at_;  // by lane
  std::vector<std::uint32_t> driven_;   // links with a body or wall that does not obey impulses
  double h_ = 0;
  LinkLimits limits_;
  bool damps_spin_ = false;
};

}  // namespace scree
