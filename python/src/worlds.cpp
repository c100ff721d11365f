#include "scree/step/worlds.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>

#include "bindings.hpp"
#include "scree/scene/maps.hpp"
#include "scree/scene/scene.hpp"

namespace scree::python {

namespace {

// Worlds that one thread at a time looks at or changes.
class SharedWorlds {
 public:
  explicit SharedWorlds(Worlds worlds) : worlds_(std::move(worlds)) {}

  std::size_t count() const { return worlds_.count(); }
  std::size_t bodies() const { return worlds_.bodies(); }
  double dt() const { return worlds_.settings().dt; }
  const std::string& device() const { return worlds_.settings().device; }

  // what(worlds), with the interpreter free for others.
  template <class What>
  auto with(What what) {
    const nb::gil_scoped_release free;
    const Turn turn(taken_);
    return what(worlds_);
  }

 private:
  struct Turn {
    explicit Turn(std::atomic<bool>& flag) : taken(flag) {
      if (taken.exchange(true))
        throw std::runtime_error("the worlds are at work in another thread; wait until that returns");
    }
    ~Turn() { taken = false; }
    std::atomic<bool>& taken;
  };

  Worlds worlds_;
  std::atomic<bool> taken_ = false;
};

using Pointer = std::shared_ptr<SharedWorlds>;
using Numbered = std::vector<std::size_t>;

Pointer make(const Scene& scene, std::size_t count, const std::optional<std::string>& device,
             const std::optional<std::string>& precision, const std::optional<int>& threads,
             const std::vector<std::uint64_t>& seeds, const std::optional<std::filesystem::path>& cache_folder,
             const nb::object& report) {
  Pointer worlds;
  run_job(
      [&](const JobProgress& progress) {
        Scene own = scene;
        if (device) own.step.device = *device;
        if (precision) own.step.precision = *precision;
        if (threads) own.step.threads = *threads;
        std::optional<MapCache> cache;
        if (cache_folder) cache.emplace(*cache_folder);
        ThreadPool pool(own.step.threads);
        const auto on_map = [&](std::size_t map, std::size_t all, double fraction, const std::string& pair,
                                const std::string& stage) {
          progress((static_cast<double>(map) + fraction) / static_cast<double>(all), "map " + pair + ": " + stage);
        };
        attach_maps(own, cache ? &*cache : nullptr, pool, on_map);
        worlds = std::make_shared<SharedWorlds>(Worlds(own.world, own.step, count, seeds));
      },
      report);
  return worlds;
}

std::pair<Array, Array> read(SharedWorlds& shared) {
  std::vector<Worlds::Row> places(shared.count() * shared.bodies()), velocities(places.size());
  shared.with([&](Worlds& w) { w.read(places, velocities); });
  const std::size_t n = shared.count(), m = shared.bodies();
  return {array_of<double>(std::move(places), {n, m, 3}), array_of<double>(std::move(velocities), {n, m, 3})};
}

// A row for each of these worlds.
void drive(SharedWorlds& shared, const Numbered& which, const std::string& name, const Points& velocities,
           const Numbers& omegas, const std::optional<Points>& positions, const std::optional<Numbers>& angles) {
  const auto vector = [](const Points& rows, std::size_t k) {
    return Vec2d{rows.data()[2 * k], rows.data()[2 * k + 1]};
  };
  shared.with([&](Worlds& w) {
    for (std::size_t k = 0; k < which.size(); ++k) {
      Drive one{.velocity = vector(velocities, k), .omega = omegas.data()[k]};
      if (positions) one.position = vector(*positions, k);
      if (angles) one.angle = angles->data()[k];
      w.drive(which[k], name, one);
    }
  });
}

void set_gravity(SharedWorlds& shared, const Numbered& which, const Points& values) {
  const auto* g = reinterpret_cast<const Vec2d*>(values.data());
  shared.with([&](Worlds& w) {
    for (const std::size_t world : which) w.set_gravity(world, *g++);
  });
}

void reset(SharedWorlds& shared, const Numbered& which, const std::optional<std::size_t>& state) {
  shared.with([&](Worlds& w) { state ? w.reset(which, *state) : w.reset(which); });
}

// World, step, time; message, where, problem, remedy.
using FaultFacts = std::tuple<std::size_t, std::uint64_t, double, std::string, std::string, std::string, std::string>;
std::vector<FaultFacts> faults(SharedWorlds& shared) {
  std::vector<FaultFacts> out;
  for (const WorldFault& f : shared.with([](Worlds& w) { return w.faults(); }))
    out.emplace_back(f.world, f.step, f.time, f.error.what(), f.error.where(), f.error.problem(), f.error.remedy());
  return out;
}

World copy(SharedWorlds& shared, std::size_t world) {
  return shared.with([&](Worlds& w) { return w.world(world); });
}

Array times(SharedWorlds& shared) {
  std::vector<double> out(shared.count());
  shared.with([&](Worlds& w) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = w.time(k);
  });
  return array_of(std::move(out));
}

nb::ndarray<nb::numpy, std::uint64_t> steps(SharedWorlds& shared) {
  std::vector<std::uint64_t> out(shared.count());
  shared.with([&](Worlds& w) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = w.step(k);
  });
  return array_of<std::uint64_t>(std::move(out), {shared.count()});
}

nb::ndarray<nb::numpy, std::uint16_t> types(SharedWorlds& shared) {
  std::vector<std::uint16_t> out;
  shared.with([&](Worlds& w) {
    for (std::size_t k = 0; k < w.count(); ++k) out.insert(out.end(), w.types(k).begin(), w.types(k).end());
  });
  return array_of<std::uint16_t>(std::move(out), {shared.count(), shared.bodies()});
}

}  // namespace

void bind_worlds(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<SharedWorlds>(m, "Worlds")
      .def_static("make", &make, "scene"_a, "count"_a, "device"_a.none(), "precision"_a.none(), "threads"_a.none(),
                  "seeds"_a, "cache_folder"_a.none(), "report"_a.none())
      .def(
          "advance", [](SharedWorlds& s, std::size_t n) { s.with([&](Worlds& w) { w.advance(n); }); }, "steps"_a)
      .def("read", &read)
      .def("drive", &drive, "worlds"_a, "name"_a, "velocities"_a, "omegas"_a, "positions"_a.none(), "angles"_a.none())
      .def("set_gravity", &set_gravity, "worlds"_a, "values"_a)
      .def("reset", &reset, "worlds"_a, "state"_a.none())
      .def(
          "keep", [](SharedWorlds& s, std::size_t world) { return s.with([&](Worlds& w) { return w.keep(world); }); },
          "world"_a)
      .def("faults", &faults)
      .def(
          "contacts", [](SharedWorlds& s, std::size_t world) { return contact_rows(copy(s, world)); }, "world"_a)
      .def(
          "walls", [](SharedWorlds& s, std::size_t world) { return wall_facts(copy(s, world)); }, "world"_a)
      .def("groups", [](SharedWorlds& s) { return copy(s, 0).groups; })
      .def("group",
           [](SharedWorlds& s) {
             std::vector<std::uint16_t> group = copy(s, 0).bodies.group;
             const std::size_t n = group.size();
             return array_of<std::uint16_t>(std::move(group), {n});
           })
      .def("types", &types)
      .def("type_names",
           [](SharedWorlds& s) {
             std::vector<std::string> names;
             for (const GrainType& t : copy(s, 0).types) names.push_back(t.name);
             return names;
           })
      .def("times", &times)
      .def("steps", &steps)
      .def(
          "state_hash",
          [](SharedWorlds& s, std::size_t world) { return s.with([&](Worlds& w) { return w.state_hash(world); }); },
          "world"_a)
      .def_prop_ro("count", &SharedWorlds::count)
      .def_prop_ro("bodies", &SharedWorlds::bodies)
      .def_prop_ro("dt", &SharedWorlds::dt)
      .def_prop_ro("device", &SharedWorlds::device);
}

}  // namespace scree::python
