#include "scree/map/disc_map.hpp"

namespace scree {

ContactGeometry disc_contact(Vec2d x, double ratio) {
  const double r = norm(x);
  return {r - 1 - ratio, 0, r > 0 ? (1 / r) * x : Vec2d{1, 0}, 0.5 * (1 - ratio)};
}

void DiscMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  for (std::size_t i = 0; i < poses.size(); ++i) out[i] = disc_contact(poses[i].x, ratio_);
}

}  // namespace scree
