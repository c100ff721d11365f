#include "bindings.hpp"
#include "scree/scene/scene.hpp"

namespace scree::python {

namespace {

std::vector<std::pair<std::string, std::filesystem::path>> files(const Scene& scene) {
  std::vector<std::pair<std::string, std::filesystem::path>> out;
  for (const SceneFile& file : scene.files) out.emplace_back(file.name, file.source);
  return out;
}

nb::typed<nb::dict, nb::str, double> run_settings(const Scene& scene) {
  nb::typed<nb::dict, nb::str, double> out;
  out["duration"] = scene.run.duration;
  out["frames"] = scene.run.frame_interval;
  out["series"] = scene.run.series_interval;
  out["states"] = scene.run.state_interval;
  return out;
}

}  // namespace

void bind_scenes(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<Scene>(m, "Scene")
      .def_static("parse", &parse_scene, "text"_a, "name"_a, "overrides"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static(
          "load",
          [](const std::filesystem::path& file, const std::vector<std::string>& overrides) {
            return load_scene(file, overrides);
          },
          "file"_a, "overrides"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_ro("title", &Scene::title)
      .def_ro("units", &Scene::units)
      .def_ro("text", &Scene::text)
      .def_ro("warnings", &Scene::warnings)
      .def_prop_ro("files", &files)
      .def_prop_ro("run", &run_settings)
      .def_prop_ro("dt", [](const Scene& s) { return s.step.dt; })
      .def_prop_ro("dt_advised", [](const Scene& s) { return s.advice.dt_advised; })
      .def_prop_ro("dt_limit", [](const Scene& s) { return s.advice.dt_limit; })
      .def_ro("measures", &Scene::measures);
}

}  // namespace scree::python
