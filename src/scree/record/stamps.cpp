#include "scree/record/stamps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

namespace {

constexpr double turn = 2 * std::numbers::pi;

std::uint32_t byte(double v) { return static_cast<std::uint32_t>(std::lround(255 * std::clamp(v, 0.0, 1.0))); }

// Red and blue in one go, green in another: bits of a channel stay out of the next one's way.
std::uint32_t blend(std::uint32_t under, std::uint32_t over, std::uint32_t share) {
  const std::uint32_t s = share + (share >> 7), rest = 256 - s;  // of 256
  const std::uint32_t rb = ((under & 0xff00ff) * rest + (over & 0xff00ff) * s) >> 8;
  const std::uint32_t g = ((under & 0x00ff00) * rest + (over & 0x00ff00) * s) >> 8;
  return 0xff000000u | (rb & 0xff00ff) | (g & 0x00ff00);
}

}  // namespace

Pixels take_pixels(const Canvas& canvas) {
  cairo_surface_t* surface = cairo_get_target(canvas.cr());
  if (cairo_surface_get_type(surface) != CAIRO_SURFACE_TYPE_IMAGE) return {};
  cairo_surface_flush(surface);
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  cairo_clip_extents(canvas.cr(), &x0, &y0, &x1, &y1);
  Pixels p;
  p.data = reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface));
  p.stride = cairo_image_surface_get_stride(surface) / 4;
  p.x0 = std::max(0, static_cast<int>(std::lround(x0)));
  p.y0 = std::max(0, static_cast<int>(std::lround(y0)));
  p.x1 = std::min(cairo_image_surface_get_width(surface), static_cast<int>(std::lround(x1)));
  p.y1 = std::min(cairo_image_surface_get_height(surface), static_cast<int>(std::lround(y1)));
  return p;
}

void hand_back(const Canvas& canvas) {
  cairo_surface_t* surface = cairo_get_target(canvas.cr());
  if (cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE) cairo_surface_mark_dirty(surface);
}

Stamp::Stamp(const Outline& outline, double radius)
    : angles_(std::max(1, static_cast<int>(std::ceil(4 * turn * radius)))),
      side_(2 * static_cast<int>(std::ceil(radius)) + 2) {
  // Letters of a pixel or two cover so little of it that their colour would be lost: the smaller, the bolder.
  const double bold = std::clamp(0.5 + 0.25 * (radius - 1), 0.5, 1.0);
  const auto side = static_cast<std::size_t>(side_);
  mask_.reserve(static_cast<std::size_t>(angles_ * places * places) * side * side);
  Image page(side_, side_);
  for (int a = 0; a < angles_; ++a)
    for (int j = 0; j < places; ++j)
      for (int i = 0; i < places; ++i) {
        std::ranges::fill(page.pixels, 0u);
        {
          const Canvas canvas(page);
          canvas.colour(rgb(0xffffff));
          const int middle = side_ / 2 - 1;
          const auto within = [&](int k) { return middle + (k + 0.5) / places; };
          add_path(canvas, outline, place(within(i), within(j), radius, turn * a / angles_));
          cairo_fill(canvas.cr());
        }
        for (const std::uint32_t p : page.pixels)
          mask_.push_back(static_cast<std::uint8_t>(byte(std::pow((p >> 24) / 255.0, bold))));
      }
}

void Stamp::print(const Pixels& to, double x, double y, double angle, Colour colour) const {
  const double of_turn = angle / turn;
  const int a = static_cast<int>(std::lround((of_turn - std::floor(of_turn)) * angles_)) % angles_;
  const int px = static_cast<int>(std::floor(x)), py = static_cast<int>(std::floor(y));
  const int i = static_cast<int>((x - px) * places), j = static_cast<int>((y - py) * places);
  const std::uint8_t* mask = mask_.data() + static_cast<std::size_t>(((a * places + j) * places + i) * side_) *
                                                static_cast<std::size_t>(side_);
  const int left = px - side_ / 2 + 1, top = py - side_ / 2 + 1;
  const std::uint32_t over = byte(colour.r) << 16 | byte(colour.g) << 8 | byte(colour.b);
  for (int r = std::max(0, to.y0 - top); r < std::min(side_, to.y1 - top); ++r) {
    std::uint32_t* row = to.data + static_cast<std::ptrdiff_t>(top + r) * to.stride + left;
    const std::uint8_t* share = mask + r * side_;
    for (int c = std::max(0, to.x0 - left); c < std::min(side_, to.x1 - left); ++c)
      if (share[c] > 0) row[c] = blend(row[c], over, share[c]);
  }
}

}  // namespace scree
