#include "scree/contact/wall_features.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

namespace {

Vec2d outward(Vec2d p, Vec2d q) {
  const Vec2d along = q - p;
  return (-1 / norm(along)) * perp(along);
}

// A corner can touch a half-plane when it is extreme in some direction of its own cone.
void mark_hull(ShapeFeatures& f) {
  constexpr int directions = 16;
  for (Corner& c : f.corners) {
    for (int k = 0; k <= directions && !c.on_hull; ++k) {
      const double w = static_cast<double>(k) / directions;
      const Vec2d n = (1 - w) * c.normal_before + w * c.normal_after;
      c.on_hull = std::all_of(f.corners.begin(), f.corners.end(),
                              [&](const Corner& o) { return dot(o.p, n) <= dot(c.p, n) + 1e-9; });
    }
  }
}

}  // namespace

ShapeFeatures features_of(const Outline& outline, bool is_disc) {
  ShapeFeatures f;
  f.is_disc = is_disc;
  f.outline = &outline;
  for (const Loop& loop : outline.loops) {
    const std::size_t n = loop.size();
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2d before = loop[(k + n - 1) % n];
      const Vec2d here = loop[k];
      const Vec2d after = loop[(k + 1) % n];
      f.edges.push_back({here, after, outward(here, after)});
      if (cross(here - before, after - here) > 0) {
        f.corners.push_back({here, outward(before, here), outward(here, after), false});
      }
    }
  }
  mark_hull(f);
  return f;
}

namespace {

void polyline_features(const Wall& wall, WallFeatures& f) {
  const std::size_t n = wall.points.size();
  const std::size_t segments = wall.closed ? n : n - 1;
  for (std::size_t k = 0; k < segments; ++k) f.elements.push_back({wall.points[k], wall.points[(k + 1) % n], {}});
  for (std::size_t k = 0; k < segments; ++k) {
    const bool open_end = !wall.closed && k + 1 == segments;
    const bool open_start = !wall.closed && k == 0;
    f.next.push_back(open_end ? no_body : static_cast<std::uint32_t>((k + 1) % segments));
    f.previous.push_back(open_start ? no_body : static_cast<std::uint32_t>((k + segments - 1) % segments));
  }
}

void outline_features(const Wall& wall, WallFeatures& f) {
  f.shape = features_of(wall.outline);
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

WallFeatures features_of(const Wall& wall) {
  WallFeatures f;
  if (wall.kind == WallKind::polyline) polyline_features(wall, f);
  if (wall.kind == WallKind::outline) outline_features(wall, f);
  for (const Edge& e : f.elements) f.extent = std::max({f.extent, norm(e.p), norm(e.q)});
  f.extent += wall.kind == WallKind::polyline ? wall.radius : 0;
  return f;
}

void build_wall_candidates(const World& world, const TypeTables& tables, const std::vector<WallFeatures>& features,
                           double skin, ThreadPool& pool, WallCandidates& out) {
  const std::size_t n = world.bodies.size();
  std::vector<std::vector<WallCandidates::Entry>> parts(chunk_count(n, default_chunk));
  out.first.assign(n + 1, 0);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t k) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = parts[k].size();
      for (std::size_t w = 0; w < world.walls.size() && world.bodies.kind[i] == BodyKind::moving; ++w) {
        const Wall& wall = world.walls[w];
        if (features[w].elements.empty()) continue;
        const double thickness = wall.kind == WallKind::polyline ? wall.radius : 0;
        const double reach = tables.radius(world.bodies.type[i]) + thickness + skin;
        const Vec2d centre = wall.pose.x + world.separation(wall.pose.x, world.bodies.x[i]);
        const Vec2d local = Rotation2d(wall.pose.theta).back(centre - wall.pose.x);
        for (std::size_t e = 0; e < features[w].elements.size(); ++e) {
          const Edge& edge = features[w].elements[e];
          if (distance_to_segment(local, edge.p, edge.q) < reach) {
            parts[k].push_back({static_cast<std::int32_t>(w), static_cast<std::uint32_t>(e)});
          }
        }
      }
      out.first[i + 1] = static_cast<std::uint32_t>(parts[k].size() - before);
    }
  });
  for (std::size_t i = 0; i < n; ++i) out.first[i + 1] += out.first[i];
  out.entries.clear();
  for (const auto& part : parts) out.entries.insert(out.entries.end(), part.begin(), part.end());
}

}  // namespace scree
