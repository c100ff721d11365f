#include "scree/record/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/record/inset.hpp"
#include "scree/record/layout.hpp"
#include "scree/record/stamps.hpp"

namespace scree {

std::vector<Colour> spread_palette(std::size_t count, const std::vector<std::size_t>& first) {
  std::vector<Colour> out(count);
  std::vector<char> done(count, 0);
  std::size_t next = 0;
  for (std::size_t k : first)
    if (k < count) out[k] = palette(next++), done[k] = 1;
  for (std::size_t k = 0; k < count; ++k)
    if (!done[k]) out[k] = palette(next++);
  return out;
}

std::vector<Colour> type_colours(const Statics& statics, const std::vector<std::size_t>& first,
                                 const std::map<std::string, Colour>& own) {
  std::vector<Colour> out = spread_palette(statics.types.size(), first);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::string& name = statics.types[k].name;
    for (const std::string& key : {name, name.substr(0, name.find(':'))})
      if (const auto found = own.find(key); found != own.end()) out[k] = found->second;
  }
  return out;
}

namespace {

constexpr double edge_from = 6;  // pixels of diameter below which a grain has no edge line
constexpr double edge_darkening = 0.38;

Colour angle_bar(double t, bool) { return cyclic_ramp(t); }

std::string with_unit(std::string name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

LegendBar bar_of(const PictureStyle& style, const Scales& scales) {
  const std::string speed = style.length_unit.empty() ? "" : style.length_unit + "/" + style.time_unit;
  switch (style.colour) {
    case ColourBy::speed:
      return number_bar(with_unit("speed", speed), scales.speed, speed_ramp);
    case ColourBy::force:
      return number_bar(with_unit("force", style.force_unit), scales.grain_force, force_ramp);
    default:
      return {"angle", 360, angle_bar, {0, 90, 180, 270, 360}, {"0°", "90°", "180°", "270°", "360°"}, 0};
  }
}

}  // namespace

ColourBy parse_colour_by(const std::string& name) {
  const std::vector<std::string> names{"type", "group", "speed", "force", "angle"};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return static_cast<ColourBy>(k);
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::input, "colour", cat("\"", name, "\" is not a way to colour grains"),
              (near.empty() ? "" : "did you mean " + near + "? ") + "known: " + join(names));
}

struct Picture::Impl {
  const Statics& statics;
  PictureStyle style;
  Scales scales;
  PictureLayout at;
  std::vector<Outline> outlines;     // per type, unit radius, as fine as the pixels ask for
  std::vector<Outline> insides;      // per type: without the rim that is the edge
  std::vector<Colour> type_colour;   // per type
  std::vector<Colour> group_colour;  // per group
  std::vector<LegendRow> rows;
  LegendBar bar;
  bool use_rows = false;
  std::vector<std::optional<Stamp>> stamps;  // per type: of grains of a few pixels
  std::optional<Picture> lens;

  Impl(const Statics& s, const PictureStyle& st, const Scales& sc) : statics(s), style(st), scales(sc) {
    use_rows = style.colour == ColourBy::type || style.colour == ColourBy::group;
    type_colour = type_colours(statics, scales.types, style.colours);
    group_colour = spread_palette(statics.groups.size(), scales.groups);
    for (std::size_t k = 0; k < group_colour.size(); ++k)
      if (const auto own = style.colours.find(statics.groups[k]); own != style.colours.end())
        group_colour[k] = own->second;
    if (use_rows) {
      make_rows();
    } else {
      bar = bar_of(style, scales);
      bar.faded = faded();
    }
    const bool shown = style.legend && (!use_rows || !rows.empty());
    at = lay_out(style, scales, !shown ? Vec2d{} : use_rows ? legend_size(rows) : legend_size(bar));
    for (const GrainType& t : statics.types) {
      const Shape& shape = statics.shapes[static_cast<std::size_t>(t.shape)];
      const double pixels = std::max(t.radius * at.scale, 1e-6);
      const double edge = std::clamp(0.04 * pixels, 0.6, std::max(1.0, at.font / 14));
      outlines.push_back(simplified(shape.outline, 0.1 / pixels));
      insides.push_back(inset(outlines.back(), std::min(edge / pixels, 0.2 * shape.thinnest)));
      stamps.emplace_back();
      if (2 * pixels < edge_from) stamps.back().emplace(outlines.back(), pixels);
    }
    if (style.lens) make_lens();
  }

  // Grains alone, on a third of the picture's width.
  void make_lens() {
    PictureStyle part = style;
    const Vec2d size = style.lens->hi - style.lens->lo;
    part.view = std::exchange(part.lens, {});
    part.width = at.width * 3 / 8;
    part.height = std::min(static_cast<int>(part.width * size.y / size.x), at.height * 3 / 4);
    part.longer = 0;
    part.title.clear();
    part.legend = part.scale_bar = part.time = false;
    lens.emplace(statics, part, scales);
  }

  // The lens has a rim, and so has the part of the scene that it shows.
  void draw_lens(const Canvas& canvas, const Frame& f) const {
    Image image = lens->draw(f);
    const Rect to{at.width - at.margin - lens->width(), at.height - at.margin - lens->height(),
                  static_cast<double>(lens->width()), static_cast<double>(lens->height())};
    canvas.image(image, to.x, to.y);
    const Box& part = *style.lens;
    const double line = std::max(1.5, at.font / 10);
    canvas.colour(style.theme.ink);
    cairo_set_line_width(canvas.cr(), line);
    canvas.rectangle(
        {at.x(part.lo.x), at.y(part.hi.y), (part.hi.x - part.lo.x) * at.scale, (part.hi.y - part.lo.y) * at.scale});
    cairo_stroke(canvas.cr());
  }

  void make_rows() {
    if (style.colour == ColourBy::type) {
      for (std::size_t k : scales.types) {
        const GrainType& t = statics.types[k];
        rows.push_back({t.name, mix(type_colour[k], style.theme.ground, faded()),
                        &statics.shapes[static_cast<std::size_t>(t.shape)].outline});
      }
    } else {
      for (std::size_t k : scales.groups)
        rows.push_back({statics.groups[k], mix(group_colour[k], style.theme.ground, faded()), nullptr});
    }
  }

  // So that the force network stands out: share of the ground in the colours of grains, and in those of the legend.
  double faded() const { return style.forces ? 0.62 : 0; }

  Colour fill_of(const Frame& f, std::size_t i, double force) const {
    if (style.neutral_fixed && f.kind[i] != BodyKind::moving) return style.theme.neutral;
    switch (style.colour) {
      case ColourBy::type:
        return type_colour[f.type[i]];
      case ColourBy::group:
        return f.group[i] < group_colour.size() ? group_colour[f.group[i]] : style.theme.neutral;
      case ColourBy::speed:
        return speed_ramp(norm(f.v[i]) / scales.speed, style.theme.dark);
      case ColourBy::force:
        return force_ramp(force / scales.grain_force, style.theme.dark);
      case ColourBy::angle:
        return cyclic_ramp(f.theta[i] / (2 * std::numbers::pi));
    }
    return style.theme.neutral;
  }

  void draw_grain(const Canvas& canvas, const Pixels& pixels, const Frame& f, std::size_t i, Vec2d x,
                  Colour fill) const {
    const double radius = statics.types[f.type[i]].radius * at.scale;
    const double px = at.x(x.x), py = at.y(x.y);
    if (!(px + radius > 0 && px - radius < at.width && py + radius > 0 && py - radius < at.height)) return;
    if (pixels.data && stamps[f.type[i]]) return stamps[f.type[i]]->print(pixels, px, py, f.theta[i], fill);
    cairo_t* cr = canvas.cr();
    const PageTransform t = place(px, py, radius, f.theta[i]);
    // The edge is the rim of the true outline: two fills cost half as much as a fill and a stroke.
    const bool edge = 2 * radius >= edge_from;
    canvas.colour(edge ? mix(fill, style.theme.dark ? style.theme.ground : rgb(0x000000), edge_darkening) : fill);
    add_path(canvas, outlines[f.type[i]], t);
    cairo_fill(cr);
    if (!edge) return;
    canvas.colour(fill);
    add_path(canvas, insides[f.type[i]], t);
    cairo_fill(cr);
  }

  // Copies of a grain in a periodic cell: itself, and its images where it crosses the border.
  template <class Draw>
  void for_images(Vec2d x, double radius, Draw draw) const {
    const Periodic& p = statics.periodic;
    const Vec2d period = p.box.hi - p.box.lo;
    const auto shifts = [&](bool on, double at_x, double lo, double hi) {
      std::vector<int> out{0};
      if (on && at_x - radius < lo) out.push_back(1);
      if (on && at_x + radius > hi) out.push_back(-1);
      return out;
    };
    for (int i : shifts(p.x, x.x, p.box.lo.x, p.box.hi.x))
      for (int j : shifts(p.y, x.y, p.box.lo.y, p.box.hi.y)) draw(x + Vec2d{i * period.x, j * period.y});
  }

  void draw_grains(const Canvas& canvas, const Frame& f) const {
    const std::vector<double> forces =
        style.colour == ColourBy::force ? grain_forces(f) : std::vector<double>(f.id.size(), 0.0);
    const bool all_small = std::ranges::all_of(stamps, [](const auto& s) { return s.has_value(); });
    const Pixels pixels = all_small ? take_pixels(canvas) : Pixels{};
    for (std::size_t i = 0; i < f.id.size(); ++i) {
      const Colour fill = mix(fill_of(f, i, forces[i]), style.theme.ground, faded());
      const double radius = statics.types[f.type[i]].radius;
      if (!statics.periodic.x && !statics.periodic.y) {
        draw_grain(canvas, pixels, f, i, f.x[i], fill);
      } else {
        for_images(f.x[i], radius, [&](Vec2d x) { draw_grain(canvas, pixels, f, i, x, fill); });
      }
    }
    hand_back(canvas);
  }

  // Lines from centre to centre through the contact point, as wide as the force is large.
  void draw_forces(const Canvas& canvas, const Frame& f) const {
    cairo_t* cr = canvas.cr();
    double widest = 0;
    for (std::size_t k : scales.types) widest = std::max(widest, statics.types[k].radius * at.scale);
    widest = std::clamp(0.35 * widest, 2.0, 1.1 * at.font);
    canvas.colour(style.theme.force, 0.9);
    for (const FrameContact& c : f.contacts) {
      const double width = widest * std::min(1.6, c.normal_force / scales.contact_force);
      if (width < 0.12) continue;
      cairo_set_line_width(cr, width);
      const Vec2d through = drawn_point(f, c);
      for (std::uint32_t id : {c.a, c.b}) {
        const std::size_t i = find_grain(f, id);
        if (i == f.id.size()) continue;
        const Vec2d centre = nearest_image(statics.periodic, f.x[i], c.point);
        cairo_move_to(cr, at.x(centre.x), at.y(centre.y));
        cairo_line_to(cr, at.x(through.x), at.y(through.y));
      }
      cairo_stroke(cr);
    }
  }

  // The contact point is where the force acts: its wrench is the contact's. Where grains touch at several points at
  // once that may be outside of both, so lines are led through the nearest point of their bounding circles.
  Vec2d drawn_point(const Frame& f, const FrameContact& c) const {
    Vec2d p = c.point;
    for (std::uint32_t id : {c.a, c.b}) {
      const std::size_t i = find_grain(f, id);
      if (i == f.id.size()) continue;
      const Vec2d centre = nearest_image(statics.periodic, f.x[i], c.point);
      p = nearest_in_circle(p, centre, statics.types[f.type[i]].radius);
    }
    return p;
  }

  void clip_scene(const Canvas& canvas) const {
    const bool tight = style.view.has_value();
    Rect r = at.scene;
    // Lines and walls at the rim may stand out a little, except across the border of a user's view or a cell.
    const double room = tight ? 0 : at.font;
    if (!statics.periodic.x) r.x -= room, r.w += 2 * room;
    if (!statics.periodic.y) r.y -= room, r.h += 2 * room;
    canvas.rectangle(r);
    cairo_clip(canvas.cr());
  }

  void draw(const Frame& f, const Canvas& canvas) const {
    const Theme& theme = style.theme;
    canvas.fill_all(theme.ground);
    cairo_save(canvas.cr());
    clip_scene(canvas);
    if (style.walls) draw_walls(canvas, at, theme, statics, f);
    draw_grains(canvas, f);
    if (style.forces) draw_forces(canvas, f);
    cairo_restore(canvas.cr());
    draw_cell(canvas);
    if (cuts_off()) draw_frame(canvas);
    if (at.legend.w > 0 && use_rows) draw_legend(canvas, at, theme, rows);
    if (at.legend.w > 0 && !use_rows) draw_legend(canvas, at, theme, bar);
    if (style.scale_bar) draw_scale_bar(canvas, at, theme, style.length_unit);
    draw_label(canvas, at, theme, style.title, style.time ? time_label(f.time, style.time_unit) : "");
    if (lens) draw_lens(canvas, f);
  }

  // Does the view leave out some of what there is?
  bool cuts_off() const {
    const Box& all = scales.view;
    return style.view && !(style.view->contains(all.lo) && style.view->contains(all.hi));
  }

  // A view that cuts grains off gets a thin frame.
  void draw_frame(const Canvas& canvas) const {
    canvas.colour(style.theme.faint_ink);
    cairo_set_line_width(canvas.cr(), std::max(1.0, at.font / 16));
    canvas.rectangle(at.scene);
    cairo_stroke(canvas.cr());
  }

  // Borders of a periodic cell, dashed.
  void draw_cell(const Canvas& canvas) const {
    const std::array<double, 2> dash{0.5 * at.font, 0.5 * at.font};
    cairo_save(canvas.cr());
    cairo_set_dash(canvas.cr(), dash.data(), 2, 0);
    canvas.colour(style.theme.faint_ink);
    const double line = std::max(1.0, at.font / 14);
    const Rect& r = at.scene;
    if (statics.periodic.x)
      for (double x : {r.x, r.right()}) canvas.line(x, r.y, x, r.bottom(), line);
    if (statics.periodic.y)
      for (double y : {r.y, r.bottom()}) canvas.line(r.x, y, r.right(), y, line);
    cairo_restore(canvas.cr());
  }
};

Picture::Picture(const Statics& statics, const PictureStyle& style, const Scales& scales)
    : impl_(std::make_unique<Impl>(statics, style, scales)) {}
Picture::~Picture() = default;
Picture::Picture(Picture&&) noexcept = default;
Picture& Picture::operator=(Picture&&) noexcept = default;
int Picture::width() const { return impl_->at.width; }
int Picture::height() const { return impl_->at.height; }
Vec2d Picture::page(Vec2d world) const { return {impl_->at.x(world.x), impl_->at.y(world.y)}; }

void Picture::draw(const Frame& frame, Image& image) const {
  if (image.width != width() || image.height != height()) image = Image(width(), height());
  impl_->draw(frame, Canvas(image));
}

void Picture::write_svg(const Frame& frame, const std::filesystem::path& file) const {
  Canvas canvas(file, width(), height());
  impl_->draw(frame, canvas);
  canvas.finish();
}

Image Picture::draw(const Frame& frame) const {
  Image image(width(), height());
  draw(frame, image);
  return image;
}

}  // namespace scree
