#include "scree/record/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "scree/base/error.hpp"

namespace scree {

namespace {

constexpr double narrowest = 0.3;     // picture, short side to long
constexpr double label_columns = 11;  // width of title, time and scale bar where they stand beside the scene, in fonts

double font_of(double width, double height) { return std::max(8.0, std::min(height / 45, width / 70)); }

double label_width(const PictureStyle& style) {
  return (style.time || style.scale_bar || !style.title.empty()) ? label_columns : 0;
}

constexpr double tallest = 3;  // picture of a given width

// What is open follows the view.
void choose_size(PictureLayout& l, const PictureStyle& style, double aspect, Vec2d legend) {
  l.width = style.width;
  l.height = style.height;
  if (style.longer > 0 || l.height <= 0) {
    const double longer = style.longer > 0 ? style.longer : l.width, font = std::max(9.0, longer / 80);
    const double side = legend.x > 0 ? (legend.x + 2) * font : 0;
    const double height = (longer - side) / aspect + 4 * font;
    double width = longer;
    // Labels and legend beside the scene are as wide as the font, which follows the width.
    for (int k = 0; k < 8 && style.longer > 0 && height > longer; ++k) {
      const double f = font_of(width, longer), margin = 1.6 * f;
      const double beside = label_width(style) * f + (legend.x > 0 ? legend.x * f + margin : 0);
      width = std::min((longer - 2 * margin) * aspect + beside + 2 * margin, longer);
    }
    l.width = static_cast<int>(std::ceil(std::max(width, narrowest * longer)));
    l.height = static_cast<int>(std::clamp(height, narrowest * longer, style.longer > 0 ? longer : tallest * longer));
  }
  // Video encoders want even sides.
  l.width += l.width % 2;
  l.height += l.height % 2;
}

Rect fit(const Rect& room, double aspect) {
  const double w = std::min(room.w, room.h * aspect);
  return {room.mid_x() - w / 2, room.mid_y() - w / aspect / 2, w, w / aspect};
}

}  // namespace

PictureLayout lay_out(const PictureStyle& style, const Scales& scales, Vec2d legend) {
  PictureLayout l;
  l.view = style.view.value_or(scales.view);
  const Vec2d size = l.view.hi - l.view.lo;
  const double aspect = size.x / size.y;
  if (!(size.x > 0) || !(size.y > 0))
    throw Error(ErrorKind::input, "view", "the region to draw has no area",
                "give it as x0,y0,x1,y1 with x0 < x1, y0 < y1");
  choose_size(l, style, aspect, legend);
  l.font = font_of(l.width, l.height);
  l.margin = 1.6 * l.font;
  const double w = l.width, h = l.height, m = l.margin;
  const Rect page{m, m, w - 2 * m, h - 2 * m};
  const double side = legend.x > 0 ? legend.x * l.font + m : 0;

  // Labels stand left of the scene where there is room for them, and in strips above and below it otherwise.
  const double labels = label_width(style) * l.font;
  const Rect narrow = fit({page.x + labels, page.y, page.w - labels - std::max(side, 0.0), page.h}, aspect);
  if (narrow.h > 0.995 * page.h) {
    l.scene = fit(page, aspect);
    l.scene.x = std::clamp(l.scene.x, page.x + labels, page.right() - side - l.scene.w);
  } else {
    const double top = (style.time || !style.title.empty()) ? 1.9 * l.font : 0;
    const double bottom = style.scale_bar ? 2.4 * l.font : 0;
    l.scene = fit({page.x, page.y + top, page.w - side, page.h - top - bottom}, aspect);
  }
  l.scale = l.scene.w / size.x;
  if (legend.x > 0) {
    const double legend_h = std::min(legend.y * l.font, page.h);
    l.legend = {page.right() - legend.x * l.font, page.mid_y() - legend_h / 2, legend.x * l.font, legend_h};
  }
  l.label = {page.x, page.y};
  l.bar_length = round_down(10.5 * l.font / l.scale);
  l.bar = {page.x, page.bottom()};
  return l;
}

void draw_scale_bar(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const std::string& unit) {
  const double length = at.bar_length * at.scale, tick = 0.35 * at.font, line = std::max(1.5, at.font / 9);
  const double y = at.bar.y - tick;
  const std::string label = tick_label(at.bar_length, at.bar_length) + (unit.empty() ? "" : " " + unit);
  canvas.colour(theme.ink);
  canvas.line(at.bar.x, y, at.bar.x + length, y, line);
  canvas.line(at.bar.x, y - tick, at.bar.x, y + tick, line);
  canvas.line(at.bar.x + length, y - tick, at.bar.x + length, y + tick, line);
  canvas.text(label, at.bar.x + length / 2, y - 0.55 * at.font, 0.9 * at.font, Align::centre);
}

void draw_label(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const std::string& title,
                const std::string& time) {
  const double y = at.label.y + 0.85 * at.font;
  canvas.colour(theme.ink);
  if (title.empty()) {
    canvas.text(time, at.label.x, y, at.font);
    return;
  }
  canvas.text(title, at.label.x, y, at.font, Align::left, true);
  const double after = at.label.x + canvas.text_width(title, at.font, true) + 1.2 * at.font;
  canvas.colour(mix(theme.ink, theme.ground, 0.3));
  // The time follows the title, or stands under it where the scene is beside both.
  if (at.scene.y > at.label.y + at.font)
    canvas.text(time, after, y, at.font);
  else
    canvas.text(time, at.label.x, y + 1.5 * at.font, at.font);
}

// Stamps of one video share their number of decimals.
std::string time_label(double time, const std::string& unit) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "t = %.2f", time);
  return unit.empty() ? std::string(text.data()) : std::string(text.data()) + " " + unit;
}

}  // namespace scree
