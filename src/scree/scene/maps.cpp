#include "scree/scene/maps.hpp"

#include <chrono>

#include "scree/base/hash.hpp"
#include "scree/learn/factory.hpp"

namespace scree {

namespace {

ShapePair pair_of(const World& world, const MapNeed& need) {
  const auto shape = [&](int type) {
    return world.shapes[static_cast<std::size_t>(world.types[static_cast<std::size_t>(type)].shape)].get();
  };
  return {shape(need.type_a), shape(need.type_b), need.ratio};
}

}  // namespace

std::vector<MapUse> attach_maps(Scene& scene, const MapCache* cache, ThreadPool& pool, const MapProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const std::vector<MapNeed> needs = needed_maps(scene.world);
  std::vector<MapUse> uses;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const ShapePair pair = pair_of(scene.world, needs[i]);
    MapUse use;
    use.shape_a = pair.a->name;
    use.shape_b = pair.b->name;
    use.ratio = pair.ratio;
    use.key = to_hex(identity_of(pair, scene.maps).key());
    const auto report = [&](double fraction, const std::string& stage) {
      if (progress) progress(i, needs.size(), fraction, use.shape_a + "-" + use.shape_b, stage);
    };
    const auto start = Clock::now();
    report(0, "loading");
    const auto build = [&] { return build_map(pair, scene.maps, pool, report); };
    const std::shared_ptr<const ContactMap> map =
        cache ? cache->get(pair, scene.maps, build, &use.from_cache) : std::shared_ptr<const ContactMap>(build());
    use.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    use.kind = map->kind();
    use.bytes = map->bytes();
    use.error = map->error();
    assign_map(scene.world, needs[i], map);
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace scree
