#include "scree/record/colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "scree/base/error.hpp"

namespace scree {

namespace {

// Piecewise linear through evenly spaced colours.
Colour ramp(std::span<const unsigned> stops, double t) {
  const double u = (std::isfinite(t) ? std::clamp(t, 0.0, 1.0) : 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(u), stops.size() - 2);
  return mix(rgb(stops[k]), rgb(stops[k + 1]), u - static_cast<double>(k));
}

double gamma_encode(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

// OKLCH to sRGB (Ottosson 2020).
Colour oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {gamma_encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Colour parse_colour(const std::string& text) {
  if (text == "white") return rgb(0xffffff);
  if (text == "black") return rgb(0x000000);
  if (text.size() == 7 && text[0] == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos)
    return rgb(static_cast<unsigned>(std::stoul(text.substr(1), nullptr, 16)));
  throw Error(ErrorKind::input, "", "\"" + text + "\" is not a colour", "use \"white\", \"black\" or \"#rrggbb\"");
}

Colour mix(Colour a, Colour b, double t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

double luminance(Colour c) {
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

Colour palette(std::size_t index) {
  // The Tableau colours, with its grey left to what does not move and four more in the same key.
  static constexpr std::array<unsigned, palette_size> colours{0x4e79a7, 0xf28e2b, 0xe15759, 0x59a14f, 0xedc948,
                                                              0xb07aa1, 0x76b7b2, 0xff9da7, 0x9c755f, 0x2f4b7c,
                                                              0xa0cbe8, 0xd37295, 0x8cd17d, 0xb6992d};
  const Colour base = rgb(colours[index % palette_size]);
  const double lighter = std::min(0.7, 0.35 * static_cast<double>(index / palette_size));
  return mix(base, rgb(0xffffff), lighter);
}

Colour speed_ramp(double t, bool dark) {
  static constexpr std::array<unsigned, 9> stops{0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                                 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
  constexpr double lowest = 0.3;  // on dark ground
  return ramp(stops, dark ? lowest + (1 - lowest) * std::clamp(t, 0.0, 1.0) : t);
}

Colour force_ramp(double t, bool dark) {
  static constexpr std::array<unsigned, 7> on_light{0xf3ead8, 0xf7d08a, 0xf5a55a, 0xe8703f,
                                                    0xc7402d, 0x931f2a, 0x4f0f22};
  static constexpr std::array<unsigned, 7> on_dark{0x544c5c, 0x7d4560, 0xa83e52, 0xd4513a,
                                                   0xf2863a, 0xf9bf5b, 0xfdf3c0};
  return dark ? ramp(on_dark, t) : ramp(on_light, t);
}

Colour cyclic_ramp(double t) { return oklch(0.72, 0.125, 2 * std::numbers::pi * (t - std::floor(t)) + 0.45); }

Colour error_ramp(double t, bool dark) {
  static constexpr std::array<unsigned, 6> on_light{0xffffff, 0xd6e3f2, 0x97bfdf, 0x5a8fc7, 0x4a56a4, 0x3f1d63};
  static constexpr std::array<unsigned, 6> on_dark{0x14161a, 0x2a2350, 0x4b3d92, 0x5a78c4, 0x7fbbdc, 0xe6f5ff};
  return dark ? ramp(on_dark, t) : ramp(on_light, t);
}

Theme light_theme() {
  return {false,         rgb(0xffffff), rgb(0x22262b), rgb(0x9aa1a9),
          rgb(0xd9dce0), rgb(0x5b636c), rgb(0xb9bfc6), rgb(0x1d1f24)};
}

Theme dark_theme() {
  return {true,          rgb(0x14161a), rgb(0xe8eaed), rgb(0x6d747d),
          rgb(0x2d3238), rgb(0x8a929c), rgb(0x666d76), rgb(0xffe3b3)};
}

Theme theme_on(Colour ground) {
  Theme theme = luminance(ground) > 0.3 ? light_theme() : dark_theme();
  theme.ground = ground;
  return theme;
}

}  // namespace scree
