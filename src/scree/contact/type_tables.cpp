#include "scree/contact/type_tables.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "scree/map/disc_map.hpp"

namespace scree {

TypeTables::TypeTables(const World& world) : types_(world.types.size()) {
  std::map<const ContactMap*, int> index;
  pairs_.resize(types_ * types_);
  for (const GrainType& type : world.types) radius_.push_back(type.radius);
  for (std::size_t i = 0; i < types_; ++i) {
    for (std::size_t j = 0; j < types_; ++j) {
      const GrainType& a = world.types[i];
      const GrainType& b = world.types[j];
      TypePair& pair = pairs_[i * types_ + j];
      if (!world.map_table.empty()) pair.map = world.map_of(static_cast<int>(i), static_cast<int>(j));
      // A map that was never measured promises nothing.
      const bool measured = pair.map.map && pair.map.map->error().samples > 0;
      pair.doubt = measured ? 2 * pair.map.scale * pair.map.map->error().gap_max : std::numeric_limits<double>::max();
      pair.reach = a.radius + b.radius;
      pair.several = pair.map.map && pair.map.map->several();
      pair.discs = dynamic_cast<const DiscMap*>(pair.map.map) != nullptr;
      any_several_ = any_several_ || pair.several;
      only_discs_ = only_discs_ && pair.discs;
      pair.overlap_limit = std::min(a.thinnest, b.thinnest);
      const bool alike = a.shape == b.shape && a.radius == b.radius;
      pair.lower_is_a = alike || world.in_order(static_cast<int>(i), static_cast<int>(j), 0, 1);
      const auto next = static_cast<int>(index.size());
      pair.map_index = index.emplace(pair.map.map, next).first->second;
    }
  }
  map_count_ = static_cast<int>(index.size());
}

}  // namespace scree
