// Scene files, and the first steps and measures of small ones. What a scene refers to is looked for in an
// empty folder.
#include <algorithm>

#include "input.hpp"
#include "scree/measure/live_measure.hpp"
#include "scree/scene/scene.hpp"
#include "support.hpp"

namespace {

// A few discs, whose maps are closed forms: others take seconds to build under sanitizers.
bool is_small(const scree::World& world) {
  constexpr std::size_t few = 50;
  const auto is_disc = [](const auto& shape) { return shape->symmetry == 0; };
  const auto brings_few = [](const scree::Insertion& in) {
    return in.method == scree::Insertion::Method::list || (in.count > 0 && in.count <= few);
  };
  return world.bodies.size() <= few && std::ranges::all_of(world.shapes, is_disc) &&
         std::ranges::all_of(world.insertions, brings_few);
}

void begin(scree::Scene scene) {
  using namespace scree;
  testing::Worlds worlds{Material{}};
  worlds.world = std::move(scene.world);
  ThreadPool pool(1);
  worlds.maps(testing::map_kind("exact"), pool);
  scene.step.threads = 1;
  Simulation simulation = worlds.start(scene.step);
  for (int k = 0; k < 3; ++k) simulation.step();
  for (const MeasureSettings& m : scene.measures) LiveMeasure(m).read(snapshot_of(simulation.world()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::string text(fuzz::text_of(data, size));
  const std::string name = fuzz::folder() / "scene.toml";
  fuzz::answered([&] {
    Scene scene = parse_scene(text, name);
    parse_scene_look(scene.text, name);
    if (is_small(scene.world)) begin(std::move(scene));
  });
  return 0;
}
