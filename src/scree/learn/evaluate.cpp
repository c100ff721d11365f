#include "scree/learn/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "scree/base/rng.hpp"
#include "scree/learn/sampling.hpp"
#include "scree/map/exact_slice.hpp"
#include "scree/map/least_motion.hpp"

namespace scree {
namespace {

double gradient_angle(const ContactGeometry& p, const ContactGeometry& q) {
  const double pq = p.gap_theta * q.gap_theta + dot(p.gap_x, q.gap_x);
  const double pp = p.gap_theta * p.gap_theta + norm2(p.gap_x);
  const double qq = q.gap_theta * q.gap_theta + norm2(q.gap_x);
  if (pp == 0 || qq == 0) return 90;
  return std::acos(std::clamp(pq / std::sqrt(pp * qq), -1.0, 1.0)) * (180 / std::numbers::pi);
}

// Tells the caller, from any thread, that the measurement goes on, so that it can stop it by throwing.
class Tick {
 public:
  explicit Tick(const Progress& progress) : progress_(progress) {}
  void operator()() const {
    if (!progress_) return;
    const std::scoped_lock lock(mutex_);
    progress_(1, "measuring the error");
  }

 private:
  const Progress& progress_;
  mutable std::mutex mutex_;
};

struct Worst {
  double excess = 0;
  double jump = 0;  // of the exact gap there; 0 where it is less than what least_motion resolves
};

// The least motion costs many slices, so it is asked for only where the exact gap alone would make a new worst.
void consider(const ContactMap& map, const PairGeometry& geometry, const Pose2d& q, double exact, Worst& worst) {
  const double answer = map.query(q).gap;
  if (gap_excess(answer, exact, exact) <= worst.excess) return;
  const double least = least_motion(geometry, q, exact, answer - worst.excess);
  worst.excess = std::max(worst.excess, gap_excess(answer, exact, least));
  if (least - exact > -exact / 32) worst.jump = std::max(worst.jump, least - exact);
}

// Random samples miss the worst pose, which sits at some corner: a random walk uphill from `from`, in ever smaller
// steps, finds the top of its neighbourhood.
Worst climb(const ContactMap& map, const PairGeometry& geometry, Pose2d from, double exact, std::uint64_t stream,
            const Tick& tick) {
  constexpr int trials = 24;
  constexpr double longest = 0.04, shortest = 0.002;  // units of A's circumradius
  Rng rng(20251, stream);
  Worst worst;
  consider(map, geometry, from, exact, worst);
  for (int trial = 0; trial < trials; ++trial) {
    const double step = longest * std::pow(shortest / longest, trial / (trials - 1.0));
    const Pose2d q{from.theta + step * rng.uniform(-1, 1),
                   from.x + step * Vec2d{rng.uniform(-1, 1), rng.uniform(-1, 1)}};
    if (norm(q.x) > geometry.reach) continue;
    tick();
    const double before = worst.excess;
    consider(map, geometry, q, ExactSlice(geometry, q.theta, false).query(q.x).gap, worst);
    if (worst.excess > before) from = q;
  }
  return worst;
}

// The largest excess: over all samples, from the largest raw one downwards, then uphill from the first few.
Worst find_worst(const ContactMap& map, const ShapePair& pair, const MapSamples& exact,
                 const std::vector<ContactGeometry>& got, ThreadPool& pool, const Tick& tick) {
  // A climb builds as many slices as it tries poses: fewer where a map is measured on fewer samples for its cost.
  const std::size_t climbers = std::clamp<std::size_t>(got.size() / 2048, 2, 16);
  const PairGeometry geometry(pair);
  std::vector<std::pair<double, std::size_t>> raw;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double truth = exact.targets[i].gap;
    raw.emplace_back(gap_excess(got[i].gap, truth, truth), i);
  }
  std::sort(raw.begin(), raw.end(), std::greater<>());
  Worst worst;
  for (const auto& [excess, i] : raw) {
    if (excess <= worst.excess) break;
    tick();
    consider(map, geometry, exact.poses[i], exact.targets[i].gap, worst);
  }
  std::vector<Worst> tops(std::min(climbers, raw.size()));
  pool.run(tops.size(), [&](std::size_t k) {
    const std::size_t i = raw[k].second;
    tops[k] = climb(map, geometry, exact.poses[i], exact.targets[i].gap, k, tick);
  });
  for (const Worst& top : tops) {
    worst.excess = std::max(worst.excess, top.excess);
    worst.jump = std::max(worst.jump, top.jump);
  }
  return worst;
}

}  // namespace

double gap_excess(double answer, double exact, double least_motion) {
  const double above = answer - std::max(least_motion, -sample_band);
  const double below = std::abs(exact) <= sample_band ? exact - answer : 0;
  return std::max({above, below, 0.0});
}

MapError measure_error(const ContactMap& map, const ShapePair& pair, ThreadPool& pool, std::size_t samples,
                       std::uint64_t seed, const Progress& progress) {
  const Tick tick(progress);
  // In slice order: the exact map itself, when it is the one measured, then reuses its slices.
  const MapSamples exact =
      sample_exact_by_slice(pair, samples, seed, pool, [&](double, const std::string&) { tick(); });
  std::vector<ContactGeometry> got(exact.poses.size());
  for_chunks(
      pool, got.size(),
      [&](std::size_t b, std::size_t e, std::size_t) {
        tick();
        map.query_batch(std::span(exact.poses).subspan(b, e - b), std::span(got).subspan(b, e - b));
      },
      samples_per_slice);
  MapError error;
  error.band = sample_band;
  double gap2 = 0, arm2 = 0;
  std::vector<double> angles;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(exact.targets[i].gap) > sample_band) continue;
    const double gap = got[i].gap - exact.targets[i].gap, arm = got[i].arm - exact.targets[i].arm;
    gap2 += gap * gap;
    arm2 += arm * arm;
    angles.push_back(gradient_angle(got[i], exact.targets[i]));
  }
  error.samples = angles.size();
  if (angles.empty()) return error;
  const double n = static_cast<double>(angles.size());
  error.gap_rmse = std::sqrt(gap2 / n);
  error.arm_rmse = std::sqrt(arm2 / n);
  const Worst worst = find_worst(map, pair, exact, got, pool, tick);
  error.gap_max = error_safety * worst.excess;
  error.gap_jump = worst.jump;
  std::nth_element(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(angles.size() / 2), angles.end());
  error.angle_median = angles[angles.size() / 2];
  return error;
}

}  // namespace scree
