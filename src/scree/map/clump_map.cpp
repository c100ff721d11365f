#include "scree/map/clump_map.hpp"

#include <limits>

namespace scree {
namespace {

Clump scaled(Clump clump, double scale) {
  for (ClumpDisc& d : clump.discs) d = {scale * d.centre, scale * d.radius};
  clump.error *= scale;
  return clump;
}

// Two discs of the grains, B's centre already in A's frame. The contact point is in the middle of the overlap.
ContactGeometry disc_pair(const ClumpDisc& a, const ClumpDisc& b, Vec2d centre_b, Vec2d x) {
  const Vec2d apart = centre_b - a.centre;
  const double distance = norm(apart);
  const Vec2d n = distance > 0 ? (1 / distance) * apart : Vec2d{1, 0};
  ContactGeometry g;
  g.gap = distance - a.radius - b.radius;
  g.gap_x = n;
  g.gap_theta = cross(centre_b - x, n);
  g.arm = dot(a.centre + (a.radius + 0.5 * g.gap) * n - 0.5 * x, n);
  return g;
}

}  // namespace

ClumpMap::ClumpMap(const ShapePair& pair, const ClumpSettings& settings)
    : ContactMap(pair.reach()), a_(fit_clump(*pair.a, settings)) {
  b_ = scaled(pair.b == pair.a ? a_ : fit_clump(*pair.b, settings), pair.ratio);
}

std::size_t ClumpMap::bytes() const { return sizeof *this + (a_.discs.size() + b_.discs.size()) * sizeof(ClumpDisc); }

void ClumpMap::touching(const Pose2d& q, NearParts, std::vector<PairContact>& out) const {
  thread_local std::vector<Vec2d> centres;
  const Rotation2d turn(q.theta);
  centres.clear();
  for (const ClumpDisc& d : b_.discs) centres.push_back(turn * d.centre + q.x);
  for (std::size_t i = 0; i < a_.discs.size(); ++i)
    for (std::size_t j = 0; j < centres.size(); ++j) {
      const double reach = a_.discs[i].radius + b_.discs[j].radius;
      if (norm2(centres[j] - a_.discs[i].centre) >= reach * reach) continue;
      const ContactGeometry g = disc_pair(a_.discs[i], b_.discs[j], centres[j], q.x);
      if (g.gap < 0) out.push_back({g, static_cast<std::uint32_t>(i << 16 | j)});
    }
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
