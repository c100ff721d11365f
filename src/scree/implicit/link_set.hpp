#pragma once
// The links of a step, in packs.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scree/implicit/find_links.hpp"
#include "scree/implicit/solver_bodies.hpp"
#include "scree/implicit/sweep_order.hpp"

namespace scree {

// A row of a link as a contact. `gap`: as the bodies are; `grains`: bodies that are not walls.
Contact contact_of(const Link& link, int row, double gap, std::size_t grains);

LinkedBody linked_body(const Bodies& bodies, std::size_t body);

class LinkSet {
 public:
  // A step begins, with the links of the last one, which World keeps; it ends, and World has them again.
  void start(double h, const LinkLimits& limits, ThreadPool& pool, World& world);
  void set_substep(double h) { h_ = h; }  // of the links that come next
  void finish(const SolverBodies& bodies, ThreadPool& pool, World& world);
  // Packs of `links`, of which some may have been kept: their planes are those of old. `links` are then those of old.
  void pack(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::vector<Link>& links,
            ThreadPool& pool);
  // Links of pairs; then the least that the gap of one can be now, if its planes still serve.
  std::span<const Link> of_pairs() const { return std::span(links_).first(pair_links_); }
  std::optional<double> least_gap(const SolverBodies& bodies, const Link& link) const;
  // How its bodies have moved since its planes were taken, unless they were moved otherwise than by a step.
  std::optional<Shift> shift_since(const SolverBodies& bodies, const Link& link) const;

  // Planes of links whose bodies have moved on, in the packs [begin, end): those of two bodies. Returns how many. Of
  // pairs that have several links it only says which are due: the first link of each, some more than once.
  std::size_t renew(const World& world, const LinkFinder& finder, const LinkScales& scales, const ForceTables& forces,
                    const SolverBodies& bodies, std::size_t begin, std::size_t end,
                    std::vector<std::uint32_t>& several);
  // Whether one of these pairs has met faster than `threshold`, and has not rebounded.
  bool has_impact(std::span<const std::uint32_t> firsts, float threshold) const;
  // Planes of these.
  void renew_several(const World& world, const LinkFinder& finder, const LinkScales& scales, const ForceTables& forces,
                     const SolverBodies& bodies, std::span<const std::uint32_t> firsts, ThreadPool& pool);
  // The same for all links with walls.
  void renew_walls(const World& world, const LinkFinder& finder, const Outlook& outlook, const LinkScales& scales,
                   const ForceTables& forces, const SolverBodies& bodies, ThreadPool& pool);

  // Contacts of the world: rows that carry a force, and those so deep that the watchdog must see them. `offset` was
  // taken off their gaps. Those between bodies that do not move stay as they are.
  void write_contacts(const SolverBodies& bodies, double offset, ThreadPool& pool, World& world);
  double driven_work(const SolverBodies& bodies) const;   // of walls and kinematic bodies in the last substep
  double rebound_work(const SolverBodies& bodies) const;  // of these in the last rebound
  // What the overlaps of all rows, or of links that are fresh, may give back; `load`: of may_hold().
  double holdable(const SolverBodies& bodies, double load, bool fresh, ThreadPool& pool) const;

  std::vector<LinkPack>& packs() { return packs_; }
  const std::vector<LinkPack>& packs() const { return packs_; }
  const SweepOrder& order() const { return order_; }
  bool damps_spin() const { return damps_spin_; }

 private:
  void renew_pair(const World& world, const LinkFinder& finder, const LinkFinder::Place& at, const LinkScales& scales,
                  const SolverBodies& bodies, std::size_t first);
  template <class Work>
  double sum_driven(const SolverBodies& bodies, Work work) const;
  // The same, whatever moved them; returns their way against each other.
  double way_since(const SolverBodies& bodies, const Link& link, Shift& by) const;
  bool moved_on(const SolverBodies& bodies, const Link& link) const;
  void sort_out(std::size_t grains, const SolverBodies& bodies, ThreadPool& pool);
  LinkPack& pack_of(std::size_t link) { return packs_[order_.lane_of(link) / pack_lanes]; }
  const LinkPack& pack_of(std::size_t link) const { return packs_[order_.lane_of(link) / pack_lanes]; }
  std::size_t lane(std::size_t link) const { return order_.lane_of(link) % pack_lanes; }
  void set_lane(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::size_t link);
  double gap_now(const SolverBodies& bodies, std::size_t link, int row, double offset) const;
  bool is_contact(const SolverBodies& bodies, std::size_t link, int row, double offset) const;
  // Of a link, from `out` on; returns where they end. `grains`: bodies that are not walls.
  Contact* add_contacts(const SolverBodies& bodies, std::size_t grains, double offset, std::size_t link,
                        Contact* out) const;

  std::vector<Link> links_;
  std::size_t pair_links_ = 0;               // then those with walls
  std::vector<std::uint8_t> displaced_;      // bodies: not where the last step left them, until the first look
  std::vector<std::size_t> wall_bodies_{0};  // the first of each body, and where the last one's end
  SweepOrder order_;
  std::vector<LinkPack> packs_;
  std::vector<PackWatch> watches_;     // by pack
  std::vector<std::uint32_t> driven_;  // links with a body or wall that does not obey impulses
  Parts<std::uint32_t> driven_parts_;
  double h_ = 0;
  LinkLimits limits_;
  bool damps_spin_ = false;
};

}  // namespace scree
