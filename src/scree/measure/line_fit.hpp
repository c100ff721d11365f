#pragma once
// A straight line through points by least squares of y.
#include <span>

#include "scree/measure/memory.hpp"

namespace scree {

struct LineFit {
  double slope = 0;
  double intercept = 0;
  double slope_error = 0;  // standard error: sqrt(sum of squared residuals / (n - 2) / sum of (x - mean x)^2)
  std::size_t points = 0;

  double angle() const { return std::atan(slope); }
  double angle_error() const { return slope_error / (1 + slope * slope); }
};

// The same fit, point by point. For many samples over time; where points lie on a line to rounding, the error is known
// to about 1e-8 of the slope only.
class RunningLine {
 public:
  void add(Vec2d p);
  std::size_t points() const { return points_; }
  LineFit fit() const;  // of three points or more
  void remember(Memory& m) { m(points_), m(mean_), m(xx_), m(xy_), m(yy_); }

 private:
  std::size_t points_ = 0;
  Vec2d mean_;
  double xx_ = 0, xy_ = 0, yy_ = 0;  // sums of products of deviations from the mean
};

// Needs three points or more that do not all share one x: Error(input) otherwise, which names `what`.
LineFit fit_line(std::span<const Vec2d> points, const char* what);

}  // namespace scree
