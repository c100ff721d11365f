#include "scree/measure/selection.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/measure/clip.hpp"

namespace scree {

namespace {

// "sand" of "sand:3", the third size of sand.
std::string family(const std::string& type) { return type.substr(0, type.find(':')); }

// Which of `names` the user asked for; all when there is no wish.
std::vector<bool> wanted(const std::vector<std::string>& names, const std::vector<std::string>& wishes,
                         const std::string& what) {
  if (wishes.empty()) return std::vector<bool>(names.size(), true);
  std::vector<bool> out(names.size(), false);
  for (const std::string& wish : wishes) {
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != wish && (what == "group" || family(names[i]) != wish)) continue;
      out[i] = found = true;
    }
    if (found) continue;
    const std::string near = nearest_name(wish, names);
    throw Error(ErrorKind::input, "measure", "unknown " + what + " \"" + wish + "\"",
                (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(names));
  }
  return out;
}

std::vector<std::string> type_names(const Snapshot& s) {
  std::vector<std::string> names;
  for (const GrainType& t : s.types) names.push_back(t.name);
  return names;
}

Box outline_bounds(const Snapshot& s, const Members& members) {
  Box box{{1e300, 1e300}, {-1e300, -1e300}};
  for (const std::uint32_t i : members) {
    const Box own = solid_of(s, i, s.x[i]).bounds();
    box.lo = {std::min(box.lo.x, own.lo.x), std::min(box.lo.y, own.lo.y)};
    box.hi = {std::max(box.hi.x, own.hi.x), std::max(box.hi.y, own.hi.y)};
  }
  return box;
}

bool is_open(double side) { return std::isinf(side); }

// One coordinate of image_in().
std::optional<double> image_in(double at, bool periodic, double cell_lo, double cell_hi, double lo, double hi) {
  if (periodic) {
    const double period = cell_hi - cell_lo;
    if (is_open(lo)) lo = cell_lo;
    if (is_open(hi)) hi = cell_hi;
    at += period * std::ceil((lo - at) / period);
    // Rounding must not put a grain on the seam out of a region as wide as the cell.
    if (hi - lo >= period) at = std::clamp(at, lo, hi);
  }
  return lo <= at && at <= hi ? std::optional(at) : std::nullopt;
}

// Calls visit(coordinate) for the images of `at` in [lo, hi].
template <class Visit>
void for_images(double at, bool periodic, double period, double lo, double hi, Visit visit) {
  if (!periodic || is_open(lo) || is_open(hi)) {
    if (lo <= at && at <= hi) visit(at);
    return;
  }
  const double last = std::floor((hi - at) / period);
  for (double k = std::ceil((lo - at) / period); k <= last; ++k) visit(at + k * period);
}

double smallest_radius(const Snapshot& s, const Members& members) {
  double least = members.empty() ? 0 : s.type_of(members.front()).radius;
  for (const std::uint32_t i : members) least = std::min(least, s.type_of(i).radius);
  return least;
}

bool resolved(double lo, double hi, double grain) {
  return hi - lo >= finest * std::max({std::abs(lo), std::abs(hi), grain});
}

void refuse_unresolved(const Box& region, double grain) {
  const double area = (region.hi.x - region.lo.x) * (region.hi.y - region.lo.y);
  if (!resolved(region.lo.x, region.hi.x, grain) || !resolved(region.lo.y, region.hi.y, grain))
    nothing_to_measure("the region is too thin to resolve",
                       "give x and y that are not small beside the grains and the coordinates");
  // Lengths whose square is no number, or loses its digits.
  if (!std::isnormal(area)) nothing_to_measure("the region's area is no usable number", "give other x and y");
}

void close(double& lo, double& hi, bool periodic, double cell_lo, double cell_hi, double own_lo, double own_hi) {
  if (is_open(lo)) lo = periodic ? cell_lo : own_lo;
  if (is_open(hi)) hi = periodic ? cell_hi : own_hi;
}

}  // namespace

void nothing_to_measure(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::input, "measure", problem, remedy);
}

Members chosen(const Snapshot& s, const Selection& selection) {
  const std::vector<bool> groups = wanted(s.groups, selection.groups, "group");
  const std::vector<bool> types = wanted(type_names(s), selection.grains, "grain");
  Members out;
  for (std::uint32_t i = 0; i < s.size(); ++i) {
    if (groups[s.group[i]] && types[s.type[i]] && (selection.driven || !s.driven(i))) out.push_back(i);
  }
  return out;
}

Members chosen_inside(const Snapshot& s, const Selection& selection) {
  Members out = chosen(s, selection);
  std::erase_if(out, [&](std::uint32_t i) { return !image_in(s, s.x[i], selection.region); });
  return out;
}

std::optional<Vec2d> image_in(const Snapshot& s, Vec2d place, const Box& region) {
  const Box& cell = s.periodic.box;
  const auto x = image_in(place.x, s.periodic.x, cell.lo.x, cell.hi.x, region.lo.x, region.hi.x);
  const auto y = image_in(place.y, s.periodic.y, cell.lo.y, cell.hi.y, region.lo.y, region.hi.y);
  return x && y ? std::optional(Vec2d{*x, *y}) : std::nullopt;
}

Box closed_region(const Snapshot& s, const Members& members, const Box& region) {
  Box out = region;
  const bool open = is_open(out.lo.x) || is_open(out.lo.y) || is_open(out.hi.x) || is_open(out.hi.y);
  if (open) {
    const Box own = outline_bounds(s, members);
    const Box& cell = s.periodic.box;
    close(out.lo.x, out.hi.x, s.periodic.x, cell.lo.x, cell.hi.x, own.lo.x, own.hi.x);
    close(out.lo.y, out.hi.y, s.periodic.y, cell.lo.y, cell.hi.y, own.lo.y, own.hi.y);
  }
  if (!(out.lo.x < out.hi.x && out.lo.y < out.hi.y))
    nothing_to_measure("no grain is there to give the region its size", "give x and y, or choose other grains");
  refuse_unresolved(out, smallest_radius(s, members));
  const Vec2d slack = (1 + 1e-9) * s.period();
  if ((s.periodic.x && out.hi.x - out.lo.x > slack.x) || (s.periodic.y && out.hi.y - out.lo.y > slack.y))
    nothing_to_measure("the region is wider than the periodic cell", "give x and y at most one period wide");
  return out;
}

void for_images(const Snapshot& s, const Members& members, const Box& region,
                const std::function<void(std::uint32_t grain, Vec2d centre)>& visit) {
  const Vec2d period = s.period();
  for (const std::uint32_t i : members) {
    const double r = s.type_of(i).radius;
    for_images(s.x[i].x, s.periodic.x, period.x, region.lo.x - r, region.hi.x + r, [&](double x) {
      for_images(s.x[i].y, s.periodic.y, period.y, region.lo.y - r, region.hi.y + r, [&](double y) {
        visit(i, {x, y});
      });
    });
  }
}

double mean_diameter(const Snapshot& s, const Members& members) {
  double sum = 0;
  for (const std::uint32_t i : members) sum += s.type_of(i).radius;
  return members.empty() ? 0 : 2 * sum / static_cast<double>(members.size());
}

std::vector<bool> touching(const Snapshot& s) {
  std::vector<bool> out(s.size(), false);
  for (const SnapshotContact& c : s.contacts) {
    if (c.a != no_body) out[c.a] = true;
    out[c.b] = true;
  }
  return out;
}

}  // namespace scree
