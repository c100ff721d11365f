#pragma once
// Pixels of a picture.
#include <cstdint>
#include <filesystem>
#include <vector>

namespace scree {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint32_t> pixels;  // 0xAARRGGBB in native byte order, row by row from the top

  Image() = default;
  Image(int w, int h);  // Error(input) unless 1 <= w, h <= 16384
  std::uint32_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
};

// Error(system) naming the file when it cannot be written.
void write_png(const Image& image, const std::filesystem::path& file);

}  // namespace scree
