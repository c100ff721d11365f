#include "scree/implicit/several_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scree/implicit/link_kernel.hpp"

namespace scree {

namespace {

// By how much g may come below f when bodies have come `way`, points of a grain by turning too; `q`: where B is.
double may_come_below(const ContactGeometry& f, const ContactGeometry& g, const Pose2d& q, double ratio, double way) {
  const Vec2d by_x = g.gap_x - f.gap_x;
  const double by_b = g.gap_theta - f.gap_theta, by_a = by_b + cross(q.x, by_x);
  return way * std::max({norm(by_x), std::abs(by_a), std::abs(by_b) / ratio}) - (g.gap - f.gap);
}

double alike(const LinkRow& p, const LinkRow& q, const Mobility& a, const Mobility& b) {
  return moved_along(p, q, a, b) / std::sqrt(contact_kappa(p, a, b) * contact_kappa(q, a, b));
}

}  // namespace

void PlaneChoice::choose(const ContactMap& map, const Pose2d& q, double way) {
  const double ratio = map.reach() - 1;
  near_.clear();
  map.nearest(q, way, near_);
  if (near_.empty()) near_.push_back({map.query(q), 0});  // nowhere: the watchdog finds the grain
  below_.assign(near_.size(), std::numeric_limits<double>::max());
  std::size_t next = 0;
  for (count_ = 0; count_ < most_planes && (count_ == 0 || below_[next] > 0); ++count_) {
    const ContactGeometry chosen = planes_[count_] = near_[next].geometry;
    for (std::size_t k = 0; k < near_.size(); ++k)
      below_[k] = std::min(below_[k], may_come_below(chosen, near_[k].geometry, q, ratio, way));
    next = static_cast<std::size_t>(std::ranges::max_element(below_) - below_.begin());
  }
}

void line_up(std::span<const LinkRow> before, const Mobility& a, const Mobility& b, std::span<Link> links) {
  std::array<bool, most_planes> placed{};
  for (std::size_t n = 0; n < std::min(before.size(), links.size()); ++n) {
    std::size_t best = 0, to = 0;
    double most = 0;
    for (std::size_t slot = 0; slot < before.size(); ++slot) {
      if (placed[slot] || norm2(before[slot].gap_x) == 0) continue;
      for (std::size_t k = 0; k < links.size(); ++k) {
        if (placed[k] || links[k].row_count == 0) continue;
        const double like = alike(before[slot], links[k].rows[0], a, b);
        if (like > most) most = like, best = k, to = slot;
      }
    }
    if (most <= 0) break;
    std::swap(links[best], links[to]);
    std::swap(links[best].feature, links[to].feature);
    placed[to] = true;
  }
}

}  // namespace scree
