#include "scree/contact/exact_overlap.hpp"

#include <algorithm>

#include "scree/learn/factory.hpp"

namespace scree {

namespace {

double gap_by(const TypeTables& tables, const World& world, std::uint32_t i, std::uint32_t j) {
  const Bodies& b = world.bodies;
  const TypePair& types = tables.pair(b.type[i], b.type[j]);
  const OrderedPair pair = ordered(types, i, j, world.separation(b.x[i], b.x[j]));
  const Vec2d x_ab = Rotation2d(b.theta[pair.a]).back(pair.from_a);
  const double scale = types.map.scale;
  return scale * types.map.map->query({wrap_angle(b.theta[pair.b] - b.theta[pair.a]), (1 / scale) * x_ab}).gap;
}

World with_exact_maps(World world) {
  MapSettings exact;
  exact.kind = "exact";
  exact.epsilon = 0;
  ThreadPool one(1);
  for (const MapNeed& need : needed_maps(world)) {
    const auto shape = [&](int t) {
      return world.shapes[static_cast<std::size_t>(world.types[static_cast<std::size_t>(t)].shape)].get();
    };
    assign_map(world, need, build_map({shape(need.type_a), shape(need.type_b), need.ratio}, exact, one));
  }
  return world;
}

}  // namespace

ExactOverlap::ExactOverlap(const World& world)
    : fast_(world), exact_world_(with_exact_maps(world)), exact_(exact_world_) {}

double ExactOverlap::gap(const World& world, std::uint32_t i, std::uint32_t j) const {
  return gap_by(exact_, world, std::min(i, j), std::max(i, j));
}

double ExactOverlap::deepest(const World& world, ThreadPool& pool, double ignored) {
  build_pair_list(world, fast_, 0, pool, list_);
  const std::size_t n = world.bodies.size();
  constexpr std::size_t chunk = 64;
  std::vector<double> parts(chunk_count(n, chunk), 0);
  for_chunks(
      pool, n,
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        for (std::size_t p = list_.first[begin], i = begin; p < list_.first[end]; ++p) {
          while (p >= list_.first[i + 1]) ++i;
          const std::uint32_t lower = static_cast<std::uint32_t>(i), j = list_.j[p];
          const double doubt = 0.5 * fast_.pair(world.bodies.type[i], world.bodies.type[j]).doubt;
          if (gap_by(fast_, world, lower, j) - doubt > -ignored) continue;
          parts[k] = std::max(parts[k], -gap(world, lower, j));
        }
      },
      chunk);
  return parts.empty() ? 0 : *std::ranges::max_element(parts);
}

}  // namespace scree
