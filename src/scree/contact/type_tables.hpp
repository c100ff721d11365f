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
  bool first = true;         // the body of the row type is A when the types differ
  bool same_order = false;   // same shape and radius: the lower body index is A
  int map_index = 0;         // dense index of the map, for grouping
  bool several = false;      // the map tells several contacts of a pair apart
  bool discs = false;        // both are discs: no map is asked
};

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
