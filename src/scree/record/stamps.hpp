#pragma once
// Grains of a few pixels, drawn from masks made beforehand: a million in a tenth of a second, where paths take many.
// Private to record/.
#include <cstdint>
#include <vector>

#include "scree/record/canvas.hpp"

namespace scree {

// Pixels to draw on, and the part of them that may be drawn on.
struct Pixels {
  std::uint32_t* data = nullptr;  // null: there are none, as in an SVG file
  int stride = 0;                 // pixels a row
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};
// Of the canvas within its clip, which must be a rectangle; whole pixels. Valid until `hand_back`.
Pixels take_pixels(const Canvas& canvas);
void hand_back(const Canvas& canvas);

// The coverage of one outline at `radius` pixels, for angles and places in a pixel near enough that none is off by more
// than an eighth of a pixel.
class Stamp {
 public:
  Stamp(const Outline& outline, double radius);
  void print(const Pixels& to, double x, double y, double angle, Colour colour) const;

 private:
  static constexpr int places = 4;  // of a pixel, in x and in y
  int angles_ = 1;
  int side_ = 1;                    // pixels of a mask
  std::vector<std::uint8_t> mask_;  // [angles][places y][places x][side][side]
};

}  // namespace scree
