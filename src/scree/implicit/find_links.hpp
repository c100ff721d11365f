#pragma once
// World -> links: which pairs may touch, and the planes below their gaps, through the contact maps.
#include <functional>
#include <span>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/contact/wall_contact.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/implicit/link_kernel.hpp"
#include "scree/implicit/outlook.hpp"
#include "scree/world/world.hpp"

namespace scree {

class LinkFinder {
 public:
  LinkFinder(const World& world, const TypeTables& tables, const ForceTables& forces, WallPhase& walls);

  // All pairs whose gap is less than the slack that `outlook` gives them, in the order of its list, then bodies with
  // walls. Forces are those of World::contacts: each goes on in its row. `kept` answers links that still serve, by pair
  // of the list, or none. Returns how many pairs were looked at.
  using Kept = std::function<const Link*(std::size_t pair)>;
  std::size_t find(const World& world, const SolverBodies& bodies, const LinkScales& scales, const Kept& kept,
                   ThreadPool& pool, Outlook& outlook, std::vector<Link>& links) const;

  // The planes of a link of two bodies at their present poses; its forces go on.
  void renew(const World& world, const LinkScales& scales, Link& link) const;
  void prefetch(const World& world, const Link& link) const;
  // The same for all links of a body with walls. Features that are gone keep their planes.
  void renew_walls(const World& world, const Outlook& outlook, const LinkScales& scales, std::span<Link> links) const;

 private:
  void find_walls(const World& world, const SolverBodies& bodies, std::uint32_t i, const LinkScales& scales,
                  const Outlook& outlook, std::vector<Link>& links) const;
  // Where two bodies are to each other, as their map sees it.
  struct Place {
    const TypePair* types;
    std::uint32_t a, b;
    Rotation2d rotation_a;
    Vec2d x_ab;
    Pose2d pose;   // drawn in to where the circumcircles touch: beyond that maps know nothing but those
    Vec2d excess;  // by which it was, in units of the map
  };
  struct Candidate {
    std::size_t pair;
    double slack;
    Place place;
  };
  // `due` is room to work in.
  std::size_t find_pairs(const World& world, const SolverBodies& bodies, std::uint32_t i, const LinkScales& scales,
                         const Kept& kept, Outlook& outlook, std::vector<Candidate>& due,
                         std::vector<Link>& links) const;
  Place place(const World& world, std::uint32_t i, std::uint32_t j, Rotation2d rotation_i, Rotation2d rotation_j) const;
  Place place_of(const World& world, const Link& link) const;
  // Fills `link` when the gap may be less than `slack`; returns the least that it can be, offset taken off.
  double look(const World& world, const Place& at, double slack, const LinkScales& scales, Link& link) const;
  Link wall_link(const World& world, const Contact& c, const LinkScales& scales) const;
  void set_parameters(const PairParameters& p, double restitution, double kappa, double curvature, Link& link) const;

  const TypeTables& tables_;
  const ForceTables& forces_;
  WallPhase& walls_;
  std::size_t types_, wall_count_;
  std::vector<double> of_pairs_, of_walls_;  // restitution: types x types, types x walls
};

}  // namespace scree
