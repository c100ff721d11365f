#include "scree/measure/line_fit.hpp"

#include <algorithm>

#include "scree/base/text.hpp"
#include "scree/measure/selection.hpp"

namespace scree {

void RunningLine::add(Vec2d p) {
  ++points_;
  const Vec2d before = p - mean_;
  mean_ += (1 / static_cast<double>(points_)) * before;
  const Vec2d after = p - mean_;
  xx_ += before.x * after.x;
  xy_ += before.x * after.y;
  yy_ += before.y * after.y;
}

LineFit RunningLine::fit() const {
  LineFit fit;
  fit.points = points_;
  fit.slope = xy_ / xx_;
  fit.intercept = mean_.y - fit.slope * mean_.x;
  const double rest = std::max(0.0, yy_ - fit.slope * xy_);
  fit.slope_error = std::sqrt(rest / (static_cast<double>(points_) - 2) / xx_);
  return fit;
}

LineFit fit_line(std::span<const Vec2d> points, const char* what) {
  const auto n = static_cast<double>(points.size());
  Vec2d mean;
  for (const Vec2d p : points) mean += p;
  mean *= 1 / std::max(n, 1.0);
  double xx = 0, xy = 0;
  for (const Vec2d p : points) {
    xx += (p.x - mean.x) * (p.x - mean.x);
    xy += (p.x - mean.x) * (p.y - mean.y);
  }
  if (points.size() < 3 || !(xx > 0))
    nothing_to_measure(cat(what, ": ", points.size(), " of the three points that a line with an error needs"),
                       "choose finer columns (column), a wider part (band, span, x) or more samples");
  LineFit fit;
  fit.points = points.size();
  fit.slope = xy / xx;
  fit.intercept = mean.y - fit.slope * mean.x;
  double rest = 0;
  for (const Vec2d p : points) {
    const double r = p.y - fit.intercept - fit.slope * p.x;
    rest += r * r;
  }
  fit.slope_error = std::sqrt(rest / (n - 2) / xx);
  return fit;
}

}  // namespace scree
