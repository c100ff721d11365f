#pragma once
// Star-shaped outlines: every ray from a centre leaves the solid once, at the radius r(angle). Given by a Fourier
// series, by samples of r, or fitted to an outline. Each becomes an ordinary Shape, whose outline is the flattened
// curve; the curve itself stays with it (Shape::star), so that star contact works with the true slope.
#include <string>
#include <vector>

#include "scree/shape/shape.hpp"

namespace scree {

struct RadialValue {
  double r = 0;
  double slope = 0;  // dr/dangle
};

// r = a_0 + sum_k a_k cos(k angle) + b_k sin(k angle), k from 1.
struct FourierSeries {
  std::vector<double> cosines;  // a_0, a_1, ...
  std::vector<double> sines;    // b_1, b_2, ...

  RadialValue at(double angle) const;
};

// Shapes as drawn: `tolerance` is the flattening tolerance in units of the circumradius. Error(input), naming the shape
// and the direction, where r is not positive or the curve bends too sharply to be flattened.
Shape make_fourier_star(std::string name, const FourierSeries& series, double tolerance = 1e-3);
// r at the angles 2 pi k / n, joined by the periodic cubic spline.
Shape make_sampled_star(std::string name, const std::vector<double>& radii, double tolerance = 1e-3);

// Best approximation of r about the shape's centroid, in the mean square over all angles, by a series up to `order`.
struct StarFit {
  FourierSeries series;  // at the shape's natural size
  double error = 0;      // largest difference of r, in units of the circumradius
};
StarFit fit_star(const Shape& shape, int order);

// r(angle) of a Shape: of the curve it was drawn from, or else of its polygon about the centroid. Keeps no reference.
// Error(input), naming the shape and a direction, where the outline is not star-shaped.
class Radial {
 public:
  explicit Radial(const Shape& shape);

  RadialValue at(double angle) const;
  Vec2d centre() const { return curve_.centre; }
  // Polygons have corners where the slope jumps: their angles, ascending, and by how much the outline turns there.
  struct Corner {
    double angle;
    double turn;
  };
  const std::vector<Corner>& corners() const { return corners_; }

 private:
  RadialValue on_edge(double angle) const;

  StarCurve curve_;  // empty for a polygon
  Loop vertices_;    // empty for a curve; by ascending angle from [0, 2 pi)
  std::vector<Corner> corners_;
};

}  // namespace scree
