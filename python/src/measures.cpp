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

using Values = std::pair<Cells, std::vector<Cells>>;  // of the columns, and rows of the table

Values values_of(Reading reading) { return {std::move(reading.values), std::move(reading.rows)}; }

// The measure of a [[measures]] entry as text. Error(input) when it says anything wrong.
MeasureSettings settings_of(const std::string& text, const std::string& where) {
  return parse_scene_measures(text, where).front();
}

Values read_live(LiveMeasure& measure, const Engine& engine) {
  const Engine::Turn turn(engine);
  return values_of(measure.read(snapshot_of(engine.world())));
}

// At once, so what is not defined is an error.
Values read_now(const LiveMeasure& measure, const Engine& engine) {
  const Engine::Turn turn(engine);
  return values_of(measure.measure().read(snapshot_of(engine.world())));
}

Values read_frame(LiveMeasure& measure, const TrajectoryReader& trajectory, std::size_t frame) {
  return values_of(measure.read(snapshot_of(trajectory.statics(), trajectory.read(frame))));
}

}  // namespace

void bind_measures(nb::module_& m) {
  using nb::literals::operator""_a;
  using Free = nb::call_guard<nb::gil_scoped_release>;
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
      .def("read", &read_live, "engine"_a, Free())
      .def("read_now", &read_now, "engine"_a, Free())
      .def("read_frame", &read_frame, "trajectory"_a, "frame"_a, Free());
  m.def("measure_settings", &settings_of, "text"_a, "where"_a);
  m.def("measure_kinds", [] {
    std::vector<std::pair<std::string, std::string>> out;
    for (const MeasureKind& kind : measure_kinds()) out.emplace_back(kind.name, kind.summary);
    return out;
  });
}

}  // namespace scree::python
