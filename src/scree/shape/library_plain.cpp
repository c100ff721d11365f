// Named shapes with straight edges or plain circles.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/curve.hpp"
#include "scree/shape/library_recipes.hpp"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;

Loop regular_loop(int n, double radius, double first_angle) {
  Loop loop;
  for (int k = 0; k < n; ++k) {
    const double angle = first_angle + 2 * pi * k / n;
    loop.push_back(radius * Vec2d{std::cos(angle), std::sin(angle)});
  }
  return loop;
}

Loop box_loop(double width, double height) {
  const double x = width / 2;
  const double y = height / 2;
  return {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
}

Shape build_disc(const RecipeValues& p) { return make_disc(p.name, p["radius"], std::min(p.tolerance, 1e-4)); }

// First side at the bottom, so that a polygon stands on it.
Shape build_polygon(const RecipeValues& p) {
  const int n = whole(p, "n");
  return make_shape(p.name, {{regular_loop(n, p["radius"], -pi / 2 + pi / n)}});
}

Shape build_octagon(const RecipeValues& p) {
  return make_shape(p.name, {{regular_loop(8, p["radius"], -pi / 2 + pi / 8)}});
}

Shape build_box(const RecipeValues& p) { return make_shape(p.name, {{box_loop(p["width"], p["height"])}}); }

Shape build_rounded_box(const RecipeValues& p) {
  const double r = p["corner"];
  const double x = p["width"] / 2 - r;
  const double y = p["height"] / 2 - r;
  require(x > 0 && y > 0, p, cat("corner = ", r, " is not below half the shorter side"),
          cat("choose corner below ", std::min(p["width"], p["height"]) / 2));
  const double tolerance = p.tolerance * (std::hypot(x, y) + r);
  Loop loop;
  append_arc(loop, {x, y}, r, 0, pi / 2, tolerance);
  append_arc(loop, {-x, y}, r, pi / 2, pi / 2, tolerance);
  append_arc(loop, {-x, -y}, r, pi, pi / 2, tolerance);
  append_arc(loop, {x, -y}, r, -pi / 2, pi / 2, tolerance);
  return make_shape(p.name, {{loop}}, p.tolerance);
}

Shape build_ring(const RecipeValues& p) {
  const double outer = p["outer"];
  const double inner = p["inner"];
  require(inner < outer, p, cat("inner = ", inner, " is not below outer = ", outer), "make the hole smaller");
  return make_shape(p.name, ring_outline({0, 0}, outer, inner, p.tolerance * outer), p.tolerance);
}

// A plus of two bars of length 2a and width w with circumradius R: a^2 + (w/2)^2 = R^2.
Shape build_cross(const RecipeValues& p) {
  const double h = p["bar"] / 2;
  const double r = p["radius"];
  require(std::numbers::sqrt2 * h < r * (1 - 1e-6), p, cat("bar = ", 2 * h, " leaves no arms at radius ", r),
          cat("choose bar below ", std::numbers::sqrt2 * r));
  const double a = std::sqrt(r * r - h * h);
  return make_shape(
      p.name,
      {{{{a, -h}, {a, h}, {h, h}, {h, a}, {-h, a}, {-h, h}, {-a, h}, {-a, -h}, {-h, -h}, {-h, -a}, {h, -a}, {h, -h}}}});
}

Shape build_star(const RecipeValues& p) {
  const int n = whole(p, "n");
  const double outer = p["radius"];
  const double inner = outer * p["inner"];
  require(p["inner"] < std::cos(pi / n) * (1 - 1e-6), p, cat("inner = ", p["inner"], " leaves no points on the star"),
          cat("choose inner below cos(pi/n) = ", std::cos(pi / n)));
  Loop loop;
  for (int k = 0; k < 2 * n; ++k) {
    const double angle = pi / 2 + pi * k / n;
    loop.push_back((k % 2 == 0 ? outer : inner) * Vec2d{std::cos(angle), std::sin(angle)});
  }
  return make_shape(p.name, {{loop}});
}

}  // namespace

int whole(const RecipeValues& p, const char* parameter) {
  const double value = p[parameter];
  require(value == std::floor(value), p, cat(parameter, " = ", value, " is not a whole number"), "give an integer");
  return static_cast<int>(value);
}

void require(bool holds, const RecipeValues& p, const std::string& problem, const std::string& remedy) {
  if (!holds) throw Error(ErrorKind::input, cat("shape \"", p.name, "\""), problem, remedy);
}

ShapeParameter length_parameter(std::string name, double fallback, std::string meaning) {
  return {std::move(name), fallback, shortest_length, longest_length, std::move(meaning), true};
}

std::vector<LibraryEntry> plain_entries() {
  const ShapeParameter radius = length_parameter("radius", 1, "circumradius, length");
  return {
      {{"disc", "a true disc", {length_parameter("radius", 1, "radius, length")}}, build_disc},
      {{"polygon", "regular polygon standing on a side", {{"n", 6, 3, 1000, "number of sides"}, radius}},
       build_polygon},
      {{"octagon", "regular octagon", {radius}}, build_octagon},
      {{"box",
        "rectangle",
        {length_parameter("width", 1, "width along x, length"),
         length_parameter("height", 1, "height along y, length")}},
       build_box},
      {{"rounded-box",
        "rectangle with round corners",
        {length_parameter("width", 1, "width along x, length"), length_parameter("height", 1, "height along y, length"),
         length_parameter("corner", 0.2, "corner radius, length")}},
       build_rounded_box},
      {{"ring",
        "ring, the letter O",
        {length_parameter("outer", 1, "outer radius, length"), length_parameter("inner", 0.7, "inner radius, length")}},
       build_ring},
      {{"cross", "plus sign of two equal bars", {radius, length_parameter("bar", 0.5, "width of a bar, length")}},
       build_cross},
      {{"star",
        "star with n points, one up",
        {{"n", 5, 3, 500, "number of points"}, radius, {"inner", 0.45, 0.05, 0.98, "inner over outer radius"}}},
       build_star},
  };
}

}  // namespace scree
