#include "scree/learn/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "scree/learn/sampling.hpp"

namespace scree {
namespace {

double gradient_angle(const ContactGeometry& p, const ContactGeometry& q) {
  const double pq = p.gap_theta * q.gap_theta + dot(p.gap_x, q.gap_x);
  const double pp = p.gap_theta * p.gap_theta + norm2(p.gap_x);
  const double qq = q.gap_theta * q.gap_theta + norm2(q.gap_x);
  if (pp == 0 || qq == 0) return 90;
  return std::acos(std::clamp(pq / std::sqrt(pp * qq), -1.0, 1.0)) * (180 / std::numbers::pi);
}

}  // namespace

MapError measure_error(const ContactMap& map, const ShapePair& pair, ThreadPool& pool, std::size_t samples,
                       std::uint64_t seed) {
  // In slice order: the exact map itself, when it is the one measured, then reuses its slices.
  const MapSamples exact = sample_exact_by_slice(pair, samples, seed, pool);
  std::vector<ContactGeometry> got(exact.poses.size());
  for_chunks(
      pool, got.size(),
      [&](std::size_t b, std::size_t e, std::size_t) {
        map.query_batch(std::span(exact.poses).subspan(b, e - b), std::span(got).subspan(b, e - b));
      },
      samples_per_slice);
  MapError error;
  error.band = sample_band;
  double gap2 = 0, arm2 = 0, worst = 0;
  std::vector<double> angles;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(exact.targets[i].gap) > sample_band) continue;
    const double gap = got[i].gap - exact.targets[i].gap, arm = got[i].arm - exact.targets[i].arm;
    gap2 += gap * gap;
    arm2 += arm * arm;
    worst = std::max(worst, std::abs(gap));
    angles.push_back(gradient_angle(got[i], exact.targets[i]));
  }
  error.samples = angles.size();
  if (angles.empty()) return error;
  const double n = static_cast<double>(angles.size());
  error.gap_rmse = std::sqrt(gap2 / n);
  error.arm_rmse = std::sqrt(arm2 / n);
  error.gap_max = error_safety * worst;
  std::nth_element(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(angles.size() / 2), angles.end());
  error.angle_median = angles[angles.size() / 2];
  return error;
}

}  // namespace scree
