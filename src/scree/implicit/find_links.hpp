#pragma once
// World -> links: which pairs may touch, and the planes below their gaps, through the contact maps.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/contact/wall_contact.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/implicit/outlook.hpp"
#include "scree/implicit/pair_planes.hpp"
#include "scree/world/world.hpp"

namespace scree {

struct FoundLinks {
  std::vector<Link> links;  // of pairs in the order of the list, then with walls by body
  std::vector<Link> at_walls;
  Parts<Link> pair_parts, wall_parts;
};

class LinkFinder {
 public:
  LinkFinder(const World& world, const TypeTables& tables, const ForceTables& forces, WallPhase& walls);

  // Links of before, by (lower, higher body): those that serve are taken as they are. At the beginning of a step forces
  // are those of World::contacts, and parameters are found anew.
  struct Kept {
    std::span<const Link> links;
    std::function<std::optional<double>(const Link&)> least_gap;   // none: its planes do not serve any more
    std::function<std::optional<Shift>(const Link&)> shift_since;  // its planes were taken; none: not known
    bool from_last_step = false;
  };
  // All pairs whose gap is less than the slack that `outlook` gives them, in the order of its list, then bodies with
  // walls. Forces of what is new are those of World::contacts: each goes on in its row. Returns how many pairs were
  // looked at.
  std::size_t find(const World& world, const SolverBodies& bodies, const LinkScales& scales, const Kept& kept,
                   ThreadPool& pool, Outlook& outlook, FoundLinks& found) const;

  using Place = PairPlace;
  static constexpr std::size_t prefetched = 2;  // looks ahead

  // Of a link of two bodies; then the planes of all links of that pair there, when these have moved by `by` since.
  // Forces go on.
  Place place_of(const World& world, const Link& link) const;
  void renew(const World& world, const Place& at, const LinkScales& scales, const Shift& by,
             std::span<Link> links) const;
  // The same for all links of a body with walls. Features that are gone keep their planes.
  void renew_walls(const World& world, const Outlook& outlook, const LinkScales& scales, std::span<Link> links) const;

 private:
  void find_walls(const World& world, const SolverBodies& bodies, std::uint32_t i, const LinkScales& scales,
                  const Outlook& outlook, std::vector<Link>& links) const;
  // Elements by (lower, higher body), asked for one pair after the other, mostly in their order.
  template <class Element>
  class ByPair;
  // A pair that may be a link, or is still the link that it was.
  struct Candidate {
    std::size_t pair;
    std::span<const Link> old;   // serve
    std::span<const Link> gone;  // do not serve any more
    double slack;
    Place place;  // of new ones
  };
  // Pairs of which `i` is the lower body.
  void find_candidates(const World& world, const SolverBodies& bodies, std::uint32_t i, const Kept& kept,
                       ByPair<Link>& kept_links, const Outlook& outlook, std::vector<Candidate>& candidates) const;
  // Returns how many were looked at.
  std::size_t look_at(const World& world, const SolverBodies& bodies, std::span<const Candidate> candidates,
                      const Kept& kept, const LinkScales& scales, Outlook& outlook, std::vector<Link>& links) const;
  void find_place(const World& world, std::uint32_t i, std::uint32_t j, Rotation2d rotation_i, Rotation2d rotation_j,
                  Place& at) const;
  // Fills the new links of a pair when the gap may be less than `slack`; returns the least that it can be, offset taken
  // off.
  double look(const World& world, const Place& at, double slack, const LinkScales& scales, std::span<Link> links) const;
  Link wall_link(const World& world, const Contact& c, const LinkScales& scales) const;
  void set_parameters(const PairParameters& p, double restitution, double kappa, double curvature, Link& link) const;
  // Of two bodies; `along`: a plane of theirs.
  void set_pair_parameters(const World& world, const LinkRow& along, Link& link) const;
  // How the force may turn until the planes are taken anew, from those of `old`, which bodies have left by `by`.
  void foresee_turn(const World& world, const LinkScales& scales, const Link& old, const Shift& by, Link& link) const;
  // Those of contacts go on in their rows.
  void take_forces(const World& world, std::span<const Contact> contacts, std::span<Link> links) const;

  const TypeTables& tables_;
  const ForceTables& forces_;
  WallPhase& walls_;
  std::size_t types_, wall_count_;
  std::vector<double> of_pairs_, of_walls_;  // restitution: types x types, types x walls
};

}  // namespace scree
