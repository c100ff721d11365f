#include "scree/record/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/record/colours.hpp"
#include "scree/record/markup.hpp"
#include "scree/record/round_numbers.hpp"

namespace scree {

namespace {

// Room around the plot, pixels.
constexpr double left = 62, right = 14, top = 34, bottom = 52;
constexpr double row = 18;  // of the legend

std::string px(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string hex(Colour c) {
  const auto byte = [](double v) { return static_cast<unsigned>(std::lround(255 * std::clamp(v, 0.0, 1.0))); };
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", byte(c.r), byte(c.g), byte(c.b));
  return text.data();
}

struct Range {
  double lo = 0, hi = 1;
  bool logarithmic = false;
  double share(double v) const { return logarithmic ? std::log(v / lo) / std::log(hi / lo) : (v - lo) / (hi - lo); }
  bool shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
};

struct Extent {
  double lo = 1e300, hi = -1e300;
  void add(double v) {
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
};

// The data with a margin; from 0 when they come near it.
Range range_of(const ChartAxis& axis, Extent data) {
  Range r;
  r.logarithmic = axis.logarithmic;
  if (!axis.categories.empty()) return {-0.5, static_cast<double>(axis.categories.size()) - 0.5, false};
  if (data.lo > data.hi) data = axis.logarithmic ? Extent{1, 10} : Extent{0, 1};
  if (axis.logarithmic) {
    const double margin = std::pow(std::max(data.hi / data.lo, 1.5), 0.06);
    r.lo = data.lo / margin;
    r.hi = data.hi * margin;
  } else {
    if (data.lo > 0 && data.lo < 0.5 * data.hi) data.lo = 0;
    const double span = data.hi > data.lo ? data.hi - data.lo : std::max(std::abs(data.hi), 1.0);
    r.lo = data.lo == 0 ? 0 : data.lo - 0.06 * span;
    r.hi = data.hi + 0.06 * span;
  }
  if (axis.lo) r.lo = *axis.lo;
  if (axis.hi) r.hi = *axis.hi;
  return r;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    Extent x, y;
    const Range any_x{0, 1, chart.x.logarithmic}, any_y{0, 1, chart.y.logarithmic};
    for (const ChartSeries& s : chart.series) {
      for (std::size_t k = 0; k < s.x.size(); ++k) {
        if (!any_x.shows(s.x[k]) || !any_y.shows(s.y[k])) continue;
        x.add(s.x[k]);
        const double e = s.error.empty() || !std::isfinite(s.error[k]) ? 0 : s.error[k];
        y.add(s.y[k] + e);
        y.add(any_y.shows(s.y[k] - e) ? s.y[k] - e : s.y[k]);
      }
    }
    x_ = range_of(chart.x, x);
    y_ = range_of(chart.y, y);
    legend_rows_ =
        static_cast<double>(std::ranges::count_if(chart.series, [](const ChartSeries& s) { return !s.name.empty(); }));
    if (legend_rows_ < 2) legend_rows_ = 0;  // the title says what a single series is
  }

  std::string svg() {
    const double height = chart_.height + legend_rows_ * row;
    out_ = cat("<svg class=\"chart\" viewBox=\"0 0 ", chart_.width, " ", px(height), "\" width=\"", chart_.width,
               "\" height=\"", px(height), "\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" fill=\"none\" ",
               "stroke-width=\"1.5\" font-family=\"sans-serif\" font-size=\"12\">\n");
    out_ += cat("<title>", escape_markup(chart_.title), "</title>\n");
    text(left, 18, chart_.title, "start", "font-weight=\"600\" font-size=\"13\"");
    axes();
    for (std::size_t k = 0; k < chart_.series.size(); ++k) draw(chart_.series[k], colour(k));
    if (legend_rows_ > 0) legend();
    return out_ + "</svg>\n";
  }

 private:
  double plot_right() const { return chart_.width - right; }
  double plot_bottom() const { return chart_.height - bottom; }
  double page_x(double v) const { return left + x_.share(v) * (plot_right() - left); }
  double page_y(double v) const { return plot_bottom() - y_.share(v) * (plot_bottom() - top); }

  std::string colour(std::size_t k) const {
    const ChartSeries& s = chart_.series[k];
    return hex(palette(s.colour_of ? static_cast<std::size_t>(*s.colour_of) : k));
  }

  void text(double x, double y, const std::string& s, const char* anchor, const std::string& more = "") {
    out_ += cat("<text x=\"", px(x), "\" y=\"", px(y), "\" text-anchor=\"", anchor, "\" fill=\"currentColor\" ", more,
                ">", escape_markup(s), "</text>\n");
  }
  void line(double x0, double y0, double x1, double y1, const std::string& stroke, const std::string& more = "") {
    out_ += cat("<line x1=\"", px(x0), "\" y1=\"", px(y0), "\" x2=\"", px(x1), "\" y2=\"", px(y1), "\" stroke=\"",
                stroke, "\" ", more, "/>\n");
  }

  void axes() {
    const std::string faint = "stroke-opacity=\"0.15\" stroke-width=\"1\"";
    const std::string thin = "stroke-opacity=\"0.6\" stroke-width=\"1\"";
    for (const double v : axis_ticks(y_.lo, y_.hi, 5, y_.logarithmic)) {
      line(left, page_y(v), plot_right(), page_y(v), "currentColor", faint);
      text(left - 6, page_y(v) + 4, label(v, y_), "end");
    }
    if (chart_.x.categories.empty()) {
      for (const double v : axis_ticks(x_.lo, x_.hi, 7, x_.logarithmic)) {
        line(page_x(v), plot_bottom(), page_x(v), plot_bottom() + 4, "currentColor", thin);
        text(page_x(v), plot_bottom() + 17, label(v, x_), "middle");
      }
    } else {
      for (std::size_t k = 0; k < chart_.x.categories.size(); ++k)
        text(page_x(static_cast<double>(k)), plot_bottom() + 17, chart_.x.categories[k], "middle");
    }
    line(left, plot_bottom(), plot_right(), plot_bottom(), "currentColor", thin);
    line(left, top, left, plot_bottom(), "currentColor", thin);
    text((left + plot_right()) / 2, plot_bottom() + 38, chart_.x.label, "middle");
    const double middle = (top + plot_bottom()) / 2;
    text(14, middle, chart_.y.label, "middle", cat("transform=\"rotate(-90 14 ", px(middle), ")\""));
  }

  static std::string label(double v, const Range& r) {
    return r.logarithmic ? tick_label(v, round_down(v)) : tick_label(v, tick_step(r));
  }
  static double tick_step(const Range& r) {
    const std::vector<double> t = axis_ticks(r.lo, r.hi, 5, false);
    return t.size() > 1 ? t[1] - t[0] : r.hi - r.lo;
  }

  void draw(const ChartSeries& s, const std::string& stroke) {
    const std::string dash = s.dashed ? "stroke-dasharray=\"6 4\"" : "";
    std::string points;
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      if (!x_.shows(s.x[k]) || !y_.shows(s.y[k])) continue;
      const double x = page_x(s.x[k]), y = page_y(s.y[k]);
      points += px(x) + "," + px(y) + " ";
      if (!s.error.empty() && std::isfinite(s.error[k]) && s.error[k] > 0) error_bar(s, k, stroke);
      if (s.marks) out_ += cat("<circle cx=\"", px(x), "\" cy=\"", px(y), "\" r=\"3.5\" fill=\"", stroke, "\"/>\n");
    }
    if (s.line && !points.empty())
      out_ += cat("<polyline points=\"", points, "\" stroke=\"", stroke, "\" ", dash, "/>\n");
  }

  void error_bar(const ChartSeries& s, std::size_t k, const std::string& stroke) {
    const double x = page_x(s.x[k]), lo = s.y[k] - s.error[k];
    const double y_hi = page_y(s.y[k] + s.error[k]), y_lo = y_.shows(lo) ? page_y(lo) : plot_bottom();
    line(x, y_hi, x, y_lo, stroke, "stroke-width=\"1.2\"");
    for (const double y : {y_hi, y_lo}) line(x - 4, y, x + 4, y, stroke, "stroke-width=\"1.2\"");
  }

  void legend() {
    double y = chart_.height + row / 2;
    for (std::size_t k = 0; k < chart_.series.size(); ++k) {
      const ChartSeries& s = chart_.series[k];
      if (s.name.empty()) continue;
      if (s.line) line(left, y - 4, left + 24, y - 4, colour(k), s.dashed ? "stroke-dasharray=\"6 4\"" : "");
      if (s.marks)
        out_ += cat("<circle cx=\"", px(left + 12), "\" cy=\"", px(y - 4), "\" r=\"3.5\" fill=\"", colour(k), "\"/>\n");
      text(left + 32, y, s.name, "start");
      y += row;
    }
  }

  const Chart& chart_;
  Range x_, y_;
  double legend_rows_ = 0;
  std::string out_;
};

}  // namespace

std::vector<double> axis_ticks(double lo, double hi, int count, bool logarithmic) {
  std::vector<double> out;
  if (logarithmic) {
    const double decades = std::log10(hi / lo);
    for (double power = std::pow(10.0, std::floor(std::log10(lo))); power <= hi; power *= 10) {
      for (const double lead : {1.0, 2.0, 5.0}) {
        if (lead > 1 && decades > 3) break;
        if (lead * power >= lo && lead * power <= hi) out.push_back(lead * power);
      }
    }
    return out;
  }
  const double step = round_down((hi - lo) / count * 1.5);
  for (double k = std::ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; ++k) out.push_back(k * step);
  return out;
}

std::string chart_svg(const Chart& chart) {
  for (const ChartSeries& s : chart.series) {
    if (s.x.size() != s.y.size() || (!s.error.empty() && s.error.size() != s.x.size()))
      throw Error(
          ErrorKind::input, "chart \"" + chart.title + "\"",
          cat("series \"", s.name, "\" has ", s.x.size(), " x, ", s.y.size(), " y and ", s.error.size(), " errors"),
          "give as many of each, or no errors");
  }
  return Drawing(chart).svg();
}

}  // namespace scree
