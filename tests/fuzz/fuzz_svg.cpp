// Outlines drawn in SVG.
#include "input.hpp"
#include "scree/shape/svg.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::string file = fuzz::as_file("shape.svg", fuzz::text_of(data, size));
  fuzz::answered([&] { make_svg_shape(file, {}, 0.1); });
  fuzz::answered([&] { make_svg_shape(file, "a", 0.1); });
  return 0;
}
