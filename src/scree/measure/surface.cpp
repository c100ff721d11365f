#include "scree/measure/surface.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/text.hpp"
#include "scree/measure/clip.hpp"

namespace scree {

namespace {

// Grains with their centroid in the region, those that touch nothing left out if wanted; there must be one.
Members seen(const Snapshot& s, const Selection& selection, bool touching_only) {
  Members members = chosen_inside(s, selection);
  const std::vector<bool> touches = touching_only ? touching(s) : std::vector<bool>(s.size(), true);
  std::erase_if(members, [&](std::uint32_t i) { return !touches[i]; });
  if (members.empty())
    nothing_to_measure("no grain has its centre in the region", "check x, y, groups, grains and touching");
  return members;
}

std::vector<double> column_edges(double lo, double hi, double width) {
  const double n = std::max(1.0, std::round((hi - lo) / width));
  if (n > most_columns) nothing_to_measure("more than a million columns", "choose a wider column");
  std::vector<double> edges;
  for (int k = 0; k < static_cast<int>(n); ++k) edges.push_back(lo + k * ((hi - lo) / n));
  edges.push_back(hi);
  return edges;
}

}  // namespace

double SurfaceProfile::highest() const {
  double out = height(0);
  for (std::size_t k = 1; k < top.size(); ++k) out = std::max(out, height(k));
  return out;
}

double SurfaceProfile::lowest() const {
  double out = height(0);
  for (std::size_t k = 1; k < top.size(); ++k) out = std::min(out, height(k));
  return out;
}

double SurfaceProfile::mean() const {
  double sum = 0;
  for (std::size_t k = 0; k < top.size(); ++k) sum += height(k);
  return sum / static_cast<double>(top.size());
}

SurfaceProfile surface_profile(const Snapshot& s, const Selection& selection, const SurfaceSettings& settings) {
  Selection rows = selection;  // in x all that reaches into the columns counts
  rows.region.lo.x = everywhere.lo.x, rows.region.hi.x = everywhere.hi.x;
  const Members members = seen(s, rows, settings.touching);
  const Box region = closed_region(s, members, selection.region);
  SurfaceProfile out;
  out.base = region.lo.y;
  out.edges = column_edges(region.lo.x, region.hi.x, settings.column > 0 ? settings.column : mean_diameter(s, members));
  constexpr double none = -1e300;
  std::vector<double> tops(out.edges.size() - 1, none);
  const Box strip{{region.lo.x, -open_side}, {region.hi.x, open_side}};
  for_images(s, members, strip, [&](std::uint32_t i, Vec2d centre) {
    // Images above and below are other places, not other grains of the surface: only the one in the region counts.
    const Vec2d seen_at = image_in(s, s.x[i], rows.region).value_or(s.x[i]);
    solid_of(s, i, {centre.x, seen_at.y}).raise_tops(out.edges, tops);
  });
  for (const double t : tops) out.top.push_back(t > none ? std::optional(t) : std::nullopt);
  return out;
}

ReposeAngle repose_angle(const SurfaceProfile& profile, Flank flank, double band_lo, double band_hi) {
  const double summit = profile.highest();
  const std::size_t n = profile.top.size();
  std::size_t first = 0, last = n - 1;
  while (profile.height(first) < summit) ++first;
  while (profile.height(last) < summit) --last;
  const auto fit = [&](std::size_t begin, std::size_t end, const char* what) {
    std::vector<Vec2d> points;
    for (std::size_t k = begin; k < end; ++k) {
      const double h = profile.height(k);
      if (profile.top[k] && h >= band_lo * summit && h <= band_hi * summit) points.push_back({profile.centre(k), h});
    }
    if (points.size() < 3)
      nothing_to_measure(cat(what, ": ", points.size(), " of the three points that a line with an error needs"),
                         "a level bed has no flanks: use surface-angle or coordination there; for a pile choose finer "
                         "columns (column) or a wider band");
    return fit_line(points, what);
  };
  ReposeAngle out;
  if (flank != Flank::right) out.left = fit(0, first, "the left flank");
  if (flank != Flank::left) out.right = fit(last + 1, n, "the right flank");
  const double flanks = flank == Flank::both ? 2 : 1;
  double variance = 0;
  for (const auto& [side, sign] : {std::pair{out.left, 1.0}, std::pair{out.right, -1.0}}) {
    if (!side) continue;
    out.angle += sign * side->angle() / flanks;
    variance += side->angle_error() * side->angle_error();
  }
  out.error = std::sqrt(variance) / flanks;
  return out;
}

LineFit surface_line(const SurfaceProfile& profile, double span) {
  std::size_t first = 0, end = profile.top.size();
  while (first < end && !profile.top[first]) ++first;
  while (end > first && !profile.top[end - 1]) --end;
  std::vector<Vec2d> points;
  if (first < end) {
    const double lo = profile.edges[first], hi = profile.edges[end];
    const double reach = 0.5 * span * (hi - lo) * (1 + 1e-12);  // rounding must not lose the outermost column
    for (std::size_t k = first; k < end; ++k) {
      const double x = profile.centre(k);
      if (profile.top[k] && std::abs(x - 0.5 * (lo + hi)) <= reach) points.push_back({x, profile.height(k)});
    }
  }
  return fit_line(points, "the surface");
}

PileExtent pile_extent(const Snapshot& s, const Selection& selection, double gap, bool touching_only) {
  if (s.periodic.x) nothing_to_measure("a pile has no ends where x is periodic", "measure the height instead");
  const Members members = seen(s, selection, touching_only);
  if (!(gap > 0)) gap = mean_diameter(s, members);
  struct Part {
    Box box;
    double solid = 0;
  };
  std::vector<Part> shadows;
  for (const std::uint32_t i : members) shadows.push_back({solid_of(s, i, s.x[i]).bounds(), s.area_of(i)});
  std::ranges::stable_sort(shadows, {}, [](const Part& p) { return p.box.lo.x; });
  Part best, now = shadows.front();
  now.solid = 0;
  for (const Part& p : shadows) {
    if (p.box.lo.x > now.box.hi.x + gap) {
      if (now.solid > best.solid) best = now;
      now = {p.box, 0};
    }
    now.box.hi = {std::max(now.box.hi.x, p.box.hi.x), std::max(now.box.hi.y, p.box.hi.y)};
    now.box.lo.y = std::min(now.box.lo.y, p.box.lo.y);
    now.solid += p.solid;
  }
  if (now.solid > best.solid) best = now;
  return {best.box.lo.x, best.box.hi.x, best.box.hi.y - best.box.lo.y};
}

}  // namespace scree
