#pragma once
// What the contact stages need to know of types and pairs of types, looked up once instead of per contact.
#include <vector>

#include "scree/world/world.hpp"

namespace scree {

struct TypePair {
  MapRef map;
  double reach = 0;          // r_i + r_j
  double overlap_limit = 0;  // thinnest feature of the thinner partner
  double doubt = 0;          // gaps larger than this are gaps: twice the map's error bound, length
  bool lower_is_a = true;    // the lower body index is A; else the higher
  int map_index = 0;         // dense index of the map, for grouping
  bool several = false;      // the map tells several contacts of a pair apart
  bool discs = false;        // both are discs: no map is asked
};

// Bodies i < j of a pair and x_j - x_i as A, B and x_B - x_A. Without a branch: of a mixture nobody could foresee it.
struct OrderedPair {
  std::uint32_t a, b;
  Vec2d from_a;
};
inline OrderedPair ordered(const TypePair& types, std::uint32_t i, std::uint32_t j, Vec2d separation) {
  const std::uint32_t swap = (types.lower_is_a ? 0u : ~0u) & (i ^ j);
  constexpr double sign[] = {-1, 1};
  return {i ^ swap, j ^ swap, sign[types.lower_is_a ? 1 : 0] * separation};
}

class TypeTables {
 public:
  explicit TypeTables(const World& world);

  const TypePair& pair(int i, int j) const {
    return pairs_[static_cast<std::size_t>(i) * types_ + static_cast<std::size_t>(j)];
  }
  double radius(int type) const { return radius_[static_cast<std::size_t>(type)]; }
  int map_count() const { return map_count_; }
  bool any_several() const { return any_several_; }
  bool only_discs() const { return only_discs_; }

 private:
  std::size_t types_ = 0;
  std::vector<TypePair> pairs_;
  std::vector<double> radius_;
  int map_count_ = 0;
  bool any_several_ = false;
  bool only_discs_ = true;
};

}  // namespace scree
