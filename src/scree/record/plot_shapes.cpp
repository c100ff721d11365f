// The sheet of shapes.
#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/record/layout.hpp"
#include "scree/record/plot.hpp"

namespace scree {

namespace {

void draw_shape(const Canvas& canvas, const Shape& shape, const PageTransform& t, Colour fill, bool pieces,
                const Theme& theme, double line) {
  cairo_t* cr = canvas.cr();
  add_path(canvas, shape.outline, t);
  canvas.colour(pieces ? mix(theme.ground, theme.ink, 0.08) : fill);
  cairo_fill(cr);
  for (std::size_t k = 0; pieces && k < shape.pieces.size(); ++k) {
    add_path(canvas, Outline{{shape.pieces[k]}}, t);
    const Colour tint = palette(k);
    canvas.colour(tint, 0.45);
    cairo_fill_preserve(cr);
    canvas.colour(mix(tint, rgb(0x000000), 0.25), 0.8);
    cairo_set_line_width(cr, 0.6 * line);
    cairo_stroke(cr);
  }
  add_path(canvas, shape.outline, t);
  canvas.colour(pieces ? theme.ink : mix(fill, rgb(0x000000), 0.4));
  cairo_set_line_width(cr, line);
  cairo_stroke(cr);
}

// The circle of the circumradius and the centroid, faint.
void draw_guides(const Canvas& canvas, double x, double y, double r, const Theme& theme, double line) {
  cairo_t* cr = canvas.cr();
  canvas.colour(theme.faint_ink, 0.5);
  cairo_new_sub_path(cr);
  cairo_arc(cr, x, y, r, 0, 6.283185307179586);
  cairo_set_line_width(cr, 0.7 * line);
  cairo_stroke(cr);
}

}  // namespace

Image shape_sheet(const std::vector<SheetEntry>& entries, bool pieces, const Theme& theme, int width) {
  if (entries.empty()) throw Error(ErrorKind::input, "sheet", "no shape to draw");
  const double count = static_cast<double>(entries.size());
  const double columns = std::min(count, std::clamp(std::ceil(std::sqrt(count * 1.5)), 1.0, 6.0));
  const double rows = std::ceil(count / columns);
  const double margin = 0.025 * width, cell = (width - 2 * margin) / std::max(columns, 2.0);
  const double font = 0.052 * cell, line = cell / 180;
  std::size_t most_notes = 0;
  for (const SheetEntry& e : entries) most_notes = std::max(most_notes, e.notes.size());
  const double text = (1.8 + 1.35 * static_cast<double>(most_notes)) * font, row = 0.84 * cell + text + 1.2 * font;
  const int page = static_cast<int>(2 * margin + columns * cell);
  Image image(page, static_cast<int>(2 * margin + rows * row));
  const Canvas canvas(image);
  canvas.fill_all(theme.ground);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const double column = std::fmod(static_cast<double>(k), columns),
                 line_y = std::floor(static_cast<double>(k) / columns);
    const double x = margin + (column + 0.5) * cell, y = margin + line_y * row + 0.42 * cell, r = 0.4 * cell;
    draw_guides(canvas, x, y, r, theme, line);
    draw_shape(canvas, *entries[k].shape, place(x, y, r, 0), palette(k), pieces, theme, line);
    canvas.colour(theme.ink);
    double baseline = y + 0.42 * cell + 1.5 * font;
    canvas.text(entries[k].name, x, baseline, 1.2 * font, Align::centre, true);
    canvas.colour(mix(theme.ink, theme.ground, 0.35));
    for (const std::string& note : entries[k].notes) canvas.text(note, x, baseline += 1.35 * font, font, Align::centre);
  }
  return image;
}

}  // namespace scree
