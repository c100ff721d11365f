#include "scree/learn/factory.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/learn/evaluate.hpp"
#include "scree/learn/train.hpp"
#include "scree/map/clump_map.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/map/exact_map.hpp"
#include "scree/map/grid_minimum_map.hpp"
#include "scree/map/star_map.hpp"
#include "scree/map/table_map.hpp"

namespace scree {
namespace {

// What a map is made with.
struct Means {
  ThreadPool& pool;
  const Progress& progress;
  const Fitter& fitter;
};

using Builder = std::unique_ptr<ContactMap> (*)(const ShapePair&, const MapSettings&, const Means&);

struct Kind {
  const char* name;
  Builder build;
  std::size_t error_samples;  // fewer where a query is slow
};

std::unique_ptr<ContactMap> build_exact(const ShapePair& pair, const MapSettings& settings, const Means&) {
  return std::make_unique<ExactMap>(pair, settings.epsilon);
}

std::unique_ptr<ContactMap> build_table_map(const ShapePair& pair, const MapSettings& settings, const Means& by) {
  return std::make_unique<TableMap>(build_table(pair, settings, by.pool, by.progress));
}

std::unique_ptr<ContactMap> build_neural(const ShapePair& pair, const MapSettings& settings, const Means& by) {
  return by.fitter ? train_neural_map_by(by.fitter, pair, settings, by.pool, by.progress)
                   : train_neural_map(pair, settings, by.pool, by.progress);
}

std::unique_ptr<ContactMap> build_grid_minimum(const ShapePair& pair, const MapSettings& settings, const Means&) {
  return std::make_unique<GridMinimumMap>(pair, settings.grid);
}

std::unique_ptr<ContactMap> build_star(const ShapePair& pair, const MapSettings& settings, const Means&) {
  return std::make_unique<StarMap>(pair, settings.star_nodes, settings.star_distance);
}

std::unique_ptr<ContactMap> build_clump(const ShapePair& pair, const MapSettings& settings, const Means&) {
  return std::make_unique<ClumpMap>(pair, ClumpSettings{settings.clump_discs, settings.clump_tolerance});
}

constexpr Kind kinds[] = {{"exact", build_exact, 4096},
                          {"table", build_table_map, default_error_samples},
                          {"neural", build_neural, default_error_samples},
                          {"grid-minimum", build_grid_minimum, 4096},
                          {"star", build_star, 4096},
                          {"clump", build_clump, 4096}};

const Kind& find_kind(const std::string& name) {
  for (const Kind& kind : kinds)
    if (name == kind.name) return kind;
  const std::string nearest = nearest_name(name, map_kinds());
  throw Error(ErrorKind::input, "maps.kind", "unknown map kind '" + name + "'",
              (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "known kinds: " + join(map_kinds()));
}

void check(const ShapePair& pair, const MapSettings& settings) {
  if (!(pair.ratio > 0) || !std::isfinite(pair.ratio))
    throw Error(ErrorKind::input, "contact map of " + pair.a->name + " and " + pair.b->name,
                cat("size ratio ", pair.ratio, " is not a positive number"), "give both grains a positive radius");
  if (!(settings.epsilon >= 0) || settings.epsilon > 0.2)
    throw Error(ErrorKind::input, "maps.epsilon", cat(settings.epsilon, " is out of range"),
                "choose 0 to 0.2 of the grain's radius; 0.001 is the default");
  if (settings.star_nodes < fewest_star_nodes || settings.star_nodes > most_star_nodes)
    throw Error(ErrorKind::input, "maps.star_nodes", cat(settings.star_nodes, " is out of range"),
                cat("choose ", fewest_star_nodes, " to ", most_star_nodes, "; 100 is the default"));
}

}  // namespace

std::vector<std::string> map_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::unique_ptr<ContactMap> build_map(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                                      const Progress& progress, const Fitter& fitter) {
  const Kind& kind = find_kind(settings.kind);
  check(pair, settings);
  if (pair.a->is_disc && pair.b->is_disc) return std::make_unique<DiscMap>(pair.ratio);
  std::unique_ptr<ContactMap> map = kind.build(pair, settings, {pool, progress, fitter});
  MapError error = measure_error(*map, pair, pool, kind.error_samples, default_error_seed, progress);
  // Smoothing acts near face contact alone, which samples hardly ever hit: here a proof is better than a measurement.
  if (const auto* exact = dynamic_cast<const ExactMap*>(map.get()))
    error.gap_max = std::max(error.gap_max, exact->smoothing_bound());
  map->set_error(error);
  return map;
}

}  // namespace scree
