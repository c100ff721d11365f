// Named shapes with curves: arc, heart, rosette, chain link.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/text.hpp"
#include "scree/shape/curve.hpp"
#include "scree/shape/library_recipes.hpp"
#include "scree/shape/star.hpp"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;

Vec2d polar(double radius, double angle) { return radius * Vec2d{std::cos(angle), std::sin(angle)}; }

// A band of the given thickness along a part of a circle, open to the right like a C. The fraction counts the centre
// line; each end carries a half disc on top.
Shape build_arc(const RecipeValues& p) {
  const double r = p["radius"];
  const double h = p["thickness"] / 2;
  const double fraction = p["fraction"];
  require(h < r * (1 - 1e-6), p, cat("thickness ", 2 * h, " fills the arc of radius ", r),
          cat("choose thickness below ", 2 * r));
  // Half the extent of the arc: at most its circumradius.
  const double tolerance = p.tolerance * (fraction > 0.5 ? r + h : r * std::sin(pi * fraction) + h);
  if (fraction == 1) return make_shape(p.name, ring_outline({0, 0}, r + h, r - h, tolerance), p.tolerance);
  const double gap = fraction > 0.5 ? 2 * r * std::sin(pi * (1 - fraction)) - 2 * h : 2 * (r - h);
  require(gap > 1e-3 * r, p, cat("at fraction ", fraction, " the round ends of the arc meet"),
          "use fraction = 1 for a closed ring, or a smaller fraction or thickness");
  const double from = pi * (1 - fraction);  // angle of the upper end; the lower one mirrors it
  const double sweep = 2 * pi * fraction;
  Loop loop;
  append_arc(loop, {0, 0}, r + h, from, sweep, tolerance);
  append_arc(loop, polar(r, from + sweep), h, from + sweep, pi, tolerance);
  append_arc(loop, {0, 0}, r - h, from + sweep, -sweep, tolerance);
  append_arc(loop, polar(r, from), h, from + pi, pi, tolerance);
  close_loop(loop);
  return make_shape(p.name, {{loop}}, p.tolerance);
}

// A square of side s on its corner with half discs on its two upper sides: width s (1 + 1/sqrt 2), area
// s^2 (1 + pi / 4), tip and notch of 90 degrees.
Shape build_heart(const RecipeValues& p) {
  const double s = p["width"] / (1 + 1 / std::numbers::sqrt2);
  const double q = s / (2 * std::numbers::sqrt2);  // a quarter of the square's diagonal
  const double tolerance = p.tolerance * p["width"] / 2;
  Loop loop = {{0, -2 * q}};
  append_arc(loop, {q, q}, s / 2, -pi / 4, pi, tolerance);
  append_arc(loop, {-q, q}, s / 2, pi / 4, pi, tolerance);
  close_loop(loop);
  return make_shape(p.name, {{loop}}, p.tolerance);
}

// r = radius (1 + depth cos(n angle)) / (1 + depth).
Shape build_rosette(const RecipeValues& p) {
  const auto n = static_cast<std::size_t>(whole(p, "n"));
  const double mean = p["radius"] / (1 + p["depth"]);
  FourierSeries series;
  series.cosines.assign(n + 1, 0);
  series.cosines[0] = mean;
  series.cosines[n] = p["depth"] * mean;
  return make_fourier_star(p.name, series, p.tolerance);
}

// See docs/shapes.md for the drawing. Socket about the origin, open to the left; ball about (length, 0).
struct LinkGeometry {
  double length, ball, neck, inner, outer, lip, opening;  // lip: half the wall; opening: half the opening angle

  explicit LinkGeometry(const RecipeValues& p)
      : length(p["length"]),
        ball(p["ball"]),
        neck(p["neck"] / 2),
        inner(p["ball"] + p["clearance"]),
        outer(inner + p["wall"]),
        lip(p["wall"] / 2),
        opening(p["opening"] * pi / 360) {}

  double middle() const { return (inner + outer) / 2; }
  double mouth() const { return middle() * std::sin(opening) - lip; }  // half the gap between the lips
  // Angle to either side by which the neck of the next link may turn in the socket, ball centred.
  double swing() const { return opening - std::asin(std::min(1.0, (neck + lip) / middle())); }
};

void check_link(const LinkGeometry& g, const RecipeValues& p) {
  require(g.mouth() < g.ball * (1 - 1e-6), p,
          cat("the mouth of the socket, ", 2 * g.mouth(), " wide, lets the ball of radius ", g.ball, " out"),
          "make the opening smaller, the clearance smaller or the ball larger");
  require(g.neck < g.ball * (1 - 1e-6), p, cat("neck ", 2 * g.neck, " is as wide as the ball"),
          "make the neck thinner");
  require(g.swing() > 0, p, cat("neck ", 2 * g.neck, " does not fit through the mouth of the socket"),
          "make the neck thinner or the opening wider");
  require(g.length > g.outer + std::max(g.outer, g.ball) + 1e-3 * g.ball, p,
          cat("length ", g.length, " lets the sockets of neighbours touch"),
          cat("choose length above ", g.outer + std::max(g.outer, g.ball)));
}

Shape build_chain_link(const RecipeValues& p) {
  const LinkGeometry g(p);
  check_link(g, p);
  const double tolerance = p.tolerance * (g.length + g.outer + g.ball) / 2;
  const double at_socket = std::asin(g.neck / g.outer);
  const double at_ball = std::asin(g.neck / g.ball);
  const double end = pi - g.opening;  // angle of the upper lip
  Loop loop;
  append_arc(loop, {g.length, 0}, g.ball, at_ball - pi, 2 * (pi - at_ball), tolerance);
  append_arc(loop, {0, 0}, g.outer, at_socket, end - at_socket, tolerance);
  append_arc(loop, polar(g.middle(), end), g.lip, end, pi, tolerance);
  append_arc(loop, {0, 0}, g.inner, end, -2 * end, tolerance);
  append_arc(loop, polar(g.middle(), -end), g.lip, pi - end, pi, tolerance);
  append_arc(loop, {0, 0}, g.outer, -end, end - at_socket, tolerance);
  close_loop(loop);
  return make_shape(p.name, {{loop}}, p.tolerance);
}

}  // namespace

std::vector<LibraryEntry> curved_entries() {
  return {
      {{"arc",
        "band along a part of a circle, round ends, open to the right; a ring at fraction 1",
        {{"fraction", 0.5, 0.02, 1, "share of the full circle along the centre line"},
         length_parameter("radius", 0.7, "radius of the centre line, length"),
         length_parameter("thickness", 0.14, "width of the band, length")}},
       build_arc},
      {{"heart", "heart of a square and two half discs", {length_parameter("width", 1, "width along x, length")}},
       build_heart},
      {{"rosette",
        "smooth star with n round lobes, r = radius (1 + depth cos(n angle)) / (1 + depth)",
        {{"n", 4, 2, 60, "number of lobes"},
         length_parameter("radius", 1, "distance of the tips, length"),
         {"depth", 0.5, 0, 0.95, "how much r varies, over its mean"}}},
       build_rosette},
      {{"chain-link",
        "bar with a ball at one end and a socket at the other that holds the next link's ball",
        {length_parameter("length", 1, "distance of the centres of ball and socket, length"),
         length_parameter("ball", 0.22, "radius of the ball, length"),
         length_parameter("clearance", 0.02, "radius of the socket less that of the ball, length"),
         length_parameter("wall", 0.1, "thickness of the socket's wall, length"),
         length_parameter("neck", 0.1, "width of the bar, length"),
         {"opening", 100, 20, 170, "angle between the centres of the socket's lips, degrees"}}},
       build_chain_link},
  };
}

}  // namespace scree
