#include "scree/shape/clump.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/edge_grid.hpp"

namespace scree {

namespace {

// Points on the outline at most this far apart stand for it, so a distance to them is off by at most half.
double spacing_for(double tolerance) { return std::clamp(tolerance / 8, 1e-3, 0.01); }

struct OutlinePoint {
  Vec2d at;
  Vec2d inward;  // unit
};

std::vector<OutlinePoint> sample(const Outline& outline, double spacing) {
  std::vector<OutlinePoint> points;
  for (const Loop& loop : outline.loops)
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vec2d p = loop[k], edge = loop[(k + 1) % loop.size()] - p;
      const double length = norm(edge);
      const int n = std::max(1, static_cast<int>(std::ceil(length / spacing)));
      for (int i = 0; i < n; ++i) points.push_back({p + ((i + 0.5) / n) * edge, (1 / length) * perp(edge)});
    }
  return points;
}

// Discs that one choice adds: a candidate and its images under the shape's rotations.
struct Orbit {
  std::vector<ClumpDisc> discs;
  std::vector<float> distance;  // of every point of the outline to the nearest of the discs
};

// Candidates are points of the outline, thinned to about so many.
constexpr std::size_t most_candidates = 1500;

class Fitter {
 public:
  // Discs come in turns of 2 pi / order, a divisor of the shape's symmetry.
  Fitter(const Shape& shape, double spacing, int order)
      : shape_(shape),
        order_(order),
        spacing_(spacing),
        points_(sample(shape.outline, spacing)),
        edges_(outline_edges(shape.outline)) {
    make_candidates();
  }

  // Greedy cover of all points to within `slack`; nothing when it takes more discs than `most`.
  std::optional<std::vector<ClumpDisc>> cover(double slack, int most) const {
    std::vector<std::uint8_t> covered(points_.size(), 0);
    std::vector<const Orbit*> chosen;
    std::size_t left = points_.size();
    int count = 0;
    while (left > 0) {
      const Orbit* best = nullptr;
      double gain = 0;
      for (const Orbit& orbit : orbits_) {
        // Per disc: an orbit of one, in the middle, is worth more than four that cover little more.
        const double share =
            static_cast<double>(newly_covered(orbit, slack, covered)) / static_cast<double>(orbit.discs.size());
        if (share > gain) gain = share, best = &orbit;
      }
      if (!best) return std::nullopt;
      count += static_cast<int>(best->discs.size());
      if (count > most) return std::nullopt;
      chosen.push_back(best);
      for (std::size_t i = 0; i < points_.size(); ++i)
        if (!covered[i] && best->distance[i] <= static_cast<float>(slack)) covered[i] = 1, --left;
    }
    return without_idle(chosen, slack);
  }

  // How far the outline is from the discs, and the discs from the solid, at most.
  double error_of(const std::vector<ClumpDisc>& discs) const {
    double uncovered = 0, beyond = 0;
    for (const OutlinePoint& p : points_) uncovered = std::max(uncovered, distance_to(discs, p.at));
    for (const ClumpDisc& d : discs) beyond = std::max(beyond, d.radius - inscribed(d.centre));
    return std::max(uncovered + 0.5 * spacing_, beyond);
  }

  double uncovered(const std::vector<ClumpDisc>& discs) const {
    double most = 0;
    for (const OutlinePoint& p : points_) most = std::max(most, distance_to(discs, p.at));
    return most + 0.5 * spacing_;
  }

 private:
  static double distance_to(const std::vector<ClumpDisc>& discs, Vec2d p) {
    double least = 1e300;
    for (const ClumpDisc& d : discs) least = std::min(least, norm(p - d.centre) - d.radius);
    return std::max(0.0, least);
  }

  // Radius of the largest disc about p inside the solid; negative: p is outside.
  double inscribed(Vec2d p) const {
    const double r = std::sqrt(edges_.nearest(p).distance2);
    return contains(shape_.outline, p) ? r : -r;
  }

  // The largest disc inside that touches the outline at each of its points (its medial discs), from one sector.
  void make_candidates() {
    const double sector = 2 * std::numbers::pi / order_;
    add_orbit({0, 0});
    const std::size_t stride = points_.size() / static_cast<std::size_t>(order_) / most_candidates + 1;
    for (std::size_t k = 0; k < points_.size(); k += stride) {
      const OutlinePoint& p = points_[k];
      const double angle = std::atan2(p.at.y, p.at.x) + std::numbers::pi;
      if (angle >= sector + 1e-9) continue;
      double radius = 1;
      for (const OutlinePoint& q : points_) {
        const Vec2d away = q.at - p.at;
        const double ahead = dot(away, p.inward);
        if (ahead > 1e-9) radius = std::min(radius, norm2(away) / (2 * ahead));
      }
      add_orbit(p.at + radius * p.inward);
    }
  }

  void add_orbit(Vec2d centre) {
    const double radius = inscribed(centre);
    if (radius < 0.5 * spacing_) return;
    Orbit orbit;
    // On the axis all images are one disc.
    if (norm(centre) < 0.02 * radius) {
      orbit.discs.push_back({{0, 0}, inscribed({0, 0})});
    } else {
      for (int k = 0; k < order_; ++k)
        orbit.discs.push_back({Rotation2d(2 * std::numbers::pi * k / order_) * centre, radius});
    }
    if (orbit.discs[0].radius <= 0) return;
    for (const OutlinePoint& p : points_) orbit.distance.push_back(static_cast<float>(distance_to(orbit.discs, p.at)));
    orbits_.push_back(std::move(orbit));
  }

  std::size_t newly_covered(const Orbit& orbit, double slack, const std::vector<std::uint8_t>& covered) const {
    const auto reach = static_cast<float>(slack);
    std::size_t n = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) n += orbit.distance[i] <= reach && covered[i] == 0;
    return n;
  }

  // Drops choices, latest first, that later ones have made needless.
  std::vector<ClumpDisc> without_idle(std::vector<const Orbit*> chosen, double slack) const {
    for (std::size_t k = chosen.size(); k-- > 0;) {
      std::vector<const Orbit*> others = chosen;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      bool needless = true;
      for (std::size_t i = 0; needless && i < points_.size(); ++i)
        needless =
            std::ranges::any_of(others, [&](const Orbit* o) { return o->distance[i] <= static_cast<float>(slack); });
      if (needless) chosen = std::move(others);
    }
    std::vector<ClumpDisc> discs;
    for (const Orbit* orbit : chosen) discs.insert(discs.end(), orbit->discs.begin(), orbit->discs.end());
    return discs;
  }

  const Shape& shape_;
  int order_;
  double spacing_;
  std::vector<OutlinePoint> points_;
  EdgeGrid edges_;
  std::vector<Orbit> orbits_;
};

// Shares the uncovered distance between inside and outside, without leaving the circumcircle: the engine looks for
// contacts within it.
Clump balanced(const Fitter& fitter, std::vector<ClumpDisc> discs) {
  const double raise = 0.5 * fitter.uncovered(discs);
  for (ClumpDisc& d : discs) d.radius = std::min(d.radius + raise, std::max(d.radius, 1 - norm(d.centre)));
  const double error = fitter.error_of(discs);
  return {std::move(discs), error};
}

[[noreturn]] void refuse(const Shape& shape, const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::input, cat("clump of \"", shape.name, "\""), problem, remedy);
}

// Symmetries of higher order would ask for more discs than a clump should have.
constexpr int highest_order = 12;

// The best clump whose discs come in turns of 2 pi / order, over a range of slacks: greedy covers are not monotone.
std::optional<Clump> best_clump(const Shape& shape, const ClumpSettings& settings, int order) {
  const bool by_number = settings.most_discs > 0;
  const Fitter fitter(shape, spacing_for(by_number ? 0.05 : settings.tolerance), order);
  // What is uncovered before the discs are raised is up to twice the error after.
  const double least = by_number ? 4e-3 : 0.5 * settings.tolerance, most = by_number ? 2 : 2 * settings.tolerance;
  std::optional<Clump> best;
  double best_slack = most;
  const auto attempt = [&](double slack) {
    auto discs = fitter.cover(slack, by_number ? settings.most_discs : most_clump_discs);
    if (!discs) return false;
    Clump clump = balanced(fitter, std::move(*discs));
    if (!by_number && clump.error > settings.tolerance) return false;
    const std::size_t count = clump.discs.size();
    if (best && ((by_number || count == best->discs.size()) ? clump.error >= best->error : count > best->discs.size()))
      return false;
    best = std::move(clump);
    best_slack = slack;
    return true;
  };
  constexpr int attempts = 16;
  const double step = std::pow(least / most, 1.0 / (attempts - 1));
  for (int k = 0; k < attempts; ++k) attempt(most * std::pow(step, k));
  // From the best one on towards the next that was worse.
  double low = best_slack * step;
  for (int k = 0; k < 8; ++k) {
    const double middle = 0.5 * (low + best_slack);
    if (!attempt(middle)) low = middle;
  }
  return best;
}

}  // namespace

Clump fit_clump(const Shape& shape, const ClumpSettings& settings) {
  if (settings.most_discs < 0 || settings.most_discs > most_clump_discs)
    refuse(shape, cat(settings.most_discs, " discs are out of range"), cat("choose 1 to ", most_clump_discs));
  if (settings.most_discs == 0 &&
      !(settings.tolerance >= least_clump_tolerance && settings.tolerance <= most_clump_tolerance))
    refuse(shape, cat("tolerance ", settings.tolerance, " is out of range"),
           cat("choose ", least_clump_tolerance, " to ", most_clump_tolerance, " of the circumradius"));
  if (shape.is_disc) return {{{{0, 0}, 1}}, 0};
  for (int order = std::min(std::max(1, shape.symmetry), highest_order); order >= 1; --order) {
    if (std::max(1, shape.symmetry) % order != 0) continue;
    if (auto clump = best_clump(shape, settings, order)) return std::move(*clump);
  }
  refuse(shape, cat("more than ", most_clump_discs, " discs are needed for the tolerance ", settings.tolerance),
         "raise the tolerance");
}

}  // namespace scree
