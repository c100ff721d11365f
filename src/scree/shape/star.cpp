#include "scree/shape/star.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "scree/base/error.hpp"
#include "scree/base/pose.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr std::size_t most_terms = 200;
constexpr std::size_t most_radii = 4096;
// A notch that comes nearer to the centre than this share of the largest radius would leave two parts that hang
// together by less than any map resolves.
constexpr double nearest_notch = 0.01;
constexpr std::size_t fewest_chords = 24, most_chords = 4096;

Vec2d direction(double angle) { return {std::cos(angle), std::sin(angle)}; }

double positive_angle(double angle) {
  const double a = wrap_angle(angle);
  return a < 0 ? a + turn : a;
}

std::string degrees(double angle) { return cat(std::round(positive_angle(angle) * 3600 / turn) / 10, " degrees"); }

[[noreturn]] void refuse(const std::string& name, const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::input, cat("shape \"", name, "\""), problem, remedy);
}

RadialValue hermite(const StarCurve& curve, double angle) {
  const std::size_t n = curve.radius.size();
  const double h = turn / static_cast<double>(n);
  const double u = positive_angle(angle) / h;
  const std::size_t k = std::min(static_cast<std::size_t>(u), n - 1), next = (k + 1) % n;
  const double t = u - static_cast<double>(k);
  const double r0 = curve.radius[k], r1 = curve.radius[next], s0 = h * curve.slope[k], s1 = h * curve.slope[next];
  const double c2 = 3 * (r1 - r0) - 2 * s0 - s1, c3 = 2 * (r0 - r1) + s0 + s1;
  return {r0 + t * (s0 + t * (c2 + t * c3)), (s0 + t * (2 * c2 + 3 * t * c3)) / h};
}

// Slopes of the periodic cubic spline through the samples: s_{k-1} + 4 s_k + s_{k+1} = 3 (r_{k+1} - r_{k-1}) / h.
// The inverse of this circulant decays like 0.268^k, so a Jacobi sweep gains a factor of two; 60 leave rounding.
std::vector<double> spline_slopes(const std::vector<double>& r) {
  const std::size_t n = r.size();
  const double h = turn / static_cast<double>(n);
  std::vector<double> slope(n, 0), next(n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t before = (k + n - 1) % n, after = (k + 1) % n;
      next[k] = (3 * (r[after] - r[before]) / h - slope[before] - slope[after]) / 4;
    }
    std::swap(slope, next);
  }
  return slope;
}

// Largest distance between the curve and the polygon of n chords, judged at the middle of each.
double sagitta(const StarCurve& curve, double first, std::size_t n) {
  double worst = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double a = first + turn * static_cast<double>(k) / static_cast<double>(n);
    const double b = first + turn * static_cast<double>(k + 1) / static_cast<double>(n);
    const Vec2d p = hermite(curve, a).r * direction(a), q = hermite(curve, b).r * direction(b);
    const Vec2d m = hermite(curve, 0.5 * (a + b)).r * direction(0.5 * (a + b));
    worst = std::max(worst, std::abs(cross(q - p, m - p)) / norm(q - p));
  }
  return worst;
}

// Angle and value of the extremes over a fine sweep.
struct Extremes {
  double smallest, at_smallest, largest, at_largest;
};
Extremes extremes(const StarCurve& curve) {
  const std::size_t n = std::max<std::size_t>(4096, 4 * curve.radius.size());
  Extremes e{curve.radius[0], 0, curve.radius[0], 0};
  for (std::size_t k = 0; k < n; ++k) {
    const double angle = turn * static_cast<double>(k) / static_cast<double>(n), r = hermite(curve, angle).r;
    if (r < e.smallest) e.smallest = r, e.at_smallest = angle;
    if (r > e.largest) e.largest = r, e.at_largest = angle;
  }
  return e;
}

// A polygon of equal angles. It starts at the largest radius and has a multiple of `order` chords, so that tips are
// vertices and a symmetric curve gives a symmetric polygon.
Shape from_curve(std::string name, StarCurve curve, std::size_t order, double tolerance) {
  const Extremes e = extremes(curve);
  if (!(e.smallest > nearest_notch * e.largest))
    refuse(name, cat("its radius falls to ", e.smallest, " at ", degrees(e.at_smallest)),
           cat("keep it above ", nearest_notch, " of the largest, ", e.largest));
  std::size_t n = (fewest_chords + order - 1) / order * order;
  while (sagitta(curve, e.at_largest, n) > tolerance * e.largest) {
    n += (n / 4 + order) / order * order;
    if (n > most_chords)
      refuse(name, cat("more than ", most_chords, " chords are needed to draw it to ", tolerance),
             "raise `tolerance` or leave out high orders");
  }
  Loop loop;
  for (std::size_t k = 0; k < n; ++k) {
    const double angle = e.at_largest + turn * static_cast<double>(k) / static_cast<double>(n);
    loop.push_back(hermite(curve, angle).r * direction(angle));
  }
  const Vec2d centroid = mass_properties({{loop}}).centroid;
  Shape shape = make_shape(std::move(name), {{loop}}, tolerance);
  const double scale = 1 / shape.natural_radius;
  curve.centre = -scale * centroid;
  for (double& r : curve.radius) r *= scale;
  for (double& s : curve.slope) s *= scale;
  shape.star = std::move(curve);
  return shape;
}

void check_finite(const std::string& name, const std::vector<double>& values, const char* what) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k])) refuse(name, cat(what, " ", k, " is not a finite number"), "correct it");
}

// Vertices by ascending angle, from the one that comes first in [0, 2 pi).
Loop turned_to_start(Loop loop) {
  const auto first = std::min_element(loop.begin(), loop.end(), [](Vec2d a, Vec2d b) {
    return positive_angle(std::atan2(a.y, a.x)) < positive_angle(std::atan2(b.y, b.x));
  });
  std::rotate(loop.begin(), first, loop.end());
  return loop;
}

Loop star_shaped_loop(const Shape& shape) {
  constexpr double least = 1e-6;  // sine of the angle by which a ray must advance along every edge
  if (shape.outline.loops.size() != 1)
    refuse(shape.name, cat("its outline has ", shape.outline.loops.size(), " loops, a star has one"),
           "leave out what makes it a star (fourier_order, maps.kind): a table takes any shape");
  const Loop& loop = shape.outline.loops.front();
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec2d p = loop[k], q = loop[(k + 1) % loop.size()];
    if (cross(p, q) <= least * norm(p) * norm(q))
      refuse(shape.name,
             cat("it is not star-shaped about its centroid: the ray at ", degrees(std::atan2(q.y, q.x)),
                 " meets the outline more than once"),
             "leave out what makes it a star (fourier_order, maps.kind): a table takes any shape");
  }
  return turned_to_start(loop);
}

}  // namespace

RadialValue FourierSeries::at(double angle) const {
  RadialValue v{cosines.empty() ? 0 : cosines[0], 0};
  for (std::size_t k = 1; k < std::max(cosines.size(), sines.size() + 1); ++k) {
    const double a = k < cosines.size() ? cosines[k] : 0, b = k <= sines.size() ? sines[k - 1] : 0;
    const double order = static_cast<double>(k), c = std::cos(order * angle), s = std::sin(order * angle);
    v.r += a * c + b * s;
    v.slope += order * (b * c - a * s);
  }
  return v;
}

Shape make_fourier_star(std::string name, const FourierSeries& series, double tolerance) {
  check_finite(name, series.cosines, "cosine");
  check_finite(name, series.sines, "sine");
  const std::size_t terms = std::max(series.cosines.size(), series.sines.size() + 1);
  if (terms > most_terms + 1)
    refuse(name, cat("the series has order ", terms - 1), cat("at most ", most_terms, " are allowed"));
  if (series.cosines.empty() || !(series.cosines[0] > 0))
    refuse(name, "the series has no positive mean radius", "the first cosine is the mean radius: make it positive");
  std::size_t order = 0;
  for (std::size_t k = 1; k < terms; ++k) {
    const bool there =
        (k < series.cosines.size() && series.cosines[k] != 0) || (k <= series.sines.size() && series.sines[k - 1] != 0);
    if (there) order = std::gcd(order, k);
  }
  order = std::max<std::size_t>(order, 1);
  // 64 nodes a wave: the Hermite spline between them is good to 1e-7 of the wave.
  const std::size_t nodes = (std::max<std::size_t>(512, 64 * terms) + order - 1) / order * order;
  StarCurve curve;
  for (std::size_t k = 0; k < nodes; ++k) {
    const RadialValue v = series.at(turn * static_cast<double>(k) / static_cast<double>(nodes));
    curve.radius.push_back(v.r);
    curve.slope.push_back(v.slope);
  }
  return from_curve(std::move(name), std::move(curve), order, tolerance);
}

Shape make_sampled_star(std::string name, const std::vector<double>& radii, double tolerance) {
  check_finite(name, radii, "radius");
  if (radii.size() < 4 || radii.size() > most_radii)
    refuse(name, cat("it has ", radii.size(), " radii"), cat("give 4 to ", most_radii, ", at equal angles"));
  for (std::size_t k = 0; k < radii.size(); ++k)
    if (!(radii[k] > 0))
      refuse(name,
             cat("radius ", k, ", at ", degrees(turn * static_cast<double>(k) / static_cast<double>(radii.size())),
                 ", is not positive"),
             "every ray from the centre leaves the grain at a positive radius");
  StarCurve curve;
  curve.radius = radii;
  curve.slope = spline_slopes(radii);
  return from_curve(std::move(name), std::move(curve), 1, tolerance);
}

StarFit fit_star(const Shape& shape, int order) {
  if (order < 1 || order > static_cast<int>(most_terms))
    refuse(shape.name, cat("a series of order ", order, " is out of range"), cat("choose 1 to ", most_terms));
  const Radial radial(shape);
  const std::size_t n = std::max<std::size_t>(4096, 32 * static_cast<std::size_t>(order));
  StarFit fit;
  fit.series.cosines.assign(static_cast<std::size_t>(order) + 1, 0);
  fit.series.sines.assign(static_cast<std::size_t>(order), 0);
  std::vector<double> r(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = turn * static_cast<double>(i) / static_cast<double>(n);
    r[i] = radial.at(angle).r;
    fit.series.cosines[0] += r[i] / static_cast<double>(n);
    for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
      fit.series.cosines[k] += 2 * r[i] * std::cos(static_cast<double>(k) * angle) / static_cast<double>(n);
      fit.series.sines[k - 1] += 2 * r[i] * std::sin(static_cast<double>(k) * angle) / static_cast<double>(n);
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    fit.error =
        std::max(fit.error, std::abs(fit.series.at(turn * static_cast<double>(i) / static_cast<double>(n)).r - r[i]));
  // Terms that a symmetric outline does not have are rounding here; without them the series keeps the symmetry.
  for (auto* terms : {&fit.series.cosines, &fit.series.sines})
    for (double& a : *terms) a = std::abs(a) < 1e-9 ? 0 : a * shape.natural_radius;
  return fit;
}

Radial::Radial(const Shape& shape) : curve_(shape.star) {
  if (shape.is_disc) {
    curve_ = {{}, {1, 1, 1, 1}, {0, 0, 0, 0}};
    return;
  }
  if (!curve_.empty()) return;
  vertices_ = star_shaped_loop(shape);
  const std::size_t n = vertices_.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2d p = vertices_[k], in = p - vertices_[(k + n - 1) % n], out = vertices_[(k + 1) % n] - p;
    corners_.push_back({positive_angle(std::atan2(p.y, p.x)), std::atan2(cross(in, out), dot(in, out))});
  }
}

RadialValue Radial::at(double angle) const { return curve_.empty() ? on_edge(angle) : hermite(curve_, angle); }

RadialValue Radial::on_edge(double angle) const {
  const double a = positive_angle(angle);
  const auto above = std::upper_bound(corners_.begin(), corners_.end(), a,
                                      [](double value, const Corner& corner) { return value < corner.angle; });
  const std::size_t n = vertices_.size();
  const std::size_t to = static_cast<std::size_t>(above - corners_.begin()) % n;
  const Vec2d p = vertices_[(to + n - 1) % n], along = vertices_[to] - p, ray = direction(a);
  const double across = cross(ray, along);  // > 0: every edge advances about the centroid
  const double r = cross(p, along) / across;
  return {r, r * dot(ray, along) / across};
}

}  // namespace scree
