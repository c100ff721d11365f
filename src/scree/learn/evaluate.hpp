#pragma once
// How far a map is from the exact one.
#include <cstddef>
#include <cstdint>

#include "scree/base/parallel.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/map/progress.hpp"

namespace scree {

// The engine relies on gap_max; samples miss the worst pose, so the measured maximum is raised by this factor.
inline constexpr double error_safety = 1.5;
inline constexpr std::size_t default_error_samples = 32768;
inline constexpr std::uint64_t default_error_seed = 20250;

// Over samples drawn as learn/sampling.hpp says; figures over those with |exact gap| <= 0.1 unless MapError says
// otherwise. The angle is between the full gradients (d_theta, d_x). The same bits for any thread count.
MapError measure_error(const ContactMap& map, const ShapePair& pair, ThreadPool& pool,
                       std::size_t samples = default_error_samples, std::uint64_t seed = default_error_seed,
                       const Progress& progress = {});

// What gap_max bounds: how far a map's answer is from the truth, which is any value between the exact gap and the least
// motion (map/least_motion.hpp). Deeper than the band only answers above it count, beyond it only answers that are too
// large.
double gap_excess(double answer, double exact, double least_motion);

}  // namespace scree
