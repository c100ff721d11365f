#include "scree/contact/wall_features.hpp"

#include <algorithm>
#include <cmath>

#include "scree/contact/wall_search_kernel.hpp"

namespace scree {

namespace {

Vec2d outward(Vec2d p, Vec2d q) {
  const Vec2d along = q - p;
  return (-1 / norm(along)) * perp(along);
}

// Corners of the convex hull, those on its edges included: Andrew's monotone chain, once for the lower and once for the
// upper half.
void mark_hull(ShapeFeatures& f) {
  std::vector<Corner*> order;
  for (Corner& c : f.corners) order.push_back(&c);
  std::sort(order.begin(), order.end(),
            [](const Corner* a, const Corner* b) { return a->p.x != b->p.x ? a->p.x < b->p.x : a->p.y < b->p.y; });
  constexpr double inside = -1e-9;
  for (int half = 0; half < 2; ++half) {
    std::vector<Corner*> chain;
    for (Corner* c : order) {
      while (chain.size() >= 2) {
        const Vec2d last = chain.back()->p;
        if (cross(last - chain[chain.size() - 2]->p, c->p - last) >= inside) break;
        chain.pop_back();
      }
      chain.push_back(c);
    }
    for (Corner* c : chain) c->on_hull = true;
    std::reverse(order.begin(), order.end());
  }
}

bool is_convex(Vec2d before, Vec2d here, Vec2d after) {
  const Vec2d in = here - before;
  const Vec2d out = after - here;
  return cross(in, out) > 1e-9 * norm(in) * norm(out);  // a vertex on a straight edge is not a corner
}

// Edges and convex corners of an outline.
ShapeFeatures bare_features(const Outline& outline) {
  ShapeFeatures f;
  for (const Loop& loop : outline.loops) {
    const std::size_t n = loop.size();
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2d before = loop[(k + n - 1) % n];
      const Vec2d here = loop[k];
      const Vec2d after = loop[(k + 1) % n];
      f.edges.push_back({here, after, outward(here, after)});
      if (is_convex(before, here, after)) {
        f.corners.push_back({here, outward(before, here), outward(here, after), false});
      }
    }
  }
  return f;
}

}  // namespace

ShapeFeatures features_of(const Outline& outline, bool is_disc) {
  ShapeFeatures f = bare_features(outline);
  f.is_disc = is_disc;
  mark_hull(f);
  return f;
}

namespace {

// True when the world vector v is one period of a periodic direction.
bool is_period(const Periodic& periodic, Vec2d v) {
  const Vec2d period = periodic.box.hi - periodic.box.lo;
  const auto equal = [](double a, double b) { return std::abs(a - b) <= 1e-9 * b; };
  return (periodic.x && equal(std::abs(v.x), period.x) && std::abs(v.y) <= 1e-9 * period.x) ||
         (periodic.y && equal(std::abs(v.y), period.y) && std::abs(v.x) <= 1e-9 * period.y);
}

void polyline_features(const Wall& wall, const Periodic& periodic, WallFeatures& f) {
  const std::size_t n = wall.points.size();
  const std::size_t segments = wall.closed ? n : n - 1;
  const Vec2d span = Rotation2d(wall.pose.theta) * (wall.points.back() - wall.points.front());
  const bool endless = wall.closed || is_period(periodic, span);
  for (std::size_t k = 0; k < segments; ++k) f.elements.push_back({wall.points[k], wall.points[(k + 1) % n], {}});
  for (std::size_t k = 0; k < segments; ++k) {
    const bool open_end = !endless && k + 1 == segments;
    const bool open_start = !endless && k == 0;
    f.next.push_back(open_end ? no_body : static_cast<std::uint32_t>((k + 1) % segments));
    f.previous.push_back(open_start ? no_body : static_cast<std::uint32_t>((k + segments - 1) % segments));
  }
}

void outline_features(const Wall& wall, WallFeatures& f) {
  f.shape = bare_features(wall.outline);
  f.elements = f.shape.edges;
  std::size_t corner = 0;
  std::uint32_t start = 0;
  for (const Loop& loop : wall.outline.loops) {
    const auto n = static_cast<std::uint32_t>(loop.size());
    for (std::uint32_t k = 0; k < n; ++k) {
      f.next.push_back(start + (k + 1) % n);
      f.previous.push_back(start + (k + n - 1) % n);
      const bool convex = corner < f.shape.corners.size() && f.shape.corners[corner].p == loop[k];
      f.corner_at.push_back(convex ? static_cast<std::int32_t>(corner++) : -1);
    }
    start += n;
  }
}

}  // namespace

WallFeatures features_of(const Wall& wall, const Periodic& periodic) {
  WallFeatures f;
  if (wall.kind == WallKind::polyline && wall.points.size() > 1) polyline_features(wall, periodic, f);
  if (wall.kind == WallKind::outline) outline_features(wall, f);
  for (const Edge& e : f.elements) f.extent = std::max({f.extent, norm(e.p), norm(e.q)});
  f.extent += wall.kind == WallKind::polyline ? wall.radius : 0;
  return f;
}

WallView WallFeatures::view(const Wall& wall) const {
  return {
      wall.kind,       wall.active, wall.normal,     wall.radius,      wall.pose.x,         Rotation2d(wall.pose.theta),
      elements.data(), next.data(), previous.data(), corner_at.data(), shape.corners.data()};
}

namespace {

PlacedWallView placed_wall(const Wall& wall, const WallFeatures& features, std::vector<PlacedElement>& elements) {
  for (const Edge& e : features.elements) elements.push_back(placed(e, wall.pose));
  PlacedWallView out{wall.kind,       Rotation2d(wall.pose.theta) * wall.normal, wall.radius, wall.pose.x,
                     elements.data(), static_cast<int>(elements.size()),         {}};
  if (!elements.empty()) out.box = elements.front().box;
  for (const PlacedElement& e : elements)
    out.box = {{std::min(out.box.lo.x, e.box.lo.x), std::min(out.box.lo.y, e.box.lo.y)},
               {std::max(out.box.hi.x, e.box.hi.x), std::max(out.box.hi.y, e.box.hi.y)}};
  return out;
}

// Bounds on the distance of any moving grain from the origin of each wall, in whatever image it comes to lie.
std::vector<double> farthest_grains(const World& world) {
  const Vec2d period = world.periodic.box.hi - world.periodic.box.lo;
  const double images = (world.periodic.x ? period.x : 0) + (world.periodic.y ? period.y : 0);
  std::vector<double> out;
  for (const Wall& wall : world.walls) {
    double farthest = 0;
    for (std::size_t i = 0; i < world.bodies.size() && wall.kind == WallKind::half_plane; ++i) {
      if (world.bodies.kind[i] == BodyKind::moving)
        farthest = std::max(farthest, norm(world.bodies.x[i] - wall.pose.x));
    }
    out.push_back(farthest + images);
  }
  return out;
}

}  // namespace

void build_wall_candidates(const World& world, const TypeTables& tables, const std::vector<WallFeatures>& features,
                           double skin, ThreadPool& pool, WallCandidates& out) {
  const std::size_t n = world.bodies.size();
  std::vector<std::vector<PlacedElement>> elements(world.walls.size());
  std::vector<PlacedWallView> walls;
  for (std::size_t w = 0; w < world.walls.size(); ++w)
    walls.push_back(placed_wall(world.walls[w], features[w], elements[w]));
  const auto wall_count = static_cast<int>(walls.size());
  std::vector<std::vector<NearWall>> parts(chunk_count(n, default_chunk));
  out.first.assign(n + 1, 0);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t k) {
    const auto add = [&](const NearWall& near) { parts[k].push_back(near); };
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = parts[k].size();
      if (world.bodies.kind[i] == BodyKind::moving) {
        const double radius = tables.radius(world.bodies.type[i]);
        near_walls(world.periodic, walls.data(), wall_count, world.bodies.x[i], world.bodies.image[i], radius, skin,
                   add);
      }
      out.first[i + 1] = static_cast<std::uint32_t>(parts[k].size() - before);
    }
  });
  for (std::size_t i = 0; i < n; ++i) out.first[i + 1] += out.first[i];
  out.entries.clear();
  for (const auto& part : parts) out.entries.insert(out.entries.end(), part.begin(), part.end());
  out.walls_at.clear();
  for (const Wall& wall : world.walls) out.walls_at.push_back(wall.pose);
  out.farthest = farthest_grains(world);
}

double wall_moves(const World& world, const std::vector<WallFeatures>& features, const WallCandidates& since) {
  double most = 0;
  for (std::size_t w = 0; w < world.walls.size(); ++w) {
    const Wall& wall = world.walls[w];
    most = std::max(most, wall_move(wall.kind, wall.pose, since.walls_at[w], features[w].extent, since.farthest[w]));
  }
  return most;
}

}  // namespace scree
