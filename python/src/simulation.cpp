#include <cstddef>
#include <memory>
#include <type_traits>

#include "bindings.hpp"
#include "engine.hpp"
#include "scree/record/series.hpp"
#include "scree/step/timer.hpp"

namespace scree::python {

namespace {

using EnginePointer = std::shared_ptr<Engine>;

// ---- arrays of grains --------------------------------------------------------------------------------------------

nb::capsule owner_of(const Engine& engine) {
  return {new std::shared_ptr<Hold>(engine.hold()),
          [](void* p) noexcept { delete static_cast<std::shared_ptr<Hold>*>(p); }};
}

template <class T>
using Line = nb::ndarray<nb::numpy, const T, nb::shape<-1>, nb::c_contig>;
template <class T>
using Plane = nb::ndarray<nb::numpy, const T, nb::shape<-1, 2>, nb::c_contig>;

// Read-only NumPy arrays over the simulation's own memory.
template <class T, class Value>
Line<T> line(const Engine& engine, const std::vector<Value> Bodies::*values) {
  static_assert(sizeof(Value) == sizeof(T));
  const Engine::Turn turn(engine);
  const std::vector<Value>& v = engine.world().bodies.*values;
  return {reinterpret_cast<const T*>(v.data()), {v.size()}, owner_of(engine)};
}
template <class T, class Value>
Plane<T> plane(const Engine& engine, const std::vector<Value> Bodies::*values) {
  static_assert(sizeof(Value) == 2 * sizeof(T));
  const Engine::Turn turn(engine);
  const std::vector<Value>& v = engine.world().bodies.*values;
  return {reinterpret_cast<const T*>(v.data()), {v.size(), 2}, owner_of(engine)};
}

void bind_arrays(nb::class_<Engine>& c) {
  c.def_prop_ro(
      "id", [](const Engine& e) { return line<std::uint32_t>(e, &Bodies::id); }, has_owner);
  c.def_prop_ro(
      "type", [](const Engine& e) { return line<std::uint16_t>(e, &Bodies::type); }, has_owner);
  c.def_prop_ro(
      "group", [](const Engine& e) { return line<std::uint16_t>(e, &Bodies::group); }, has_owner);
  c.def_prop_ro(
      "kind", [](const Engine& e) { return line<std::uint8_t>(e, &Bodies::kind); }, has_owner);
  c.def_prop_ro(
      "x", [](const Engine& e) { return plane<double>(e, &Bodies::x); }, has_owner);
  c.def_prop_ro(
      "theta", [](const Engine& e) { return line<double>(e, &Bodies::theta); }, has_owner);
  c.def_prop_ro(
      "v", [](const Engine& e) { return plane<double>(e, &Bodies::v); }, has_owner);
  c.def_prop_ro(
      "omega", [](const Engine& e) { return line<double>(e, &Bodies::omega); }, has_owner);
  c.def_prop_ro(
      "force", [](const Engine& e) { return plane<double>(e, &Bodies::force); }, has_owner);
  c.def_prop_ro(
      "torque", [](const Engine& e) { return line<double>(e, &Bodies::torque); }, has_owner);
  c.def_prop_ro(
      "image", [](const Engine& e) { return plane<std::int32_t>(e, &Bodies::image); }, has_owner);
}

// The same memory for other frameworks. DLPack before version 1 cannot say read-only, and many importers refuse what
// they cannot write to, so this one does not say it.
nb::object dlpack(const Engine& engine, const std::string& name) {
  const Engine::Turn turn(engine);
  const Bodies& b = engine.world().bodies;
  const nb::capsule owner = owner_of(engine);
  const auto rows = [&](const std::vector<Vec2d>& values) {
    return nb::cast(nb::ndarray<nb::array_api, double>(const_cast<Vec2d*>(values.data()), {values.size(), 2}, owner));
  };
  const auto numbers = [&](const std::vector<double>& values) {
    return nb::cast(nb::ndarray<nb::array_api, double>(const_cast<double*>(values.data()), {values.size()}, owner));
  };
  if (name == "x") return rows(b.x);
  if (name == "theta") return numbers(b.theta);
  if (name == "v") return rows(b.v);
  if (name == "omega") return numbers(b.omega);
  if (name == "force") return rows(b.force);
  if (name == "torque") return numbers(b.torque);
  throw nb::key_error(name.c_str());
}

// ---- contacts ----------------------------------------------------------------------------------------------------

struct ContactRow {
  std::uint32_t a, b;
  std::int32_t wall;
  std::uint32_t feature;
  double gap;
  Vec2d normal, point;
  double normal_force, tangential_force, arm_a, arm_b, spring;
};
static_assert(std::is_standard_layout_v<ContactRow>);

// (name, NumPy format, offset) of every field.
std::vector<std::tuple<std::string, std::string, std::size_t>> contact_fields() {
  std::vector<std::tuple<std::string, std::string, std::size_t>> out;
  const auto field = [&](const char* name, const char* format, std::size_t offset) {
    out.emplace_back(name, format, offset);
  };
  field("a", "u4", offsetof(ContactRow, a));
  field("b", "u4", offsetof(ContactRow, b));
  field("wall", "i4", offsetof(ContactRow, wall));
  field("feature", "u4", offsetof(ContactRow, feature));
  field("gap", "f8", offsetof(ContactRow, gap));
  field("normal", "2f8", offsetof(ContactRow, normal));
  field("point", "2f8", offsetof(ContactRow, point));
  field("normal_force", "f8", offsetof(ContactRow, normal_force));
  field("tangential_force", "f8", offsetof(ContactRow, tangential_force));
  field("arm_a", "f8", offsetof(ContactRow, arm_a));
  field("arm_b", "f8", offsetof(ContactRow, arm_b));
  field("spring", "f8", offsetof(ContactRow, spring));
  return out;
}

// Rows as bytes; the package gives them their names.
nb::ndarray<nb::numpy, std::uint8_t> contacts(const Engine& engine) {
  const Engine::Turn turn(engine);
  return contact_rows(engine.world());
}

// ---- what it is made of ------------------------------------------------------------------------------------------

// Name, index of the shape, radius, mass, inertia, material.
using Type = std::tuple<std::string, int, double, double, double, std::string>;
std::vector<Type> types(const Engine& engine) {
  std::vector<Type> out;
  const World& w = engine.world();
  for (const GrainType& t : w.types) {
    out.emplace_back(t.name, t.shape, t.radius, t.mass, t.inertia,
                     w.materials[static_cast<std::size_t>(t.material)].name);
  }
  return out;
}

std::vector<std::shared_ptr<Shape>> shapes(const Engine& engine) {
  std::vector<std::shared_ptr<Shape>> out;
  for (const auto& shape : engine.world().shapes) out.push_back(std::const_pointer_cast<Shape>(shape));
  return out;
}

std::vector<Facts> walls(const Engine& engine) {
  const Engine::Turn turn(engine);
  return wall_facts(engine.world());
}

// Time, action, names of the targets, whether it has happened.
using EventFacts = std::tuple<double, std::string, std::vector<std::string>, bool>;
std::vector<EventFacts> events(const Engine& engine) {
  const Engine::Turn turn(engine);
  constexpr const char* words[] = {"remove-wall", "add-wall", "set-gravity",  "start-motion",
                                   "stop-motion", "insert",   "remove-group", "release-group"};
  const World& w = engine.world();
  const auto name = [&](const Event& e, int target) -> std::string {
    const auto i = static_cast<std::size_t>(target);
    switch (e.action) {
      case Event::Action::remove_wall:
      case Event::Action::add_wall:
        return w.walls[i].name;
      case Event::Action::start_motion:
      case Event::Action::stop_motion:
        return w.motions[i].name;
      case Event::Action::insert:
        return w.insertions[i].name;
      default:
        return w.groups[i];
    }
  };
  std::vector<EventFacts> out;
  for (const Event& e : w.events) {
    std::vector<std::string> targets;
    for (const int target : e.targets) targets.push_back(name(e, target));
    out.emplace_back(e.time, words[static_cast<std::size_t>(e.action)], targets, e.done);
  }
  return out;
}

// Shapes, ratio, kind, bytes, whether it came from the cache, seconds, bound of the error.
using MapFacts = std::tuple<std::string, std::string, double, std::string, std::size_t, bool, double, double>;
std::vector<MapFacts> maps(const Engine& engine) {
  std::vector<MapFacts> out;
  for (const MapUse& m : engine.maps())
    out.emplace_back(m.shape_a, m.shape_b, m.ratio, m.kind, m.bytes, m.from_cache, m.seconds, m.error.gap_max);
  return out;
}

// ---- life --------------------------------------------------------------------------------------------------------

EnginePointer make(const Scene& scene, const std::optional<std::filesystem::path>& cache_folder,
                   const std::optional<int>& threads, const nb::object& report) {
  EnginePointer engine;
  run_job(
      [&](const JobProgress& progress) {
        Scene own = scene;
        if (threads) own.step.threads = *threads;
        std::optional<MapCache> cache;
        if (cache_folder) cache.emplace(*cache_folder);
        ThreadPool pool(own.step.threads);
        const auto on_map = [&](std::size_t map, std::size_t count, double fraction, const std::string& pair,
                                const std::string& stage) {
          progress((static_cast<double>(map) + fraction) / static_cast<double>(count), "map " + pair + ": " + stage);
        };
        std::vector<MapUse> uses = attach_maps(own, cache ? &*cache : nullptr, pool, on_map);
        engine = std::make_shared<Engine>(std::move(own), std::move(uses));
      },
      report);
  return engine;
}

std::vector<Vec2d> vectors(const Points& values) {
  const auto* first = reinterpret_cast<const Vec2d*>(values.data());
  return {first, first + values.shape(0)};
}
std::vector<double> numbers(const Numbers& values) { return {values.data(), values.data() + values.shape(0)}; }

void put(Engine& engine, const Points& x, const Numbers& theta, const Points& v, const Numbers& omega) {
  const auto places = vectors(x), velocities = vectors(v);
  const auto angles = numbers(theta), spins = numbers(omega);
  const nb::gil_scoped_release free;
  engine.put(places, angles, velocities, spins);
}

void schedule(Engine& engine, const std::string& text, const std::string& where) {
  engine.schedule(parse_scene_events(text, where, engine.world()));
}

nb::typed<nb::dict, nb::str, double> stage_times(const Engine& engine) {
  const StageTimes t = engine.simulation().stage_times();
  nb::typed<nb::dict, nb::str, double> out;
  out["drive"] = t.drive;
  out["broad"] = t.broad;
  out["narrow"] = t.narrow;
  out["walls"] = t.walls;
  out["integrate"] = t.integrate;
  out["ledger"] = t.ledger;
  out["watchdog"] = t.watchdog;
  return out;
}

std::pair<double, double> gravity(const Engine& engine) {
  const Vec2d g = engine.world().gravity.at(engine.world().time);
  return {g.x, g.y};
}

std::uint64_t deleted(const Engine& engine) {
  std::uint64_t count = 0;
  for (const DeletionZone& zone : engine.world().deletion_zones) count += zone.deleted;
  return count;
}

const char* word(WallKind kind) {
  constexpr const char* words[] = {"half-plane", "circle-inside", "circle-outside", "polyline", "outline"};
  return words[static_cast<std::size_t>(kind)];
}

}  // namespace

nb::ndarray<nb::numpy, std::uint8_t> contact_rows(const World& w) {
  const auto id_of = [&](std::uint32_t body) { return body == no_body ? no_body : w.bodies.id[body]; };
  std::vector<ContactRow> rows;
  rows.reserve(w.contacts.size());
  for (const Contact& c : w.contacts) {
    rows.push_back({id_of(c.a), id_of(c.b), c.wall, c.feature, c.gap, c.normal, w.contact_point(c),
                    c.normal_force * norm(c.gap_x), c.tangential_force, c.arm_a, c.arm_b, c.spring});
  }
  const std::size_t count = rows.size();
  return array_of<std::uint8_t>(std::move(rows), {count, sizeof(ContactRow)});
}

std::vector<Facts> wall_facts(const World& world) {
  std::vector<Facts> out;
  for (const Wall& w : world.walls) {
    Facts d;
    d["name"] = w.name;
    d["kind"] = word(w.kind);
    d["active"] = w.active;
    d["position"] = nb::make_tuple(w.pose.x.x, w.pose.x.y);
    d["angle"] = w.pose.theta;
    d["velocity"] = nb::make_tuple(w.velocity.x, w.velocity.y);
    d["omega"] = w.omega;
    if (w.kind == WallKind::half_plane) d["normal"] = nb::make_tuple(w.normal.x, w.normal.y);
    if (w.kind != WallKind::half_plane && w.kind != WallKind::outline) d["radius"] = w.radius;
    if (w.kind == WallKind::polyline) d["closed"] = w.closed;
    std::vector<Array> loops;
    if (w.kind == WallKind::polyline) loops.push_back(array_of(w.points));
    for (const Loop& loop : w.outline.loops) loops.push_back(array_of(loop));
    d["loops"] = loops;
    out.push_back(d);
  }
  return out;
}

void bind_simulation(nb::module_& m) {
  using nb::literals::operator""_a;
  using Free = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Engine> engine(m, "Engine");
  bind_arrays(engine);
  engine.def_static("make", &make, "scene"_a, "cache_folder"_a.none(), "threads"_a.none(), "report"_a.none())
      .def("advance", &Engine::advance, "end_step"_a, "due"_a, "seconds"_a, Free())
      .def("prepare", &Engine::prepare, Free())
      .def("put", &put, "x"_a, "theta"_a, "v"_a, "omega"_a)
      .def("schedule", &schedule, "text"_a, "where"_a)
      .def("series", &Engine::series, Free())
      .def("dlpack", &dlpack, "name"_a)
      .def("contacts", &contacts)
      .def("types", &types)
      .def("shapes", &shapes)
      .def("walls", &walls)
      .def("events", &events)
      .def("maps", &maps)
      .def("stage_times", &stage_times)
      .def_prop_ro("groups", [](const Engine& e) { return e.world().groups; })
      .def_prop_ro("gravity", &gravity)
      .def_prop_ro("deleted", &deleted)
      .def_prop_ro("events_done", &Engine::events_done)
      .def_prop_ro("count", [](const Engine& e) { return e.world().bodies.size(); })
      .def_prop_ro("time", [](const Engine& e) { return e.world().time; })
      .def_prop_ro("step", [](const Engine& e) { return e.world().step; })
      .def_prop_ro("dt", [](const Engine& e) { return e.simulation().settings().dt; })
      .def_prop_ro("threads", [](const Engine& e) { return e.simulation().settings().threads; })
      .def_prop_ro("state_hash", &Engine::state_hash);
  nb::class_<Timer>(m, "Timer")
      .def(nb::init<double, double>(), "interval"_a, "dt"_a)
      .def("due", &Timer::due, "time"_a)
      .def("skip_to", &Timer::pass, "time"_a)
      .def_prop_ro("next", &Timer::next);
  m.def("contact_fields", &contact_fields);
  m.attr("contact_row_bytes") = sizeof(ContactRow);
  m.def("series_columns", &series_columns);
}

}  // namespace scree::python
