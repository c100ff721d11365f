// Scene files. What a scene refers to is looked for in an empty folder.
#include "input.hpp"
#include "scree/scene/scene.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::string text(fuzz::text_of(data, size));
  const std::string name = fuzz::folder() / "scene.toml";
  fuzz::answered([&] {
    const Scene scene = parse_scene(text, name);
    parse_scene(scene.text, name);
  });
  fuzz::answered([&] { parse_scene_look(text, name); });
  return 0;
}
