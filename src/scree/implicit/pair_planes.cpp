#include "scree/implicit/pair_planes.hpp"

#include <array>

namespace scree {

namespace {

using Plane = PlaneOf<double>;

double planes_of_several(const PairPlace& at, double slack, const LinkScales& scales, std::span<Link> links) {
  const double scale = at.types->map.scale;
  thread_local PlaneChoice choice;
  choice.choose(*at.types->map.map, at.pose, scales.turnover / scale);
  const std::span<const ContactGeometry> planes = choice.planes();
  const double sure = scale * (planes[0].gap - norm(at.excess)) - scales.offset;
  if (sure > slack) return sure;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Plane plane =
        plane_of(planes[k], dot(planes[k].gap_x, at.excess), scale, at.x_ab, at.rotation_a, scales.offset);
    links[k].rows[0] = plane.row, links[k].row_count = 1;
    links[k].normal = plane.normal, links[k].arm_a = plane.arm_a, links[k].arm_b = plane.arm_b;
  }
  return sure;
}

double planes_of_one(const PairPlace& at, double slack, const LinkScales& scales, Link& link) {
  const TypePair& types = *at.types;
  const double scale = types.map.scale;
  const bool one_plane = types.discs || scales.one_plane;
  std::array<ContactGeometry, 3> g;  // or the first alone
  if (one_plane) {
    g[0] = types.map.map->query(at.pose);
  } else {
    types.map.map->query_tilted(at.pose, scales.tilt, g);
  }
  const double sure = scale * (g[0].gap - norm(at.excess)) - scales.offset;
  if (sure > slack) return sure;
  for (ContactGeometry& side : g) side.gap += dot(side.gap_x, at.excess);
  const double gap = scale * g[0].gap - scales.offset;

  const Plane middle = plane_of(g[0], 0.0, scale, at.x_ab, at.rotation_a, scales.offset);
  link.normal = middle.normal, link.arm_a = middle.arm_a, link.arm_b = middle.arm_b;
  if (one_plane) {
    link.rows[0] = middle.row, link.row_count = 1;
  } else {
    side_planes(middle, gap, &g[1], scale, at.x_ab, at.rotation_a, scales, link.rows.data());
    link.row_count = 2;
  }
  return sure;
}

}  // namespace

double take_planes(const PairPlace& at, double slack, const LinkScales& scales, std::span<Link> links) {
  return at.types->several ? planes_of_several(at, slack, scales, links) : planes_of_one(at, slack, scales, links[0]);
}

}  // namespace scree
