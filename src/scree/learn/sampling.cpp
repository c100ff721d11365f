#include "scree/learn/sampling.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numbers>

#include "scree/base/rng.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/map/exact_slice.hpp"

namespace scree {
namespace {

constexpr double band_share = 0.9;
constexpr int max_tries = 400;

Vec2d in_disc(Rng& rng, double radius) {
  const double r = radius * std::sqrt(rng.uniform());
  const double phi = rng.uniform(0, 2 * std::numbers::pi);
  return {r * std::cos(phi), r * std::sin(phi)};
}

// Exact geometry at one theta, whatever the pair.
class Slice {
 public:
  Slice(const ShapePair& pair, const PairGeometry* geometry, double theta) : ratio_(pair.ratio) {
    if (geometry) slice_ = std::make_unique<ExactSlice>(*geometry, theta);
  }
  ContactGeometry query(Vec2d x) const { return slice_ ? slice_->query(x) : disc_contact(x, ratio_); }
  // A point within the band, without trying: some boundary point, moved by less than the band's width.
  Vec2d near_boundary(Rng& rng) const {
    const Vec2d shift = in_disc(rng, sample_band);
    if (!slice_) {
      const double phi = rng.uniform(0, 2 * std::numbers::pi);
      return (1 + ratio_) * Vec2d{std::cos(phi), std::sin(phi)} + shift;
    }
    const auto& boundary = slice_->boundary();
    const BoundarySegment& s = boundary[static_cast<std::size_t>(rng.below(boundary.size()))];
    return s.from + rng.uniform(0, s.length) * s.direction + shift;
  }

 private:
  double ratio_;
  std::unique_ptr<ExactSlice> slice_;
};

void draw(const Slice& slice, Rng& rng, double reach, Vec2d& x, ContactGeometry& g) {
  const bool banded = rng.uniform() < band_share;
  for (int k = 0; k < max_tries; ++k) {
    x = in_disc(rng, reach);
    g = slice.query(x);
    if (!banded || std::abs(g.gap) <= sample_band) return;
  }
  do {  // the band is a sliver of a huge disc
    x = slice.near_boundary(rng);
  } while (norm(x) > reach);
  g = slice.query(x);
}

void shuffle(MapSamples& samples, std::uint64_t seed) {
  Rng rng(seed, ~std::uint64_t{0});
  for (std::size_t i = samples.poses.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(rng.below(i));
    std::swap(samples.poses[i - 1], samples.poses[j]);
    std::swap(samples.targets[i - 1], samples.targets[j]);
  }
}

}  // namespace

MapSamples sample_exact_by_slice(const ShapePair& pair, std::size_t count, std::uint64_t seed, ThreadPool& pool,
                                 const Progress& progress) {
  MapSamples out;
  out.poses.resize(count);
  out.targets.resize(count);
  const bool discs = pair.a->is_disc && pair.b->is_disc;
  const std::unique_ptr<PairGeometry> geometry = discs ? nullptr : std::make_unique<PairGeometry>(pair);
  const std::size_t slices = chunk_count(count, samples_per_slice);
  std::size_t done = 0;
  std::mutex mutex;
  for_chunks(
      pool, count,
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        Rng rng(seed, k);
        const double theta = rng.uniform(-std::numbers::pi, std::numbers::pi);
        const Slice slice(pair, geometry.get(), theta);
        for (std::size_t i = begin; i < end; ++i) {
          out.poses[i].theta = theta;
          draw(slice, rng, pair.reach(), out.poses[i].x, out.targets[i]);
        }
        if (!progress) return;
        const std::scoped_lock lock(mutex);
        if (++done % 64 == 0 || done == slices)
          progress(static_cast<double>(done) / static_cast<double>(slices), "sampling");
      },
      samples_per_slice);
  return out;
}

MapSamples sample_exact(const ShapePair& pair, std::size_t count, std::uint64_t seed, ThreadPool& pool,
                        const Progress& progress) {
  MapSamples samples = sample_exact_by_slice(pair, count, seed, pool, progress);
  shuffle(samples, seed);
  return samples;
}

}  // namespace scree
