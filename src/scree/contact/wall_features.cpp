#include "scree/contact/wall_features.hpp"

#include <algorithm>
#include <cmath>

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
  f.outline = &outline;
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

double distance_to_segment(Vec2d p, Vec2d a, Vec2d b) {
  const Vec2d along = b - a;
  const double t = std::clamp(dot(p - a, along) / std::max(norm2(along), 1e-300), 0.0, 1.0);
  return norm(p - a - t * along);
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

ImageRange images_near(const Periodic& periodic, const Box& box, Vec2d u, double reach) {
  ImageRange r;
  const auto along = [&](bool on, double period, double lo, double hi, double p, std::size_t axis) {
    if (!on || !std::isfinite(p)) return;
    r.first[axis] = static_cast<int>(std::ceil((p - hi - reach) / period));
    r.last[axis] = static_cast<int>(std::floor((p - lo + reach) / period));
  };
  const Vec2d period = periodic.box.hi - periodic.box.lo;
  along(periodic.x, period.x, box.lo.x, box.hi.x, u.x, 0);
  along(periodic.y, period.y, box.lo.y, box.hi.y, u.y, 1);
  return r;
}

namespace {

// The elements of one wall, in the world.
struct PlacedWall {
  std::vector<Edge> elements;
  std::vector<Box> boxes;
  Box box;  // around all of them
};

Box around(Vec2d p, Vec2d q) {
  return {{std::min(p.x, q.x), std::min(p.y, q.y)}, {std::max(p.x, q.x), std::max(p.y, q.y)}};
}

PlacedWall placed(const Wall& wall, const WallFeatures& features) {
  PlacedWall out;
  for (const Edge& e : features.elements) {
    out.elements.push_back({wall.pose * e.p, wall.pose * e.q, {}});
    const Box box = around(out.elements.back().p, out.elements.back().q);
    out.boxes.push_back(box);
    if (out.boxes.size() == 1) out.box = box;
    out.box = {{std::min(out.box.lo.x, box.lo.x), std::min(out.box.lo.y, box.lo.y)},
               {std::max(out.box.hi.x, box.hi.x), std::max(out.box.hi.y, box.hi.y)}};
  }
  return out;
}

// Elements of one image of a wall that are near the point p, given in that image's frame.
void add_near(const PlacedWall& wall, int index, std::array<int, 2> image, Vec2d p, double reach,
              std::vector<WallCandidates::Entry>& out) {
  const auto apart = [&](const Box& b) {
    return p.x < b.lo.x - reach || p.x > b.hi.x + reach || p.y < b.lo.y - reach || p.y > b.hi.y + reach;
  };
  if (apart(wall.box)) return;
  for (std::size_t e = 0; e < wall.elements.size(); ++e) {
    if (apart(wall.boxes[e]) || distance_to_segment(p, wall.elements[e].p, wall.elements[e].q) >= reach) continue;
    out.push_back({index, static_cast<std::uint32_t>(e), {image[0], image[1]}});
  }
}

// Whether body i is within `reach` of a wall that has no elements.
bool near_whole(const World& world, const Wall& wall, std::size_t i, double reach) {
  const Vec2d x = world.bodies.x[i];
  if (wall.kind == WallKind::half_plane) {
    const Vec2d n = Rotation2d(wall.pose.theta) * wall.normal;
    // Across a period such a wall is not the same: a grain may come near it by being wrapped.
    const bool crossed = (world.periodic.x && n.x != 0) || (world.periodic.y && n.y != 0);
    return crossed || dot(n, x - wall.pose.x) < reach;
  }
  if (wall.kind == WallKind::circle_inside) return norm(world.separation(x, wall.pose.x)) + reach > wall.radius;
  return wall.kind == WallKind::circle_outside && norm(world.separation(x, wall.pose.x)) < reach + wall.radius;
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
  const Vec2d period = world.periodic.box.hi - world.periodic.box.lo;
  std::vector<PlacedWall> walls;
  for (std::size_t w = 0; w < world.walls.size(); ++w) walls.push_back(placed(world.walls[w], features[w]));
  std::vector<std::vector<WallCandidates::Entry>> parts(chunk_count(n, default_chunk));
  out.first.assign(n + 1, 0);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t k) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = parts[k].size();
      const Vec2d u = world.unwrapped(i);
      for (std::size_t w = 0; w < walls.size() && world.bodies.kind[i] == BodyKind::moving; ++w) {
        const double radius = tables.radius(world.bodies.type[i]);
        if (walls[w].elements.empty()) {
          if (near_whole(world, world.walls[w], i, radius + skin)) parts[k].push_back({static_cast<int>(w), 0, {0, 0}});
          continue;
        }
        const double thickness = world.walls[w].kind == WallKind::polyline ? world.walls[w].radius : 0;
        const double reach = radius + thickness + skin;
        const ImageRange images = images_near(world.periodic, walls[w].box, u, reach);
        for (int iy = images.first[1]; iy <= images.last[1]; ++iy) {
          for (int ix = images.first[0]; ix <= images.last[0]; ++ix) {
            add_near(walls[w], static_cast<int>(w), {ix, iy}, u - Vec2d{ix * period.x, iy * period.y}, reach, parts[k]);
          }
        }
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
    const Pose2d& then = since.walls_at[w];
    const double shift = norm(wall.pose.x - then.x), turn = std::abs(wall.pose.theta - then.theta);
    const double arm = wall.kind == WallKind::half_plane ? since.farthest[w] + shift : features[w].extent;
    most = std::max(most, shift + turn * arm);
  }
  return most;
}

}  // namespace scree
