#include "scree/map/clump_map.hpp"

#include <algorithm>
#include <limits>

namespace scree {
namespace {

// More than the rounding of a distance between the grains, in either precision: a few units in the last place of A's
// circumradius and B's.
constexpr double rounding = 1e-5;

Clump scaled(Clump clump, double scale) {
  for (ClumpDisc& d : clump.discs) d = {scale * d.centre, scale * d.radius};
  clump.error *= scale;
  return clump;
}

}  // namespace

ClumpMap::ClumpMap(const ShapePair& pair, const ClumpSettings& settings)
    : ContactMap(pair.reach()), a_(fit_clump(*pair.a, settings)) {
  b_ = scaled(pair.b == pair.a ? a_ : fit_clump(*pair.b, settings), pair.ratio);
  for (const ClumpDisc& d : b_.discs) reach_b_ = std::max(reach_b_, norm(d.centre) + d.radius);
  reach_b_ += rounding * (1 + reach_b_);
}

std::size_t ClumpMap::bytes() const { return sizeof *this + (a_.discs.size() + b_.discs.size()) * sizeof(ClumpDisc); }

void ClumpMap::touching(const Pose2d& q, NearParts, std::vector<PairContact>& out) const {
  clump_touching(view(), q, [&](const PairContact& c) { out.push_back(c); });
}

void ClumpMap::nearest(const Pose2d& q, double way, std::vector<PairContact>& out) const {
  const Rotation2d turn(q.theta);
  const std::size_t begin = out.size();
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < b_.discs.size(); ++j) {
    const Vec2d centre = turn * b_.discs[j].centre + q.x;
    for (std::size_t i = 0; i < a_.discs.size(); ++i) {
      const ContactGeometry g = disc_pair(a_.discs[i], b_.discs[j], centre, q.x);
      if (!(g.gap <= most)) continue;
      out.push_back({g, static_cast<std::uint32_t>(i << 16 | j)});
      if (out.size() > begin + 1 && g.gap >= out[begin].geometry.gap) continue;
      most = g.gap + nearest_within * way;
      std::swap(out.back(), out[begin]);
    }
  }
  out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                           [&](const PairContact& c) { return !(c.geometry.gap <= most); }),
            out.end());
}

ClumpView<double> ClumpMap::view() const {
  return {a_.discs.data(), static_cast<int>(a_.discs.size()), b_.discs.data(), static_cast<int>(b_.discs.size()),
          reach_b_};
}

void ClumpMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const Rotation2d turn(poses[k].theta);
    out[k].gap = std::numeric_limits<double>::infinity();
    for (const ClumpDisc& b : b_.discs) {
      const Vec2d centre = turn * b.centre + poses[k].x;
      for (const ClumpDisc& a : a_.discs) {
        const ContactGeometry g = disc_pair(a, b, centre, poses[k].x);
        if (g.gap < out[k].gap) out[k] = g;
      }
    }
  }
}

}  // namespace scree
