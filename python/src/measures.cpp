#include "bindings.hpp"
#include "engine.hpp"
#include "scree/measure/live_measure.hpp"
#include "scree/record/trajectory.hpp"

namespace scree::python {

namespace {

using Cells = Reading::Cells;  // nothing becomes None
using Columns = std::vector<std::pair<std::string, std::string>>;

Columns columns(const std::vector<MeasureColumn>& list) {
  Columns out;
  for (const MeasureColumn& c : list) out.emplace_back(c.name, c.unit);
  return out;
}

nb::tuple as_tuple(const Reading& reading) { return nb::make_tuple(reading.values, reading.rows); }

// The measure of a [[measures]] entry as text. Error(input) when it says anything wrong.
MeasureSettings settings_of(const std::string& text, const std::string& where) {
  return parse_scene_measures(text, where).front();
}

nb::tuple read_live(LiveMeasure& measure, const Engine& engine) {
  Reading reading;
  {
    const nb::gil_scoped_release free;
    const Engine::Turn turn(engine);
    reading = measure.read(snapshot_of(engine.world()));
  }
  return as_tuple(reading);
}

// At once, so what is not defined is an error.
nb::tuple read_now(const LiveMeasure& measure, const Engine& engine) {
  Reading reading;
  {
    const nb::gil_scoped_release free;
    const Engine::Turn turn(engine);
    reading = measure.measure().read(snapshot_of(engine.world()));
  }
  return as_tuple(reading);
}

nb::tuple read_frame(LiveMeasure& measure, const TrajectoryReader& trajectory, std::size_t frame) {
  Reading reading;
  {
    const nb::gil_scoped_release free;
    reading = measure.read(snapshot_of(trajectory.statics(), trajectory.read(frame)));
  }
  return as_tuple(reading);
}

}  // namespace

void bind_measures(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<MeasureSettings>(m, "MeasureSettings")
      .def_ro("name", &MeasureSettings::name)
      .def_ro("kind", &MeasureSettings::kind)
      .def_ro("every", &MeasureSettings::every);
  nb::class_<LiveMeasure>(m, "Measure")
      .def(nb::init<const MeasureSettings&>(), "settings"_a)
      .def_prop_ro("name", &LiveMeasure::name)
      .def_prop_ro("columns", [](const LiveMeasure& l) { return columns(l.measure().columns); })
      .def_prop_ro("table", [](const LiveMeasure& l) { return columns(l.measure().table); })
      .def("undefined", &LiveMeasure::undefined)
      .def("memory", &LiveMeasure::memory)
      .def("go_on", &LiveMeasure::go_on, "memory"_a)
      .def("read", &read_live, "engine"_a)
      .def("read_now", &read_now, "engine"_a)
      .def("read_frame", &read_frame, "trajectory"_a, "frame"_a);
  m.def("measure_settings", &settings_of, "text"_a, "where"_a);
  m.def("measure_kinds", [] {
    std::vector<std::pair<std::string, std::string>> out;
    for (const MeasureKind& kind : measure_kinds()) out.emplace_back(kind.name, kind.summary);
    return out;
  });
}

}  // namespace scree::python
