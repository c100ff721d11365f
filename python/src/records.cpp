#include <nlohmann/json.hpp>

#include "bindings.hpp"
#include "engine.hpp"
#include "scree/record/picture.hpp"
#include "scree/record/plot.hpp"
#include "scree/record/scene_look.hpp"
#include "scree/record/trajectory.hpp"

namespace scree::python {

namespace {

// ---- states ------------------------------------------------------------------------------------------------------

// What `restore` finds: the scene with the saved world, and what measures remember.
std::pair<Scene, std::map<std::string, std::vector<double>>> read_scene_state(const std::filesystem::path& file) {
  SavedState state = read_state(file);
  std::map<std::string, std::vector<double>> memories;
  for (MeasureMemory& m : state.measures) memories[m.name] = std::move(m.values);
  return {continued_scene(std::move(state), file), std::move(memories)};
}

void save(const Engine& engine, const std::filesystem::path& file,
          const std::vector<std::pair<std::string, std::vector<double>>>& memories) {
  std::vector<MeasureMemory> measures;
  measures.reserve(memories.size());
  for (const auto& [name, values] : memories) measures.push_back({name, values});
  engine.save(file, measures);
}

// ---- trajectories ------------------------------------------------------------------------------------------------

// The scene goes along, so that pictures of the file look as it says.
TrajectoryWriter* new_writer(const Engine& engine, const std::filesystem::path& file) {
  const Engine::Turn turn(engine);
  const nlohmann::json record = {
      {"program", "scree (Python)"}, {"version", SCREE_VERSION}, {"scene", engine.scene().text}};
  return new TrajectoryWriter(file, engine.world(), record.dump(2));
}

Facts frame_dict(const TrajectoryReader& reader, std::size_t index) {
  Frame f;
  {
    const nb::gil_scoped_release free;
    f = reader.read(index);
  }
  Facts out;
  const std::size_t n = f.id.size();
  out["time"] = f.time;
  out["step"] = f.step;
  out["id"] = array_of<std::uint32_t>(std::move(f.id), {n});
  out["type"] = array_of<std::uint16_t>(std::move(f.type), {n});
  out["group"] = array_of<std::uint16_t>(std::move(f.group), {n});
  out["kind"] = array_of<std::uint8_t>(std::move(f.kind), {n});
  out["x"] = array_of(std::move(f.x));
  out["theta"] = array_of(std::move(f.theta));
  out["v"] = array_of(std::move(f.v));
  out["omega"] = array_of(std::move(f.omega));
  return out;
}

// ---- pictures ----------------------------------------------------------------------------------------------------

void draw(const Statics& statics, const Frame& frame, const std::string& scene_text,
          const std::optional<std::string>& colour, const std::optional<bool>& forces, const std::optional<int>& width,
          const std::filesystem::path& file) {
  PictureStyle style = look_of_scene(scene_text).style;
  if (colour) style.colour = parse_colour_by(*colour);
  if (forces) style.forces = *forces;
  if (width) style.width = *width, style.height = 0, style.longer = 0;
  write_png(Picture(statics, style, find_scales(statics, frame)).draw(frame), file);
}

void draw_simulation(const Engine& engine, const std::filesystem::path& file, const std::optional<std::string>& colour,
                     const std::optional<bool>& forces, const std::optional<int>& width) {
  const Engine::Turn turn(engine);
  draw(statics_of(engine.world()), frame_of(engine.world()), engine.scene().text, colour, forces, width, file);
}

void draw_frame(const TrajectoryReader& reader, std::size_t index, const std::filesystem::path& file,
                const std::optional<std::string>& colour, const std::optional<bool>& forces,
                const std::optional<int>& width) {
  const Statics& statics = reader.statics();
  draw(statics, reader.read(index), scene_text_of(statics.run_json), colour, forces, width, file);
}

std::tuple<double, double, double> colour_tuple(const Colour& c) { return {c.r, c.g, c.b}; }

}  // namespace

void bind_records(nb::module_& m) {
  using nb::literals::operator""_a;
  using Free = nb::call_guard<nb::gil_scoped_release>;
  m.def("read_state", &read_scene_state, "file"_a, Free());
  m.def("save_state", &save, "engine"_a, "file"_a, "memories"_a, Free());
  m.def("draw", &draw_simulation, "engine"_a, "file"_a, "colour"_a.none(), "forces"_a.none(), "width"_a.none(), Free());
  m.def("palette", [](std::size_t k) { return colour_tuple(palette(k)); });

  nb::class_<TrajectoryWriter>(m, "TrajectoryWriter")
      .def(nb::new_(&new_writer), "engine"_a, "file"_a)
      .def(
          "write",
          [](TrajectoryWriter& writer, const Engine& engine) {
            const Engine::Turn turn(engine);
            writer.write(engine.world());
          },
          "engine"_a, Free())
      .def_prop_ro("frames", &TrajectoryWriter::frames);
  nb::class_<TrajectoryReader>(m, "TrajectoryReader")
      .def(nb::init<const std::filesystem::path&>(), "file"_a, Free())
      .def("frame", &frame_dict, "index"_a)
      .def("draw", &draw_frame, "index"_a, "file"_a, "colour"_a.none(), "forces"_a.none(), "width"_a.none(), Free())
      .def_prop_ro("frames", &TrajectoryReader::frames)
      .def_prop_ro(
          "times", [](const TrajectoryReader& r) { return array_of(r.times()); }, has_owner)
      .def_prop_ro("types",
                   [](const TrajectoryReader& r) {
                     std::vector<std::string> names;
                     for (const GrainType& t : r.statics().types) names.push_back(t.name);
                     return names;
                   })
      .def_prop_ro("groups", [](const TrajectoryReader& r) { return r.statics().groups; })
      .def_prop_ro("scene_text", [](const TrajectoryReader& r) { return scene_text_of(r.statics().run_json); });
}

}  // namespace scree::python
