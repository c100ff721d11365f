#include "scree/shape/curve.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

namespace {

// Beyond this a curve alone would fill an outline; checked_outline reports the total.
constexpr int most_segments = 10000;

int bezier_segments(int degree, double second_difference, double tolerance) {
  const double bound = degree * (degree - 1) / 8.0 * second_difference / tolerance;
  const double n = std::ceil(std::sqrt(std::max(bound, 0.0)));
  return std::isfinite(n) ? static_cast<int>(std::clamp(n, 1.0, double(most_segments))) : 1;
}

bool same_point(Vec2d a, Vec2d b) { return norm(a - b) <= 1e-10 * (norm(a) + norm(b)); }

Loop regular_circle(Vec2d centre, double radius, int n) {
  Loop loop;
  for (int k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * k / n;
    loop.push_back(centre + radius * Vec2d{std::cos(angle), std::sin(angle)});
  }
  return loop;
}

// A multiple of 8, so that circles keep the symmetries of a square and of the axes.
int circle_segments(double radius, double tolerance) {
  return (arc_segments(radius, 2 * std::numbers::pi, tolerance) + 7) / 8 * 8;
}

}  // namespace

int arc_segments(double radius, double sweep, double tolerance) {
  constexpr double coarsest = std::numbers::pi / 3;
  const double ratio = std::clamp(tolerance / radius, 0.0, 1.0);
  // acos(1 - x) = 2 asin(sqrt(x / 2)) keeps its digits for small x.
  const double step = std::min(coarsest, 4 * std::asin(std::sqrt(ratio / 2)));
  const double n = step > 0 ? std::ceil(std::abs(sweep) / step - 1e-9) : double(most_segments);
  // Written so that a NaN, from absurd numbers in a drawing, ends as one chord.
  return n >= 1 ? static_cast<int>(std::min(n, double(most_segments))) : 1;
}

void append_arc(Loop& loop, Vec2d centre, double radius, double from, double sweep, double tolerance) {
  const int n = arc_segments(radius, sweep, tolerance);
  for (int k = 0; k <= n; ++k) {
    const double angle = from + sweep * k / n;
    const Vec2d p = centre + radius * Vec2d{std::cos(angle), std::sin(angle)};
    if (k == 0 && !loop.empty() && same_point(loop.back(), p)) continue;
    loop.push_back(p);
  }
}

Loop circle_loop(Vec2d centre, double radius, double tolerance) {
  return regular_circle(centre, radius, circle_segments(radius, tolerance));
}

Outline ring_outline(Vec2d centre, double outer, double inner, double tolerance) {
  const int n = circle_segments(outer, tolerance);
  return {{regular_circle(centre, outer, n), regular_circle(centre, inner, n)}};
}

void close_loop(Loop& loop) {
  while (loop.size() > 1 && same_point(loop.front(), loop.back())) loop.pop_back();
}

void append_quadratic(Loop& loop, Vec2d control, Vec2d end, double tolerance) {
  const Vec2d start = loop.back();
  const int n = bezier_segments(2, norm(start - 2.0 * control + end), tolerance);
  for (int k = 1; k < n; ++k) {
    const double t = double(k) / n;
    const double u = 1 - t;
    loop.push_back(u * u * start + 2 * u * t * control + t * t * end);
  }
  loop.push_back(end);
}

void append_cubic(Loop& loop, Vec2d control1, Vec2d control2, Vec2d end, double tolerance) {
  const Vec2d start = loop.back();
  const double bend = std::max(norm(start - 2.0 * control1 + control2), norm(control1 - 2.0 * control2 + end));
  const int n = bezier_segments(3, bend, tolerance);
  for (int k = 1; k < n; ++k) {
    const double t = double(k) / n;
    const double u = 1 - t;
    loop.push_back(u * u * u * start + 3 * u * u * t * control1 + 3 * u * t * t * control2 + t * t * t * end);
  }
  loop.push_back(end);
}

}  // namespace scree
