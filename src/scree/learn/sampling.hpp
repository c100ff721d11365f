#pragma once
// Poses of a pair with their exact contact geometry: the targets that networks learn from and that every map's error
// is measured on. Sampled as the paper does: 90 % of the poses uniform in the band |gap| <= 0.1, 10 % with x uniform in
// the disc of radius reach(). theta is uniform over the whole turn.
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

inline constexpr double sample_band = 0.1;             // units of A's circumradius
inline constexpr std::size_t samples_per_slice = 256;  // poses that share one theta

// `count` samples in random order. The same seed gives the same bits for any thread count. Poses share slices of
// fixed theta, because an exact slice costs far more than a query in it.
MapSamples sample_exact(const ShapePair& pair, std::size_t count, std::uint64_t seed, ThreadPool& pool,
                        const Progress& progress = {});

// The same samples before they are shuffled: runs of `samples_per_slice` poses with one theta.
MapSamples sample_exact_by_slice(const ShapePair& pair, std::size_t count, std::uint64_t seed, ThreadPool& pool,
                                 const Progress& progress = {});

}  // namespace scree
