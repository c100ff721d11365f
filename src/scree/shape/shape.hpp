#pragma once
// What a grain is. A Shape is stored at unit circumradius about its centroid; a grain of that shape has a `radius`
// that scales it. So all contact geometry of a pair of shapes depends on the ratio of their radii alone.
#include <cstdint>
#include <string>
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

using ConvexPiece = std::vector<Vec2d>;  // counter-clockwise, strictly convex

// The smooth curve a star-shaped outline was flattened from: r(angle) about `centre` as a periodic cubic Hermite spline
// over equal angles (shape/star.hpp). Empty for shapes that were not drawn so.
struct StarCurve {
  Vec2d centre;                // from the centroid
  std::vector<double> radius;  // at the angles 2 pi k / n
  std::vector<double> slope;   // dr/dangle there

  bool empty() const { return radius.empty(); }
};

struct Shape {
  std::string name;
  Outline outline;                  // centroid at the origin, farthest vertex at distance 1
  double natural_radius = 1;        // circumradius of the outline as the user drew it, length
  double flatten_tolerance = 0;     // largest distance between drawn curve and polygon, in units of the circumradius
  bool is_disc = false;             // a true disc: `outline` is its flattened stand-in for drawing and for maps
  double area = 0;                  // at unit radius: length^2 scales with radius^2
  double polar_moment = 0;          // at unit radius: scales with radius^4
  double thinnest = 0;              // w, width of the thinnest feature of the solid, at unit radius
  int symmetry = 1;                 // rotational symmetry order; 0 for a disc (any rotation)
  std::vector<ConvexPiece> pieces;  // cover of the solid by convex pieces, which may overlap
  StarCurve star;                   // what `outline` was flattened from, in its units
  std::uint64_t hash = 0;           // of the content (outline, is_disc), not of the name or natural_radius
};

// From an outline in any position, size and orientation: checks it, centres and scales it, computes all the rest.
Shape make_shape(std::string name, Outline outline, double flatten_tolerance = 0);
// A true disc.
Shape make_disc(std::string name, double radius, double flatten_tolerance = 1e-4);

// The steps of make_shape. Outlines as checked_outline returns them, at about unit size: tolerances are absolute.

// Few convex pieces inside the solid (to 1e-9) whose union is the solid. Straight-edged shapes get overlapping bars, a
// curved hole about one piece per chord.
std::vector<ConvexPiece> convex_cover(const Outline& outline);
// Diameter of the smallest inscribed disc between two walls that converge by less than 45 degrees, the two sides of one
// sharp corner excepted; of the largest inscribed disc where there are no such walls. See thinnest.cpp.
double thinnest_feature(const Outline& outline);
// Largest k such that a turn by 2 pi / k about the origin moves every vertex onto another within `tolerance`.
int symmetry_order(const Outline& outline, double tolerance);

}  // namespace scree
