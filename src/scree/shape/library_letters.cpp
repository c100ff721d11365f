// Named shapes that are letters and signs built of straight bars, and D.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/text.hpp"
#include "scree/shape/curve.hpp"
#include "scree/shape/library_recipes.hpp"

namespace scree {

namespace {

// Two upright and two level bars of width w = 2h whose centre lines are `spacing` apart. A bar reaches to +-a with
// a^2 + (spacing/2 + h)^2 = R^2, so that the corners of the bar ends lie on the circumcircle of radius R.
Shape build_hash(const RecipeValues& p) {
  const double h = p["bar"] / 2;
  const double r = p["radius"];
  const double out = p["spacing"] / 2 + h;  // outer and inner side of a bar
  const double in = p["spacing"] / 2 - h;
  require(in > 1e-6 * r, p, cat("bar = ", 2 * h, " is as wide as the spacing ", p["spacing"], " of the bars"),
          "make the bars thinner or their spacing larger");
  require(std::numbers::sqrt2 * out < r * (1 - 1e-6), p,
          cat("spacing ", p["spacing"], " and bar ", 2 * h, " leave no bar ends at radius ", r),
          cat("choose spacing + bar below ", std::numbers::sqrt2 * r));
  const double a = std::sqrt(r * r - out * out);
  // One quarter of the outside, then turned three times.
  const Loop quarter = {{a, in}, {a, out}, {out, out}, {out, a}, {in, a}, {in, out}, {-in, out}};
  Loop outer;
  for (const Rotation2d turn : {Rotation2d(1, 0), Rotation2d(0, 1), Rotation2d(-1, 0), Rotation2d(0, -1)})
    for (const Vec2d v : quarter) outer.push_back(turn * v);
  return make_shape(p.name, {{outer, {{-in, -in}, {in, -in}, {in, in}, {-in, in}}}});
}

void require_thin(const RecipeValues& p, double limit) {
  require(p["bar"] < limit * (1 - 1e-6), p, cat("bar = ", p["bar"], " closes the letter"),
          cat("choose bar below ", limit));
}

Shape build_u(const RecipeValues& p) {
  const double x = p["width"] / 2;
  const double y = p["height"];
  const double b = p["bar"];
  require_thin(p, std::min(x, y));
  return make_shape(p.name, {{{{-x, 0}, {x, 0}, {x, y}, {x - b, y}, {x - b, b}, {b - x, b}, {b - x, y}, {-x, y}}}});
}

// The diagonal has the width b of the bars, measured across it. Over the run between the bars its upper side falls by
// s from the top, and its lower side ends at the bottom: s + t = height with t = b sqrt(1 + (s / run)^2), the
// diagonal's upright thickness. Solved for s.
Shape build_n(const RecipeValues& p) {
  const double x = p["width"] / 2;
  const double y = p["height"] / 2;
  const double b = p["bar"];
  require_thin(p, 2 * x / 3);
  const double run = 2 * x - 2 * b;
  const double q = b / run;
  const double discriminant = q * q * (4 * y * y - b * b) + b * b;
  const double s = (2 * y - std::sqrt(discriminant)) / (1 - q * q);
  const double t = 2 * y - s;
  require(s > 1e-6 * y, p, cat("height ", 2 * y, " is too low for bar ", b), "make the letter taller");
  return make_shape(p.name, {{{{-x, -y},
                               {b - x, -y},
                               {b - x, y - t},
                               {x - b, -y},
                               {x, -y},
                               {x, y},
                               {x - b, y},
                               {x - b, t - y},
                               {b - x, y},
                               {-x, y}}}});
}

// A stem and a bow: the bow is a half ring about (straight, 0), joined to the stem by straight parts.
Shape build_d(const RecipeValues& p) {
  const double r = p["height"] / 2;
  const double b = p["bar"];
  const double straight = p["width"] - r;
  require_thin(p, r);
  require(straight > b * (1 + 1e-6), p, cat("width ", p["width"], " leaves no room for stem and bow"),
          cat("choose width above height / 2 + bar = ", r + b));
  const double tolerance = p.tolerance * r;
  Loop outer = {{0, r}, {0, -r}};
  append_arc(outer, {straight, 0}, r, -std::numbers::pi / 2, std::numbers::pi, tolerance);
  Loop inner = {{b, r - b}, {b, b - r}};
  append_arc(inner, {straight, 0}, r - b, -std::numbers::pi / 2, std::numbers::pi, tolerance);
  return make_shape(p.name, {{outer, inner}}, p.tolerance);
}

}  // namespace

std::vector<LibraryEntry> letter_entries() {
  const ShapeParameter radius = length_parameter("radius", 1, "circumradius, length");
  const ShapeParameter height = length_parameter("height", 1, "height along y, length");
  return {
      {{"u",
        "the letter U of three bars",
        {length_parameter("width", 1, "width along x, length"), height,
         length_parameter("bar", 0.25, "width of the bars, length")}},
       build_u},
      {{"n",
        "the letter N of three bars",
        {length_parameter("width", 1, "width along x, length"), height,
         length_parameter("bar", 0.2, "width of the bars, length")}},
       build_n},
      {{"hash",
        "the sign #: two upright and two level bars",
        {radius, length_parameter("bar", 0.3, "width of a bar, length"),
         length_parameter("spacing", 0.7, "distance between the centre lines of parallel bars, length")}},
       build_hash},
      {{"d",
        "the letter D with its hole",
        {length_parameter("width", 0.8, "width along x, length"), height,
         length_parameter("bar", 0.2, "width of stem and bow, length")}},
       build_d},
  };
}

}  // namespace scree
