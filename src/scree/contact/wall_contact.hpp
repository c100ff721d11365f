#pragma once
// Grains against walls: every moving grain, every active wall, to touching contacts.
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/contact_memory.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/contact/wall_features.hpp"
#include "scree/world/world.hpp"

namespace scree {

class WallPhase {
 public:
  explicit WallPhase(const World& world);

  // Appends the wall contacts to `out` in the order (body, wall, feature). Springs are carried over from `of_walls`,
  // the wall contacts of the last step in that order. `finish` has the contacts of each chunk of bodies before they are
  // appended.
  void run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
           const WallCandidates& candidates, std::span<const RememberedContact> of_walls, ThreadPool& pool,
           const FinishContacts& finish, std::vector<Contact>& out);

  // Of one body: gaps up to `margin`, without history. Walls are where place_walls() saw them.
  void touch(const World& world, const TypeTables& tables, std::size_t body, Rotation2d rotation,
             const WallCandidates& candidates, double margin, std::vector<Contact>& out) const;
  void place_walls(const World& world);

  const std::vector<WallFeatures>& wall_features() const { return walls_; }

 private:
  std::vector<ShapeFeatures> shapes_;  // by World::shapes index, unit radius
  std::vector<WallFeatures> walls_;    // by World::walls index
  std::vector<WallView> views_;        // of the walls, where they are now
  std::vector<std::vector<Contact>> chunks_;
};

}  // namespace scree
