#pragma once
// The contact maps a scene needs: from the cache, or built now.
#include <functional>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/map/map_cache.hpp"
#include "scree/scene/scene.hpp"

namespace scree {

// One map of a scene, for tables and run.json.
struct MapUse {
  std::string shape_a, shape_b;
  double ratio = 1;  // circumradius of B over that of A
  std::string key;   // content key of the cache, 16 hexadecimal digits
  bool from_cache = false;
  double seconds = 0;  // to load or build it
  std::string kind;
  std::size_t bytes = 0;
  MapError error;
};

// `map`: index of the map under way, of `maps`; `fraction`: how much of it is done. May throw to give up.
using MapProgress = std::function<void(std::size_t map, std::size_t maps, double fraction, const std::string& pair,
                                       const std::string& stage)>;

// Gives every pair of grain types that can meet its map. `cache` may be null: then every map is built.
std::vector<MapUse> attach_maps(Scene& scene, const MapCache* cache, ThreadPool& pool,
                                const MapProgress& progress = {});

}  // namespace scree
