#include "settled_beds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "interrupt.hpp"
#include "scene_options.hpp"
#include "scree/base/hash.hpp"
#include "scree/record/state.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

// Steps until world.time reaches `end`.
void run_to(Simulation& sim, double end, const std::string& what, ProgressLine& line) {
  const double start = sim.world().time;
  while (sim.world().time < end) {
    if (interrupted()) throw Interrupted();
    if (line.due()) line.show((sim.world().time - start) / (end - start), what);
    sim.step();
  }
  line.clear();
}

Bed settle(Scene scene, double duration, const std::string& what, ProgressLine& line) {
  ThreadPool pool;
  attach_maps_shown(scene, false, pool, line);
  Simulation sim(std::move(scene.world), scene.step);
  run_to(sim, sim.world().time + duration, what, line);
  return {std::move(sim.mutable_world()), sim.settings()};
}

// A scene with the moving parts of `world` in place of its own.
Scene with_state(Scene scene, World world, StepSettings settings) {
  world.shapes = scene.world.shapes;
  world.maps.clear();
  world.map_table.clear();
  scene.world = std::move(world);
  scene.step = std::move(settings);
  return scene;
}

}  // namespace

Bed settled_bed(const BedRecipe& recipe, const fs::path& scenes, const fs::path& folder, ProgressLine& line) {
  std::vector<std::string> all = recipe.overrides;
  all.insert(all.end(), recipe.then.begin(), recipe.then.end());
  Scene scene = load_scene(scenes / recipe.scene, all);
  const std::string key = to_hex(Hash().text(scene.text).number(recipe.relax).number(state_version()).value());
  const fs::path file = folder / (fs::path(recipe.scene).stem().string() + "-" + key + ".h5");
  if (!fs::exists(file)) {
    double duration = scene.run.duration;
    Scene start = scene;
    if (recipe.relax > 0) {
      Bed settled = settled_bed({recipe.scene, recipe.overrides, {}, 0}, scenes, folder, line);
      start = with_state(std::move(start), std::move(settled.world), settled.settings);
      duration = recipe.relax;
    }
    const Bed bed = settle(std::move(start), duration, scene.title + ", " + scene.maps.kind + " maps", line);
    fs::create_directories(folder);
    write_state(file, bed.world, bed.settings, scene.text);
  }
  SavedState saved = read_state(file);
  Scene replay = with_state(std::move(scene), std::move(saved.world), saved.settings);
  ThreadPool pool;
  attach_maps_shown(replay, false, pool, line);
  line.clear();
  return {std::move(replay.world), std::move(replay.step)};
}

void tile(World& world, int tiles) {
  const double period = world.periodic.box.hi.x - world.periodic.box.lo.x;
  const World base = world;
  const auto count = static_cast<std::uint32_t>(tiles);
  world.bodies = {};
  world.anchors.clear();
  world.next_id = 0;
  world.contacts.clear();
  world.periodic.box.hi.x = world.periodic.box.lo.x + tiles * period;
  const Bodies& b = base.bodies;
  for (std::size_t k = 0; k < b.size(); ++k)
    for (int t = 0; t < tiles; ++t)
      world.add_body(b.type[k], b.group[k], b.kind[k], b.x[k] + Vec2d{t * period, 0}, b.theta[k], b.v[k], b.omega[k]);
  const auto moved = [&](std::uint32_t body, int t) {
    return body * count + static_cast<std::uint32_t>((t + tiles) % tiles);
  };
  for (const Contact& c : base.contacts)
    for (int t = 0; t < tiles; ++t) {
      Contact copy = c;
      copy.b = moved(c.b, t);
      if (c.a != no_body) {
        copy.a = moved(c.a, t);
        const double across = b.x[c.b].x - b.x[c.a].x;  // more than half a period: the pair meets across the side
        copy.b = moved(c.b, t - static_cast<int>(std::round(across / period)));
      }
      world.contacts.push_back(copy);
    }
  const auto order = [](const Contact& c) {
    return c.a == no_body ? std::pair(no_body, c.b) : std::pair(std::min(c.a, c.b), std::max(c.a, c.b));
  };
  std::stable_sort(world.contacts.begin(), world.contacts.end(),
                   [&](const Contact& c, const Contact& d) { return order(c) < order(d); });
  world.pair_contacts = base.pair_contacts * count;
}

}  // namespace scree::cli
