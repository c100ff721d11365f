// Legends: kinds of grain drawn beside their names, or a colour bar.
#include <algorithm>
#include <cmath>

#include "scree/record/layout.hpp"

namespace scree {

namespace {

constexpr double row_height = 1.9;  // in units of the font
constexpr double swatch = 0.72;     // radius of the drawn shape
constexpr std::size_t most_rows = 24;

double measured(const std::string& text) {
  Image scratch(1, 1);
  return Canvas(scratch).text_width(text, 100) / 100;
}

void swatch_path(const Canvas& canvas, const LegendRow& row, double x, double y, double r) {
  if (row.outline) {
    // Centred by what the eye sees, which is not the centroid.
    Vec2d lo{1e300, 1e300}, hi{-1e300, -1e300};
    for (const Loop& loop : row.outline->loops) {
      for (Vec2d p : loop) {
        lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
        hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
      }
    }
    add_path(canvas, *row.outline, place(x - r * (lo.x + hi.x) / 2, y + r * (lo.y + hi.y) / 2, r, 0));
  } else {
    cairo_rectangle(canvas.cr(), x - 0.8 * r, y - 0.8 * r, 1.6 * r, 1.6 * r);
  }
}

}  // namespace

LegendBar number_bar(std::string title, double top, Colour (*ramp)(double, bool)) {
  LegendBar bar{std::move(title), top, ramp, ticks(top, 5), {}, 0};
  const double step = bar.tick_values.size() > 1 ? bar.tick_values[1] : top;
  for (double v : bar.tick_values) bar.tick_labels.push_back(tick_label(v, step));
  return bar;
}

Vec2d legend_size(const std::vector<LegendRow>& rows) {
  double width = 0;
  for (const LegendRow& row : rows) width = std::max(width, measured(row.name));
  const double count = static_cast<double>(std::min(rows.size(), most_rows) + (rows.size() > most_rows ? 1 : 0));
  return {2 * swatch + 0.6 + width, row_height * count};
}

Vec2d legend_size(const LegendBar& bar) {
  double width = 0;
  for (const std::string& label : bar.tick_labels) width = std::max(width, measured(label));
  return {std::max(measured(bar.title), 1.1 + 0.7 + width) + 0.2, 19};
}

void draw_legend(const Canvas& canvas, const PictureLayout& at, const Theme& theme,
                 const std::vector<LegendRow>& rows) {
  const std::size_t shown = std::min(rows.size(), most_rows);
  const double lines = static_cast<double>(shown + (rows.size() > shown ? 1 : 0));
  const double step = std::min(row_height * at.font, at.legend.h / lines);
  const double r = std::min(swatch * at.font, 0.45 * step);
  const double font = std::min(at.font, 0.62 * step);
  for (std::size_t k = 0; k < shown; ++k) {
    const double y = at.legend.y + (static_cast<double>(k) + 0.5) * step;
    swatch_path(canvas, rows[k], at.legend.x + r, y, r);
    canvas.colour(rows[k].colour);
    cairo_fill_preserve(canvas.cr());
    canvas.colour(mix(rows[k].colour, rgb(0x000000), 0.4));
    cairo_set_line_width(canvas.cr(), std::max(0.7, at.font / 24));
    cairo_stroke(canvas.cr());
    canvas.colour(theme.ink);
    canvas.text(rows[k].name, at.legend.x + 2 * r + 0.6 * font, y + 0.36 * font, font);
  }
  if (rows.size() > shown) {
    canvas.colour(theme.faint_ink);
    canvas.text("and " + std::to_string(rows.size() - shown) + " more", at.legend.x,
                at.legend.y + (lines - 0.5) * step + 0.36 * font, font);
  }
}

void draw_bar(const Canvas& canvas, const Rect& bar, double font, const Theme& theme, const LegendBar& legend) {
  const int rows = std::max(1, static_cast<int>(bar.h));
  for (int k = 0; k < rows; ++k) {
    canvas.colour(mix(legend.ramp(1 - (k + 0.5) / rows, theme.dark), theme.ground, legend.faded));
    // Overlapping rows hide the seams of anti-aliasing.
    canvas.rectangle({bar.x, bar.y + k * bar.h / rows, bar.w, std::min(2.0, bar.h - k * bar.h / rows)});
    cairo_fill(canvas.cr());
  }
  const double line = std::max(1.0, font / 16);
  canvas.colour(theme.ink);
  cairo_set_line_width(canvas.cr(), line);
  canvas.rectangle(bar);
  cairo_stroke(canvas.cr());
  for (std::size_t k = 0; k < legend.tick_values.size(); ++k) {
    const double y = bar.bottom() - bar.h * legend.tick_values[k] / legend.top;
    canvas.line(bar.right(), y, bar.right() + 0.3 * font, y, line);
    canvas.text(legend.tick_labels[k], bar.right() + 0.6 * font, y + 0.34 * font, 0.9 * font);
  }
}

void draw_legend(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const LegendBar& bar) {
  const double f = at.font;
  canvas.colour(theme.ink);
  canvas.text(bar.title, at.legend.x, at.legend.y + 0.9 * f, f);
  draw_bar(canvas, {at.legend.x, at.legend.y + 2.1 * f, 1.1 * f, at.legend.h - 2.8 * f}, f, theme, bar);
}

}  // namespace scree
