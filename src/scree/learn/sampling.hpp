#pragma once
// Poses of a pair with their exact contact geometry: the targets that networks learn from and that every map's error
// is measured on. Sampled as the paper does: 90 % of the poses with |gap| <= 0.1, 10 % with x uniform in the disc of
// radius reach(). theta is uniform over the whole turn.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scree/learn/factory.hpp"
#include "scree/map/contact_map.hpp"

namespace scree {

struct MapSamples {
  std::vector<Pose2d> poses;
  std::vector<ContactGeometry> targets;  // of the exact map without smoothing (epsilon = 0)
};

// `count` samples in random order. The same seed gives the same bits for any thread count. Poses share slices of
// fixed theta (a few hundred poses a slice), because an exact slice costs far more than a query in it.
MapSamples sample_exact(const ShapePair& pair, std::size_t count, std::uint64_t seed, ThreadPool& pool,
                        const Progress& progress = {});

}  // namespace scree
