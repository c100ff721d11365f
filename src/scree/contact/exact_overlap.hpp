#pragma once
// How deep grains overlap by exact maps, whatever maps the world has: what a fast map's own answer cannot vouch for.
#include <cstdint>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/world/world.hpp"

namespace scree {

class ExactOverlap {
 public:
  explicit ExactOverlap(const World& world);

  // The largest overlap of any two grains of which one moves, length. Only pairs that may overlap by more than
  // `ignored` are asked, as the error bounds of the world's maps tell, and how far they have moved since they were
  // asked before: 0 when there are none.
  double deepest(const World& world, ThreadPool& pool, double ignored = 0);
  // Of two bodies: > 0 is a gap, length.
  double gap(const World& world, std::uint32_t i, std::uint32_t j) const;

 private:
  struct Seen {  // when it was asked
    std::uint32_t other;
    double gap;
    Pose2d lower_at, other_at;
  };
  bool still_clear(const World& world, std::uint32_t lower, std::uint32_t other, double ignored) const;
  double ask(const World& world, std::uint32_t lower, std::uint32_t other);

  TypeTables fast_;
  World exact_world_;  // keeps the exact maps
  TypeTables exact_;
  PairList list_;
  std::vector<std::vector<Seen>> seen_;  // by lower body
};

}  // namespace scree
