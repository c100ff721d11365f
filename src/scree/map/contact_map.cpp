#include "scree/map/contact_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {

ContactGeometry swapped(const ContactGeometry& g, const Pose2d& q) {
  ContactGeometry s;
  s.gap = g.gap;
  s.gap_theta = -g.gap_theta - cross(q.x, g.gap_x);
  s.gap_x = -(Rotation2d(q.theta).back(g.gap_x));
  s.arm = -g.arm;
  return s;
}

namespace {

// |x| - reach with the radial normal; the contact point sits halfway between the two circumcircles. A pose that is not
// finite ends here too and yields a gap that is not a number, which the watchdog finds.
ContactGeometry beyond_reach(const Pose2d& q, double reach) {
  const double r = norm(q.x);
  ContactGeometry g;
  g.gap = std::isfinite(q.theta) ? r - reach : q.theta - q.theta;
  g.gap_x = (1 / r) * q.x;
  g.arm = 1 - 0.5 * reach;
  return g;
}

bool within(const Pose2d& q, double reach) { return norm2(q.x) <= reach * reach && std::isfinite(q.theta); }

}  // namespace

void ContactMap::touching(const Pose2d& q, NearParts, std::vector<PairContact>& out) const {
  const ContactGeometry g = query(q);
  if (g.gap < 0) out.push_back({g, 0});
}

void ContactMap::nearest(const Pose2d& q, double, std::vector<PairContact>& out) const { out.push_back({query(q), 0}); }

void ContactMap::touching_batch(std::span<const Pose2d> poses, std::span<const NearParts> parts,
                                std::vector<PairContact>& out, std::vector<std::uint32_t>& ends) const {
  for (std::size_t k = 0; k < poses.size(); ++k) {
    touching(poses[k], parts[k], out);
    ends.push_back(static_cast<std::uint32_t>(out.size()));
  }
}

NearParts ContactMap::near_parts(const Pose2d&, double) const { return all_parts; }

double ContactMap::feature_distance(std::uint32_t before, std::uint32_t now) const {
  return before == now ? 0 : std::numeric_limits<double>::infinity();
}

ContactGeometry ContactMap::query(const Pose2d& q) const {
  ContactGeometry g;
  query_batch({&q, 1}, {&g, 1});
  return g;
}

void ContactMap::query_tilted(const Pose2d& q, double tilt, std::span<ContactGeometry, 3> out) const {
  if (within(q, reach_)) {
    query_tilted_impl(q, tilt, out);
  } else {
    std::ranges::fill(out, beyond_reach(q, reach_));
  }
}

void ContactMap::query_tilted_impl(const Pose2d& q, double tilt, std::span<ContactGeometry, 3> out) const {
  const Pose2d poses[] = {q, {wrap_angle(q.theta + tilt), q.x}, {wrap_angle(q.theta - tilt), q.x}};
  query_impl(poses, out);
}

void ContactMap::query_batch(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  std::size_t i = 0;
  while (i < poses.size()) {
    std::size_t end = i;
    while (end < poses.size() && within(poses[end], reach_)) ++end;
    if (end > i) query_impl(poses.subspan(i, end - i), out.subspan(i, end - i));
    for (; end < poses.size() && !within(poses[end], reach_); ++end) out[end] = beyond_reach(poses[end], reach_);
    i = end;
  }
}

}  // namespace scree
