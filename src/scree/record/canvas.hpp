#pragma once
// A page to draw on: Cairo with an owner, and text that knows its size. Private to record/.
#include <cairo.h>

#include <filesystem>
#include <memory>
#include <string>

#include "scree/record/colours.hpp"
#include "scree/record/image.hpp"
#include "scree/record/round_numbers.hpp"
#include "scree/shape/outline.hpp"

namespace scree {

struct Rect {  // pixels, y down
  double x = 0, y = 0, w = 0, h = 0;
  double right() const { return x + w; }
  double bottom() const { return y + h; }
  double mid_x() const { return x + w / 2; }
  double mid_y() const { return y + h / 2; }
};

enum class Align { left, centre, right };

class Canvas {
 public:
  // Draws into `image`, which must outlive it.
  explicit Canvas(Image& image);
  // Draws into an SVG file of this size in pixels; finish() completes it.
  Canvas(const std::filesystem::path& svg, int width, int height);
  ~Canvas();
  Canvas(const Canvas&) = delete;

  // Error(system) when the file could not be written.
  void finish();

  cairo_t* cr() const { return cr_; }
  double width() const { return width_; }
  double height() const { return height_; }

  void colour(Colour c, double alpha = 1) const { cairo_set_source_rgba(cr_, c.r, c.g, c.b, alpha); }
  void fill_all(Colour c) const;
  void rectangle(const Rect& r) const { cairo_rectangle(cr_, r.x, r.y, r.w, r.h); }
  void image(const Image& image, double x, double y) const;  // its top left corner there
  void line(double x0, double y0, double x1, double y1, double line_width) const;

  // Text with its baseline at y. `size` in pixels.
  void text(const std::string& s, double x, double y, double size, Align align = Align::left, bool bold = false) const;
  double text_width(const std::string& s, double size, bool bold = false) const;

 private:
  void font(double size, bool bold) const;
  cairo_surface_t* surface_;
  cairo_t* cr_;
  double width_, height_;
  std::filesystem::path file_;  // of an SVG
};

// From a shape's own frame to the page, where y points down.
struct PageTransform {
  double xx, xy, x0;  // page x = xx p.x + xy p.y + x0
  double yx, yy, y0;
  double x(Vec2d p) const { return xx * p.x + xy * p.y + x0; }
  double y(Vec2d p) const { return yx * p.x + yy * p.y + y0; }
};
// Outline at unit size, placed with centre (cx, cy) and radius r in pixels, turned by `angle` counter-clockwise.
PageTransform place(double cx, double cy, double r, double angle);
void add_path(const Canvas& canvas, const Outline& outline, const PageTransform& t);

// Leaves out vertices that move the outline by less than `tolerance`.
Outline simplified(const Outline& outline, double tolerance);

}  // namespace scree
