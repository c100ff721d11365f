// Level sets and errors of a contact map.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/map/exact_slice.hpp"
#include "scree/record/layout.hpp"
#include "scree/record/plot.hpp"

namespace scree {

namespace {

// Gaps on a square grid of x_AB over the domain, row by row from the top.
struct Field {
  int n = 0;
  double half = 1;  // the grid covers [-half, half]^2
  std::vector<double> map, exact;

  // Near contact, and where the map is asked at all: beyond its reach it gives a lower bound by contract.
  bool shown(std::size_t k, double band, double reach) const {
    const int side = n, i = static_cast<int>(k) % side, j = static_cast<int>(k) / side;
    return std::abs(exact[k]) <= band && norm(at(i, j)) <= reach;
  }
  Vec2d at(int i, int j) const {
    const double step = 2 * half / (n - 1);
    return {-half + i * step, half - j * step};
  }
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + static_cast<std::size_t>(i);
  }
};

Field sample(const ContactMap& map, const ExactSlice& slice, double theta, double half, int n) {
  Field f{n, half, {}, {}};
  std::vector<Pose2d> poses;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) poses.push_back({theta, f.at(i, j)});
  std::vector<ContactGeometry> out(poses.size());
  map.query_batch(poses, out);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    f.map.push_back(out[k].gap);
    f.exact.push_back(slice.query(poses[k].x).gap);
  }
  return f;
}

struct Panel {
  Rect rect;
  double half = 1;
  double scale() const { return rect.w / (2 * half); }
  double x(Vec2d p) const { return rect.mid_x() + p.x * scale(); }
  double y(Vec2d p) const { return rect.mid_y() - p.y * scale(); }
};

// The zero level by marching squares: a segment in every cell whose corners differ in sign.
void add_zero_level(const Canvas& canvas, const Panel& panel, const Field& f, const std::vector<double>& d) {
  for (int j = 0; j + 1 < f.n; ++j) {
    for (int i = 0; i + 1 < f.n; ++i) {
      const std::array<std::array<int, 2>, 4> corner{{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
      std::array<Vec2d, 4> cut;
      std::size_t cuts = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto [ai, aj] = corner[k];
        const auto [bi, bj] = corner[(k + 1) % 4];
        const double a = d[f.index(ai, aj)], b = d[f.index(bi, bj)];
        if ((a < 0) != (b < 0)) cut[cuts++] = f.at(ai, aj) + a / (a - b) * (f.at(bi, bj) - f.at(ai, aj));
      }
      for (std::size_t k = 0; k + 1 < cuts; k += 2) {
        cairo_move_to(canvas.cr(), panel.x(cut[k]), panel.y(cut[k]));
        cairo_line_to(canvas.cr(), panel.x(cut[k + 1]), panel.y(cut[k + 1]));
      }
    }
  }
}

// Where B touches when it comes in along the direction `angle`.
Vec2d touching(const ExactSlice& slice, double reach, double angle) {
  const Vec2d u{std::cos(angle), std::sin(angle)};
  double out = reach, in = reach;
  while (in > 0 && slice.query(in * u).gap > 0) out = in, in -= 0.01 * reach;
  for (int k = 0; k < 40; ++k) {
    const double mid = 0.5 * (in + out);
    (slice.query(mid * u).gap > 0 ? out : in) = mid;
  }
  return out * u;
}

void fill_outline(const Canvas& canvas, const Outline& outline, const PageTransform& t, Colour c, double alpha) {
  add_path(canvas, outline, t);
  canvas.colour(c, alpha);
  cairo_fill_preserve(canvas.cr());
  canvas.colour(mix(c, rgb(0x000000), 0.3), std::min(1.0, alpha + 0.3));
  cairo_set_line_width(canvas.cr(), 1);
  cairo_stroke(canvas.cr());
}

constexpr double line_exact = 4.5, line_map = 1.3;

Colour exact_colour(const Theme& theme) { return theme.dark ? rgb(0x6fa8dc) : rgb(0x9ec3e6); }
Colour map_colour(const Theme& theme) { return theme.dark ? rgb(0xff8a5c) : rgb(0xc8321e); }
constexpr Colour colour_a = rgb(0x8b9097);
constexpr Colour colour_b = rgb(0xe8a33d);

// One angle: the exact answers, and where B is drawn.
struct Column {
  double theta;
  std::unique_ptr<const ExactSlice> slice;
  Vec2d b;
};

// Half the width of a panel: what the map is asked about, and all of B at every angle.
double half_width(const ShapePair& pair, const std::vector<Column>& columns) {
  double half = pair.reach() + 0.1 * pair.ratio;
  for (const Column& c : columns) {
    const Rotation2d turn(c.theta);
    for (const Loop& loop : pair.b->outline.loops) {
      for (const Vec2d v : loop) {
        const Vec2d p = c.b + turn * (pair.ratio * v);
        half = std::max({half, 1.08 * std::abs(p.x), 1.08 * std::abs(p.y)});
      }
    }
  }
  return half;
}

void draw_levels(const Canvas& canvas, const Panel& panel, const ShapePair& pair, const Column& column,
                 const Field& field, const Theme& theme) {
  const double s = panel.scale();
  cairo_save(canvas.cr());
  canvas.rectangle(panel.rect);
  cairo_clip(canvas.cr());
  fill_outline(canvas, pair.a->outline, place(panel.rect.mid_x(), panel.rect.mid_y(), s, 0), colour_a, 0.5);
  fill_outline(canvas, pair.b->outline, place(panel.x(column.b), panel.y(column.b), s * pair.ratio, column.theta),
               colour_b, 0.25);
  for (const BoundarySegment& e : column.slice->boundary()) {
    cairo_move_to(canvas.cr(), panel.x(e.from), panel.y(e.from));
    cairo_line_to(canvas.cr(), panel.x(e.to()), panel.y(e.to()));
  }
  canvas.colour(exact_colour(theme));
  cairo_set_line_width(canvas.cr(), line_exact * panel.rect.w / 360);
  cairo_stroke(canvas.cr());
  add_zero_level(canvas, panel, field, field.map);
  canvas.colour(map_colour(theme));
  cairo_set_line_width(canvas.cr(), line_map * panel.rect.w / 360);
  cairo_stroke(canvas.cr());
  cairo_restore(canvas.cr());
}

void draw_errors(const Canvas& canvas, const Panel& panel, const Field& f, double band, double reach, double top,
                 const Theme& theme) {
  Image cells(f.n, f.n);
  const Colour away = mix(theme.ground, theme.ink, 0.06);
  for (std::size_t k = 0; k < cells.pixels.size(); ++k) {
    const Colour c = f.shown(k, band, reach) ? error_ramp(std::abs(f.map[k] - f.exact[k]) / top, theme.dark) : away;
    const auto byte = [](double v) { return static_cast<std::uint32_t>(v * 255 + 0.5); };
    cells.pixels[k] = 0xff000000u | byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
  }
  cairo_surface_t* surface = cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(cells.pixels.data()),
                                                                 CAIRO_FORMAT_ARGB32, f.n, f.n, 4 * f.n);
  cairo_save(canvas.cr());
  canvas.rectangle(panel.rect);
  cairo_clip(canvas.cr());
  cairo_translate(canvas.cr(), panel.rect.x, panel.rect.y);
  cairo_scale(canvas.cr(), panel.rect.w / f.n, panel.rect.h / f.n);
  cairo_set_source_surface(canvas.cr(), surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(canvas.cr()), CAIRO_FILTER_BILINEAR);
  cairo_paint(canvas.cr());
  cairo_restore(canvas.cr());
  cairo_surface_destroy(surface);
}

// Top of the error scale: the 99.5th percentile near contact, rounded up.
double error_top(const std::vector<Field>& fields, double band, double reach) {
  std::vector<double> errors;
  for (const Field& f : fields)
    for (std::size_t k = 0; k < f.map.size(); ++k)
      if (f.shown(k, band, reach)) errors.push_back(std::abs(f.map[k] - f.exact[k]));
  if (errors.empty()) return 1;
  const auto at = errors.begin() + static_cast<std::ptrdiff_t>(0.995 * static_cast<double>(errors.size() - 1));
  std::nth_element(errors.begin(), at, errors.end());
  return *at > 1e-9 ? round_up(*at) : 1e-9;
}

void frame_panel(const Canvas& canvas, const Panel& panel, const Theme& theme) {
  canvas.colour(theme.faint_ink);
  cairo_set_line_width(canvas.cr(), 1);
  canvas.rectangle({panel.rect.x + 0.5, panel.rect.y + 0.5, panel.rect.w - 1, panel.rect.h - 1});
  cairo_stroke(canvas.cr());
}

std::string degrees(double theta) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "θ = %.4g°", theta * 180 / std::numbers::pi);
  return text.data();
}

// The key under the panels: a mark and a word for each thing drawn.
void draw_key(const Canvas& canvas, double x, double y, double font, const Theme& theme, const ShapePair& pair) {
  const auto word = [&](const std::string& text) {
    canvas.colour(theme.ink);
    canvas.text(text, x, y + 0.35 * font, font);
    x += canvas.text_width(text, font) + 1.8 * font;
  };
  const auto square = [&](Colour c, double alpha) {
    canvas.colour(c, alpha);
    canvas.rectangle({x, y - 0.5 * font, font, font});
    cairo_fill(canvas.cr());
    x += 1.5 * font;
  };
  const auto dash = [&](Colour c, double width) {
    canvas.colour(c);
    canvas.line(x, y, x + 1.6 * font, y, width);
    x += 2.2 * font;
  };
  square(colour_a, 0.6), word("A: " + pair.a->name);
  square(colour_b, 0.45), word("B: " + pair.b->name + ", touching");
  dash(exact_colour(theme), line_exact), word("exact obstacle boundary");
  dash(map_colour(theme), line_map), word("zero level of the map");
}

// Sizes of a figure, in pixels.
struct FigureLayout {
  double panel, gap, font, half, margin, top, bar_room;

  FigureLayout(double half_width, const MapFigure& figure)
      : panel(figure.panel),
        gap(0.05 * panel),
        font(0.045 * panel + 2),
        half(half_width),
        margin(1.5 * font),
        top((figure.title.empty() ? 2.4 : 4.6) * font),
        bar_room(8 * font) {}

  double column(std::size_t k) const { return margin + static_cast<double>(k) * (panel + gap); }
  double lower() const { return top + panel + gap; }
  Image page(std::size_t columns) const {
    return {static_cast<int>(column(columns) + margin + bar_room), static_cast<int>(lower() + panel + 4 * font)};
  }
};

// The lower row and its colour bar.
void draw_error_row(const Canvas& canvas, const FigureLayout& at, const std::vector<Field>& fields, double reach,
                    const MapFigure& figure) {
  const double top = error_top(fields, figure.band, reach);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const Panel panel{{at.column(k), at.lower(), at.panel, at.panel}, at.half};
    draw_errors(canvas, panel, fields[k], figure.band, reach, top, figure.theme);
    frame_panel(canvas, panel, figure.theme);
  }
  const double x = at.column(fields.size());
  canvas.colour(figure.theme.ink);
  canvas.text("|map − exact|", x, at.lower() + 0.9 * at.font, 0.9 * at.font);
  draw_bar(canvas, {x, at.lower() + 2 * at.font, at.font, at.panel - 2.4 * at.font}, at.font, figure.theme,
           number_bar("", top, error_ramp));
}

}  // namespace

Image map_figure(const ShapePair& pair, const ContactMap& map, const MapFigure& figure) {
  if (figure.thetas.empty()) throw Error(ErrorKind::input, "theta", "no angle to plot", "give at least one");
  const PairGeometry geometry(pair);
  std::vector<Column> columns;
  for (const double theta : figure.thetas) {
    auto slice = std::make_unique<const ExactSlice>(geometry, theta);
    const Vec2d b = touching(*slice, pair.reach(), 0.7);
    columns.push_back({theta, std::move(slice), b});
  }
  const FigureLayout at(half_width(pair, columns), figure);
  Image image = at.page(figure.thetas.size());
  const Canvas canvas(image);
  const Theme& theme = figure.theme;
  canvas.fill_all(theme.ground);
  canvas.colour(theme.ink);
  if (!figure.title.empty()) canvas.text(figure.title, at.margin, 2 * at.font, 1.15 * at.font, Align::left, true);

  std::vector<Field> fields;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double theta = columns[k].theta;
    fields.push_back(sample(map, *columns[k].slice, theta, at.half, figure.grid));
    canvas.colour(theme.ink);
    canvas.text(degrees(theta), at.column(k) + at.panel / 2, at.top - 0.7 * at.font, at.font, Align::centre);
    const Panel upper{{at.column(k), at.top, at.panel, at.panel}, at.half};
    draw_levels(canvas, upper, pair, columns[k], fields.back(), theme);
    frame_panel(canvas, upper, theme);
  }
  draw_error_row(canvas, at, fields, pair.reach(), figure);
  draw_key(canvas, at.margin, at.lower() + at.panel + 2 * at.font, at.font, theme, pair);
  return image;
}

}  // namespace scree
