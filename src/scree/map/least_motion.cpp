#include "scree/map/least_motion.hpp"

#include <algorithm>

#include "scree/map/exact_slice.hpp"

namespace scree {

void lift_line(double* gaps, std::size_t n, std::size_t stride, double slope) {
  const auto lift = [&](std::size_t to, std::size_t from) {
    gaps[to * stride] = std::max(gaps[to * stride], gaps[from * stride] - slope);
  };
  for (std::size_t k = 1; k < n; ++k) lift(k, k - 1);
  for (std::size_t k = n - 1; k > 0; --k) lift(k - 1, k);
}

double least_motion(const PairGeometry& pair, const Pose2d& q, double gap, double enough) {
  constexpr int steps = 64;
  if (gap >= 0) return gap;
  const double turn = -gap / pair.ratio;  // no larger turn can be better than the translation
  double best = gap;
  for (int k = 1; k <= steps && best < enough; ++k) {
    const double angle = turn * k / steps;
    if (-angle * pair.ratio <= best) break;
    for (const double side : {1.0, -1.0}) {
      const ExactSlice slice(pair, q.theta + side * angle, false);
      best = std::max(best, slice.query(q.x).gap - pair.ratio * angle);
    }
  }
  return std::min(best, 0.0);
}

}  // namespace scree
