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

bool is_open(double side) { return std::abs(side) >= 1e300; }

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
  std::erase_if(out, [&](std::uint32_t i) { return !selection.region.contains(s.x[i]); });
  return out;
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
  const Vec2d slack = (1 + 1e-9) * s.period();
  if ((s.periodic.x && out.hi.x - out.lo.x > slack.x) || (s.periodic.y && out.hi.y - out.lo.y > slack.y))
    nothing_to_measure("the region is wider than the periodic cell", "give x and y at most one period wide");
  return out;
}

void for_images(const Snapshot& s, const Members& members, const Box& region,
                const std::function<void(std::uint32_t grain, Vec2d centre)>& visit) {
  const Vec2d period = s.period();
  const int nx = s.periodic.x ? 1 : 0, ny = s.periodic.y ? 1 : 0;
  for (const std::uint32_t i : members) {
    const double r = s.type_of(i).radius;
    const Box reach{region.lo - Vec2d{r, r}, region.hi + Vec2d{r, r}};
    for (int kx = -nx; kx <= nx; ++kx) {
      for (int ky = -ny; ky <= ny; ++ky) {
        const Vec2d centre = s.x[i] + Vec2d{nx ? kx * period.x : 0, ny ? ky * period.y : 0};
        if (reach.contains(centre)) visit(i, centre);
      }
    }
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
