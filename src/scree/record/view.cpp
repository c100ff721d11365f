#include "scree/record/view.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "scree/record/round_numbers.hpp"

namespace scree {

namespace {

constexpr std::size_t most_samples = 48;
constexpr double stray = 0.002;  // fraction of centres that may lie outside on each side

struct Extent {
  Box box{{1e300, 1e300}, {-1e300, -1e300}};
  void add(Vec2d p, double margin = 0) {
    box.lo.x = std::min(box.lo.x, p.x - margin), box.lo.y = std::min(box.lo.y, p.y - margin);
    box.hi.x = std::max(box.hi.x, p.x + margin), box.hi.y = std::max(box.hi.y, p.y + margin);
  }
  bool empty() const { return box.lo.x > box.hi.x; }
};

double quantile(std::vector<double>& values, double q) {
  const auto k = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

// Top of a colour scale: nearly the largest value, so that one outlier does not turn everything else pale.
double scale_top(std::vector<double>& values, double q) {
  return values.empty() ? 1 : round_up(std::max(quantile(values, q), 1e-3 * quantile(values, 1)));
}

void add_wall(Extent& extent, const Wall& wall, const Pose2d& pose) {
  if (wall.kind == WallKind::circle_inside || wall.kind == WallKind::circle_outside) extent.add(pose.x, wall.radius);
  for (Vec2d p : wall.points) extent.add(pose * p, wall.radius);
  for (const Loop& loop : wall.outline.loops)
    for (Vec2d p : loop) extent.add(pose * p);
}

struct Collected {
  std::vector<double> lo_x, hi_x, lo_y, hi_y;  // of the grains' bounding circles
  std::vector<double> speeds, grain_forces, contact_forces;
  std::set<std::size_t> types, groups;
  Extent walls;

  void add(const Statics& s, const Frame& f) {
    for (std::size_t i = 0; i < f.id.size(); ++i) add_grain(s, f, i);
    const std::vector<double> forces = scree::grain_forces(f);
    for (std::size_t i = 0; i < f.id.size(); ++i)
      if (f.kind[i] == BodyKind::moving && forces[i] > 0) grain_forces.push_back(forces[i]);
    for (const FrameContact& c : f.contacts)
      if (c.normal_force > 0) contact_forces.push_back(c.normal_force);
    for (std::size_t w = 0; w < s.walls.size(); ++w)
      if (f.wall_active[w]) add_wall(walls, s.walls[w], f.wall_pose[w]);
  }

  void add_grain(const Statics& s, const Frame& f, std::size_t i) {
    const double r = s.types[f.type[i]].radius;
    if (!std::isfinite(f.x[i].x) || !std::isfinite(f.x[i].y)) return;
    lo_x.push_back(f.x[i].x - r), hi_x.push_back(f.x[i].x + r);
    lo_y.push_back(f.x[i].y - r), hi_y.push_back(f.x[i].y + r);
    if (f.kind[i] != BodyKind::moving) return;
    types.insert(f.type[i]), groups.insert(f.group[i]);
    if (const double speed = norm(f.v[i]); std::isfinite(speed)) speeds.push_back(speed);
  }

  Box view(const Statics& s, const Frame& last) {
    Extent all = walls;
    if (!lo_x.empty()) {
      all.add({quantile(lo_x, stray), quantile(lo_y, stray)});
      all.add({quantile(hi_x, 1 - stray), quantile(hi_y, 1 - stray)});
    }
    // A half-plane is shown where it passes the rest.
    for (std::size_t w = 0; w < s.walls.size(); ++w) {
      if (s.walls[w].kind != WallKind::half_plane || all.empty()) continue;
      const Pose2d pose = last.wall_pose[w];
      const Vec2d n = Rotation2d(pose.theta) * s.walls[w].normal;
      const Vec2d centre = 0.5 * (all.box.lo + all.box.hi);
      const double off = dot(centre - pose.x, n);
      if (std::abs(off) < norm(all.box.hi - all.box.lo)) all.add(centre - off * n);
    }
    if (s.periodic.x) all.box.lo.x = s.periodic.box.lo.x, all.box.hi.x = s.periodic.box.hi.x;
    if (s.periodic.y) all.box.lo.y = s.periodic.box.lo.y, all.box.hi.y = s.periodic.box.hi.y;
    if (all.empty()) all.add({0, 0}, 1);
    return all.box;
  }
};

}  // namespace

Scales find_scales(const Statics& statics, std::size_t count, const std::function<Frame(std::size_t)>& read) {
  Collected all;
  const std::size_t samples = std::min(count, most_samples);
  Frame frame;
  for (std::size_t k = 0; k < samples; ++k) {
    frame = read(samples == 1 ? 0 : k * (count - 1) / (samples - 1));
    all.add(statics, frame);
  }
  if (samples == 0) frame.wall_pose.resize(statics.walls.size());
  Scales scales;
  scales.view = all.view(statics, frame);
  scales.speed = scale_top(all.speeds, 0.98);
  scales.grain_force = scale_top(all.grain_forces, 0.97);
  scales.contact_force = scale_top(all.contact_forces, 0.98);
  scales.types.assign(all.types.begin(), all.types.end());
  scales.groups.assign(all.groups.begin(), all.groups.end());
  return scales;
}

std::size_t find_grain(const Frame& frame, std::uint32_t id) {
  const auto at = std::lower_bound(frame.id.begin(), frame.id.end(), id);
  return at != frame.id.end() && *at == id ? static_cast<std::size_t>(at - frame.id.begin()) : frame.id.size();
}

std::vector<double> grain_forces(const Frame& frame) {
  std::vector<double> sum(frame.id.size(), 0.0);
  for (const FrameContact& c : frame.contacts)
    for (std::uint32_t id : {c.a, c.b})
      if (const std::size_t i = find_grain(frame, id); i < sum.size()) sum[i] += c.normal_force;
  return sum;
}

std::vector<std::int32_t> grain_partners(const Frame& frame) {
  constexpr std::uint64_t wall = 1ull << 32;  // above all ids of grains
  std::vector<std::pair<std::size_t, std::uint64_t>> pairs;
  for (const FrameContact& c : frame.contacts) {
    if (c.a != no_body) pairs.emplace_back(find_grain(frame, c.a), c.b);
    pairs.emplace_back(find_grain(frame, c.b), c.a != no_body ? c.a : wall + static_cast<std::uint32_t>(c.wall));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<std::int32_t> count(frame.id.size(), 0);
  for (const auto& [grain, partner] : pairs)
    if (grain < count.size()) ++count[grain];
  return count;
}

Vec2d nearest_image(const Periodic& p, Vec2d x, Vec2d point) {
  const Vec2d period = p.box.hi - p.box.lo;
  if (p.x) x.x += period.x * std::round((point.x - x.x) / period.x);
  if (p.y) x.y += period.y * std::round((point.y - x.y) / period.y);
  return x;
}

Vec2d nearest_in_circle(Vec2d p, Vec2d centre, double radius) {
  const double distance = norm(p - centre);
  return distance > radius ? centre + (radius / distance) * (p - centre) : p;
}

}  // namespace scree
