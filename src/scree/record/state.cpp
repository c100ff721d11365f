#include "scree/record/state.hpp"

#include "scree/record/archive.hpp"
#include "scree/record/part_file.hpp"
#include "scree/record/world_fields.hpp"

namespace scree {

// For the archive, as those of world_fields.hpp.
template <class Archive>
void fields(Archive& archive, MeasureMemory& m) {
  archive("name", m.name), archive("values", m.values);
}

namespace {

void write_contents(const std::filesystem::path& file, const World& world, StepSettings settings,
                    const std::string& scene_text, std::vector<MeasureMemory> measures) {
  h5::Handle id = h5::create_file(file, "scree-state");
  h5::write_text(id, "scene", scene_text, file);
  World copy = world;  // field lists take mutable references, for reading
  std::vector<Shape> shapes;
  for (const auto& shape : world.shapes) shapes.push_back(*shape);
  h5::Writer writer(id, file);
  writer.list("shapes", shapes);
  writer.group("settings", settings);
  writer.list("measures", measures);
  fields(writer, copy);
  // Springs belong to grains, not to places in an array.
  std::vector<std::uint32_t> id_a, id_b;
  const auto id_of = [&](std::uint32_t body) { return body < world.bodies.size() ? world.bodies.id[body] : no_body; };
  for (const Contact& c : world.contacts) id_a.push_back(id_of(c.a)), id_b.push_back(id_of(c.b));
  const h5::Handle contacts = h5::open_group(id, "contacts", file);
  h5::Writer contact_writer(contacts, file);
  contact_writer("id_a", id_a), contact_writer("id_b", id_b);
  if (H5Fflush(id, H5F_SCOPE_GLOBAL) < 0 || id.close() < 0) h5::fail_write(file, "the state");
}

void check_indices(const World& w, const std::filesystem::path& file) {
  for (const GrainType& t : w.types)
    if (t.shape < 0 || static_cast<std::size_t>(t.shape) >= w.shapes.size()) h5::fail_read(file, "a shape is missing");
  const std::size_t n = w.bodies.size();
  for (std::uint16_t t : w.bodies.type)
    if (t >= w.types.size()) h5::fail_read(file, "a grain type is missing");
  const Bodies& b = w.bodies;
  for (std::size_t size : {b.type.size(), b.group.size(), b.kind.size(), b.x.size(), b.theta.size(), b.v.size(),
                           b.omega.size(), b.force.size(), b.torque.size(), b.image.size()})
    if (size != n) h5::fail_read(file, "arrays of grains differ in length");
  for (const Link& l : w.links)
    if (l.a >= n || l.b >= n || l.row_count < 0 || l.row_count > 2) h5::fail_read(file, "a link is damaged");
}

}  // namespace

void write_state(const std::filesystem::path& file, const World& world, const StepSettings& settings,
                 const std::string& scene_text, const std::vector<MeasureMemory>& measures) {
  PartFile part(file);
  write_contents(part.temporary(), world, settings, scene_text, measures);
  part.commit();
}

SavedState read_state(const std::filesystem::path& file) {
  const h5::Handle id = h5::open_file(file, "scree-state");
  SavedState state;
  h5::Reader reader(id, file);
  state.scene_text = h5::read_text(id, "scene", file);
  std::vector<Shape> shapes;
  reader.list("shapes", shapes);
  for (Shape& shape : shapes) state.world.shapes.push_back(std::make_shared<const Shape>(std::move(shape)));
  reader.group("settings", state.settings);
  reader.list("measures", state.measures);
  fields(reader, state.world);
  check_indices(state.world, file);
  return state;
}

Scene continued_scene(SavedState state, const std::filesystem::path& file) {
  Scene scene = parse_scene(state.scene_text, (file.parent_path() / "scene.toml").string());
  if (scene.world.shapes.size() != state.world.shapes.size()) {
    throw Error(ErrorKind::input, file.string(), "the state does not fit its own scene",
                "use the version of Scree that began the run");
  }
  state.world.shapes = scene.world.shapes;  // with the curves of stars, which a state file leaves out
  // What a solver derives from the grains there are it derives once: what has gone since still counts.
  state.world.first_use = type_use(scene.world);
  scene.world = std::move(state.world);
  scene.step = state.settings;
  return scene;
}

std::int32_t state_version() { return h5::current_version; }

}  // namespace scree
