#include "scree/contact/exact_overlap.hpp"

#include <algorithm>
#include <cmath>

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

// A gap shrinks by no more than the points of two grains move against each other.
bool ExactOverlap::still_clear(const World& world, std::uint32_t lower, std::uint32_t other, double ignored) const {
  const auto seen = std::ranges::find(seen_[lower], other, &Seen::other);
  if (seen == seen_[lower].end()) return false;
  const Bodies& b = world.bodies;
  const Vec2d apart = b.x[other] - b.x[lower], before = seen->other_at.x - seen->lower_at.x;
  const double way = norm(apart - before) +
                     fast_.radius(b.type[lower]) * std::abs(b.theta[lower] - seen->lower_at.theta) +
                     fast_.radius(b.type[other]) * std::abs(b.theta[other] - seen->other_at.theta);
  return seen->gap - way > -ignored;
}

double ExactOverlap::ask(const World& world, std::uint32_t lower, std::uint32_t other) {
  const Bodies& b = world.bodies;
  const auto pose = [&](std::uint32_t k) { return Pose2d{b.theta[k], b.x[k]}; };
  std::vector<Seen>& of_lower = seen_[lower];
  auto seen = std::ranges::find(of_lower, other, &Seen::other);
  if (seen == of_lower.end()) seen = of_lower.insert(seen, Seen{other, 0, {}, {}});
  *seen = {other, gap(world, lower, other), pose(lower), pose(other)};
  return seen->gap;
}

double ExactOverlap::deepest(const World& world, ThreadPool& pool, double ignored) {
  build_pair_list(world, fast_, 0, pool, list_);
  const std::size_t n = world.bodies.size();
  if (seen_.size() != n) seen_.assign(n, {});  // some came or went
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
          if (!still_clear(world, lower, j, ignored)) parts[k] = std::max(parts[k], -ask(world, lower, j));
        }
      },
      chunk);
  return parts.empty() ? 0 : *std::ranges::max_element(parts);
}

}  // namespace scree
