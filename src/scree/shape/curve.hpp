#pragma once
// Curves flattened to chords. `tolerance` is the largest distance between curve and chords, a length in the units of
// the curve. Chords are uniform in the parameter, so a symmetric curve gives a symmetric polygon.
#include "scree/shape/outline.hpp"

namespace scree {

// Chords for an arc of `radius` over |sweep| radians: sagitta r (1 - cos(step / 2)) <= tolerance, step <= 60 degrees.
int arc_segments(double radius, double sweep, double tolerance);

// Appends the points of the arc from angle `from` to `from + sweep` (radians, negative is clockwise), both ends
// included. A first point that repeats the last one of `loop` is left out.
void append_arc(Loop& loop, Vec2d centre, double radius, double from, double sweep, double tolerance);

// A closed circle, counter-clockwise, vertices on the circle. A multiple of 8 vertices, the first at angle 0.
Loop circle_loop(Vec2d centre, double radius, double tolerance);

// A ring: two concentric circles with the same number of vertices, so that it keeps their symmetry.
Outline ring_outline(Vec2d centre, double outer, double inner, double tolerance);

// Drops last vertices that repeat the first up to rounding.
void close_loop(Loop& loop);

// Append a Bezier curve from the last point of `loop`, which must not be empty; the end point is included. The number
// of chords n follows from the second difference: error <= d (d - 1) / 8 max|second difference| / n^2 (Wang's bound).
void append_quadratic(Loop& loop, Vec2d control, Vec2d end, double tolerance);
void append_cubic(Loop& loop, Vec2d control1, Vec2d control2, Vec2d end, double tolerance);

}  // namespace scree
