#include <cmath>
#include <memory>

#include "bindings.hpp"
#include "scree/base/error.hpp"
#include "scree/learn/factory.hpp"
#include "scree/map/map_cache.hpp"
#include "scree/map/map_file.hpp"
#include "scree/scene/scene.hpp"

namespace scree::python {

namespace {

// A map with what it was made of: some kinds look at the shapes whenever they are asked.
struct Map {
  std::shared_ptr<const Shape> a, b;
  std::shared_ptr<const ContactMap> map;
  MapIdentity identity;
};

using MapPointer = std::shared_ptr<Map>;

// The scene reader checks the fields; the rest of the scene is there because it asks for it.
MapSettings settings_of(const std::string& maps_table, const std::string& where) {
  return parse_scene(maps_table + "\n[run]\nduration = 0\n[step]\ndt = 1\n", where).maps;
}

MapPointer build(const std::shared_ptr<Shape>& a, const std::shared_ptr<Shape>& b, double ratio,
                 const std::string& maps_table, const std::string& where,
                 const std::optional<std::filesystem::path>& cache_folder, int threads, const nb::object& report) {
  if (!(ratio > 0) || !std::isfinite(ratio))
    throw Error(ErrorKind::input, where + ": ratio", "must be a positive number",
                "give the circumradius of b over that of a");
  const ShapePair pair{a.get(), b.get(), ratio};
  const MapSettings settings = settings_of(maps_table, where);
  auto out = std::make_shared<Map>(Map{a, b, nullptr, identity_of(pair, settings)});
  run_job(
      [&](const JobProgress& progress) {
        ThreadPool pool(threads);
        const auto make = [&] { return build_map(pair, settings, pool, progress); };
        if (cache_folder) {
          out->map = MapCache(*cache_folder).get(pair, settings, make);
        } else {
          out->map = make();
        }
      },
      report);
  return out;
}

MapPointer load(const std::filesystem::path& file) {
  LoadedMap loaded = load_map(file);
  return std::make_shared<Map>(Map{nullptr, nullptr, std::move(loaded.map), std::move(loaded.identity)});
}

std::tuple<Array, Array, Array, Array> evaluate(const Map& map, const Numbers& theta, const Points& x, int threads) {
  const std::size_t n = theta.shape(0);
  if (x.shape(0) != n) throw nb::value_error("theta and x differ in length");
  std::vector<double> gap(n), gap_theta(n), arm(n);
  std::vector<Vec2d> gap_x(n);
  {
    const nb::gil_scoped_release free;
    std::vector<Pose2d> poses(n);
    for (std::size_t k = 0; k < n; ++k)
      poses[k] = {wrap_angle(theta.data()[k]), {x.data()[2 * k], x.data()[2 * k + 1]}};
    std::vector<ContactGeometry> found(n);
    ThreadPool pool(threads);
    for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
      map.map->query_batch(std::span(poses).subspan(begin, end - begin), std::span(found).subspan(begin, end - begin));
    });
    for (std::size_t k = 0; k < n; ++k) {
      gap[k] = found[k].gap, gap_theta[k] = found[k].gap_theta, gap_x[k] = found[k].gap_x, arm[k] = found[k].arm;
    }
  }
  return {array_of(std::move(gap)), array_of(std::move(gap_theta)), array_of(std::move(gap_x)),
          array_of(std::move(arm))};
}

Facts error_of(const Map& map) {
  const MapError& e = map.map->error();
  Facts out;
  out["band"] = e.band;
  out["gap_rmse"] = e.gap_rmse;
  out["gap_max"] = e.gap_max;
  out["gap_jump"] = e.gap_jump;
  out["angle_median"] = e.angle_median;
  out["arm_rmse"] = e.arm_rmse;
  out["samples"] = e.samples;
  return out;
}

Facts settings_dict(const Map& map) {
  const MapSettings& s = map.identity.settings;
  Facts out;
  out["kind"] = s.kind;
  out["epsilon"] = s.epsilon;
  if (s.kind == "table") {
    out["nodes"] = s.nodes;
    out["theta_nodes"] = s.theta_nodes;
    out["storage"] = s.storage == TableStorage::fp16 ? "fp16" : "fp32";
  } else if (s.kind == "neural") {
    out["net"] = s.net;
    out["seed"] = s.seed;
    out["samples"] = s.samples;
    out["epochs"] = s.epochs;
  } else if (s.kind == "grid-minimum") {
    out["grid"] = s.grid;
  } else if (s.kind == "star") {
    out["star_nodes"] = s.star_nodes;
    out["star_distance"] = s.star_distance == StarDistance::radial ? "radial" : "first-order";
  } else if (s.kind == "clump") {
    out["clump_discs"] = s.clump_discs;
    out["clump_tolerance"] = s.clump_tolerance;
  }
  return out;
}

}  // namespace

void bind_maps(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<Map>(m, "Map")
      .def_static("build", &build, "a"_a, "b"_a, "ratio"_a, "maps_table"_a, "where"_a, "cache_folder"_a.none(),
                  "threads"_a, "report"_a.none())
      .def_static("load", &load, "file"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "save", [](const Map& map, const std::filesystem::path& file) { save_map(file, *map.map, map.identity); },
          "file"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("evaluate", &evaluate, "theta"_a, "x"_a, "threads"_a)
      .def_prop_ro("kind", [](const Map& map) { return std::string(map.map->kind()); })
      .def_prop_ro("bytes", [](const Map& map) { return map.map->bytes(); })
      .def_prop_ro("smoothness", [](const Map& map) { return map.map->smoothness(); })
      .def_prop_ro("reach", [](const Map& map) { return map.map->reach(); })
      .def_prop_ro("ratio", [](const Map& map) { return map.identity.ratio; })
      .def_prop_ro("names", [](const Map& map) { return std::pair(map.identity.name_a, map.identity.name_b); })
      .def_prop_ro("error", &error_of)
      .def_prop_ro("settings", &settings_dict);
  m.def("map_kinds", &map_kinds);
  m.def("default_cache_folder", &MapCache::default_folder);
}

}  // namespace scree::python
