#pragma once
// The drawing commands of SVG, without files: path data and transforms (SVG 1.1, chapters 7.6 and 8.3).
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

// p -> (a x + c y + e, b x + d y + f), as in matrix(a b c d e f).
struct Affine {
  double a = 1, b = 0, c = 0, d = 1, e = 0, f = 0;

  Vec2d operator*(Vec2d p) const { return {a * p.x + c * p.y + e, b * p.x + d * p.y + f}; }
  // First `other`, then this.
  Affine operator*(const Affine& other) const;
  double stretch() const;  // largest factor by which a length grows
};

// One drawn piece. Its start is the end of the piece before.
struct PathSegment {
  enum class Kind { line, quadratic, cubic, arc };
  Kind kind = Kind::line;
  Vec2d end;
  Vec2d control1;                        // quadratic and cubic
  Vec2d control2;                        // cubic
  Vec2d centre;                          // arc: point(t) = centre + R(tilt) (radii.x cos t, radii.y sin t)
  Vec2d radii;                           // arc
  double tilt = 0, from = 0, sweep = 0;  // arc, radians
};

struct SubPath {
  Vec2d start;
  std::vector<PathSegment> segments;
  bool closed = false;  // ended with Z
};

// What is wrong with a text, and where in it.
struct SvgSyntaxError : std::runtime_error {
  SvgSyntaxError(std::size_t at, const std::string& problem) : std::runtime_error(problem), offset(at) {}
  std::size_t offset;  // characters from the start of the text
};

// M L H V C S Q T A Z, absolute and relative. Throws SvgSyntaxError on anything else.
std::vector<SubPath> parse_path_data(std::string_view text);
// matrix translate scale rotate skewX skewY, applied right to left. Throws SvgSyntaxError.
Affine parse_transform(std::string_view text);
// "x1,y1 x2,y2 ..." of polygon and polyline. Throws SvgSyntaxError.
std::vector<Vec2d> parse_points(std::string_view text);

SubPath rect_path(double x, double y, double width, double height, double rx, double ry);
SubPath ellipse_path(Vec2d centre, double rx, double ry);

// The sub-path, transformed, as a polygon; every point of the curve is within `tolerance` (transformed units).
Loop flattened(const SubPath& path, const Affine& transform, double tolerance);

}  // namespace scree
