// Texts of the command line that have a grammar of their own: --set (lines with '=') and measures.
#include <sstream>

#include "input.hpp"
#include "scree/scene/scene.hpp"

namespace {

constexpr const char* scene = R"(
[run]
duration = 1
[materials.default]
density = 1000
stiffness = 1e5
[grains.sand]
shape = "disc"
radius = 0.05
[[walls]]
name = "floor"
kind = "half-plane"
point = [0, 0]
normal = [0, 1]
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  std::istringstream lines{std::string(fuzz::text_of(data, size))};
  std::vector<std::string> overrides;
  for (std::string line; std::getline(lines, line);) {
    fuzz::answered([&] { parse_measure(line); });
    overrides.push_back(line);
  }
  fuzz::answered([&] { parse_scene(scene, fuzz::folder() / "scene.toml", overrides); });
  return 0;
}
