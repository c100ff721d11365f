#include "scree/record/canvas.hpp"

#include <cairo-svg.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

cairo_surface_t* surface_of(const Image& image) {
  auto* data = reinterpret_cast<unsigned char*>(const_cast<std::uint32_t*>(image.pixels.data()));
  return cairo_image_surface_create_for_data(data, CAIRO_FORMAT_ARGB32, image.width, image.height, 4 * image.width);
}

// Keeps the points of loop[first..last] that stand out of their chord by more than the tolerance (Douglas-Peucker).
void mark_needed(const Loop& loop, std::size_t first, std::size_t last, double tolerance, std::vector<char>& keep) {
  if (last <= first + 1) return;
  const Vec2d a = loop[first], b = loop[last % loop.size()], ab = b - a;
  const double length = norm(ab);
  std::size_t worst = first;
  double most = tolerance;
  for (std::size_t i = first + 1; i < last; ++i) {
    const Vec2d p = loop[i] - a;
    const double off = length > 0 ? std::abs(cross(ab, p)) / length : norm(p);
    if (off > most) most = off, worst = i;
  }
  if (worst == first) return;
  keep[worst] = 1;
  mark_needed(loop, first, worst, tolerance, keep);
  mark_needed(loop, worst, last, tolerance, keep);
}

Loop simplified_loop(const Loop& loop, double tolerance) {
  if (loop.size() < 5) return loop;
  // Cut at the vertex farthest from the first one, so that both halves have long chords.
  std::size_t far = 0;
  for (std::size_t i = 1; i < loop.size(); ++i)
    if (norm2(loop[i] - loop[0]) > norm2(loop[far] - loop[0])) far = i;
  std::vector<char> keep(loop.size(), 0);
  keep[0] = keep[far] = 1;
  mark_needed(loop, 0, far, tolerance, keep);
  mark_needed(loop, far, loop.size(), tolerance, keep);
  Loop out;
  for (std::size_t i = 0; i < loop.size(); ++i)
    if (keep[i]) out.push_back(loop[i]);
  return out.size() < 3 ? loop : out;
}

}  // namespace

Image::Image(int w, int h) : width(w), height(h) {
  if (w < 1 || h < 1 || w > 16384 || h > 16384)
    throw Error(ErrorKind::input, "picture size", cat(w, "x", h, " pixels is not possible"), "use 1 to 16384 a side");
  pixels.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
}

namespace {

[[noreturn]] void fail_picture(const std::filesystem::path& file, int code, cairo_status_t status) {
  throw Error(ErrorKind::system, file.string(),
              cat("cannot write this picture: ", code != 0 ? std::strerror(code) : cairo_status_to_string(status)),
              "check that the folder exists, may be written and has room");
}

}  // namespace

void write_png(const Image& image, const std::filesystem::path& file) {
  cairo_surface_t* surface = surface_of(image);
  errno = 0;
  const cairo_status_t status = cairo_surface_write_to_png(surface, file.c_str());
  const int code = errno;
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS) fail_picture(file, code, status);
}

Canvas::Canvas(Image& image)
    : surface_(surface_of(image)), cr_(cairo_create(surface_)), width_(image.width), height_(image.height) {
  cairo_set_line_join(cr_, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cr_, CAIRO_LINE_CAP_ROUND);
}

Canvas::Canvas(const std::filesystem::path& svg, int width, int height)
    : surface_(cairo_svg_surface_create(svg.c_str(), width, height)),
      cr_(cairo_create(surface_)),
      width_(width),
      height_(height),
      file_(svg) {
  cairo_svg_surface_set_document_unit(surface_, CAIRO_SVG_UNIT_PX);
  cairo_set_line_join(cr_, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cr_, CAIRO_LINE_CAP_ROUND);
}

void Canvas::finish() {
  errno = 0;
  cairo_surface_finish(surface_);
  const int code = errno;
  for (const cairo_status_t status : {cairo_surface_status(surface_), cairo_status(cr_)})
    if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_SURFACE_FINISHED) fail_picture(file_, code, status);
}

Canvas::~Canvas() {
  cairo_destroy(cr_);
  cairo_surface_finish(surface_);
  cairo_surface_destroy(surface_);
}

void Canvas::fill_all(Colour c) const {
  colour(c);
  cairo_paint(cr_);
}

void Canvas::image(const Image& image, double x, double y) const {
  cairo_surface_t* surface = surface_of(image);
  cairo_set_source_surface(cr_, surface, x, y);
  cairo_paint(cr_);
  cairo_surface_destroy(surface);
}

void Canvas::line(double x0, double y0, double x1, double y1, double line_width) const {
  cairo_set_line_width(cr_, line_width);
  cairo_move_to(cr_, x0, y0);
  cairo_line_to(cr_, x1, y1);
  cairo_stroke(cr_);
}

void Canvas::font(double size, bool bold) const {
  cairo_select_font_face(cr_, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr_, size);
}

void Canvas::text(const std::string& s, double x, double y, double size, Align align, bool bold) const {
  font(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(cr_, s.c_str(), &extents);
  const double shift = align == Align::left ? 0 : align == Align::centre ? extents.x_advance / 2 : extents.x_advance;
  cairo_move_to(cr_, x - shift, y);
  cairo_show_text(cr_, s.c_str());
}

double Canvas::text_width(const std::string& s, double size, bool bold) const {
  font(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(cr_, s.c_str(), &extents);
  return extents.x_advance;
}

PageTransform place(double cx, double cy, double r, double angle) {
  const double c = r * std::cos(angle), s = r * std::sin(angle);
  return {c, -s, cx, -s, -c, cy};
}

void add_path(const Canvas& canvas, const Outline& outline, const PageTransform& t) {
  cairo_t* cr = canvas.cr();
  for (const Loop& loop : outline.loops) {
    cairo_new_sub_path(cr);
    for (Vec2d p : loop) cairo_line_to(cr, t.x(p), t.y(p));
    cairo_close_path(cr);
  }
}

Outline simplified(const Outline& outline, double tolerance) {
  Outline out;
  for (const Loop& loop : outline.loops) out.loops.push_back(simplified_loop(loop, tolerance));
  return out;
}

}  // namespace scree
