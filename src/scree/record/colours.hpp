#pragma once
// Colours of pictures: a qualitative palette for kinds of grain, ramps for numbers, light and dark themes.
#include <cstddef>
#include <string>

namespace scree {

struct Colour {
  double r = 0, g = 0, b = 0;  // sRGB, 0..1
};

// 0xRRGGBB.
constexpr Colour rgb(unsigned hex) {
  return {((hex >> 16) & 255) / 255.0, ((hex >> 8) & 255) / 255.0, (hex & 255) / 255.0};
}
// "white", "black" or "#rrggbb"; Error(input) otherwise.
Colour parse_colour(const std::string& text);

Colour mix(Colour a, Colour b, double t);  // a at t = 0, b at t = 1
double luminance(Colour c);                // relative, 0 black .. 1 white

inline constexpr std::size_t palette_size = 14;
// Distinguishable side by side on light and dark ground; starts again, lighter, after palette_size.
Colour palette(std::size_t index);

// Ramps over t in [0, 1], clamped.
// Dark blue to yellow: viridis, without its darkest part on dark ground, where slow grains would not be seen.
Colour speed_ramp(double t, bool dark);
Colour force_ramp(double t, bool dark);  // pale ground to deep red; reversed on dark ground
Colour cyclic_ramp(double t);            // a hue circle of even lightness: t = 0 and t = 1 agree
Colour error_ramp(double t, bool dark);  // ground colour to dark violet

struct Theme {
  bool dark = false;
  Colour ground, ink, faint_ink;  // background, text and lines, secondary lines
  Colour wall, wall_line;         // fill and line of walls
  Colour neutral;                 // grains that do not move freely
  Colour force;                   // lines of the force network
};
Theme light_theme();
Theme dark_theme();
// The theme for a background colour.
Theme theme_on(Colour ground);

}  // namespace scree
