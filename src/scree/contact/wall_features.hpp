#pragma once
// What of a grain can touch a wall, and what of a wall is near a grain.
//
// A wall is much larger than a grain, so there is no map for the pair. Instead walls touch grains at points: convex
// corners of the grain against the wall's surface, and the wall's own corners and nodes against the grain's outline.
// Flat faces thus rest on two points, which also damps rocking. Discs are treated in closed form.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/contact/wall_view.hpp"
#include "scree/world/world.hpp"

namespace scree {

struct ShapeFeatures {
  bool is_disc = false;
  std::vector<Corner> corners;
  std::vector<Edge> edges;

  ShapeView view() const {
    return {is_disc, corners.data(), static_cast<int>(corners.size()), edges.data(), static_cast<int>(edges.size())};
  }
};

ShapeFeatures features_of(const Outline& outline, bool is_disc = false);

// Walls within reach of each moving grain, rebuilt with the Verlet list: elements of polylines (segments) and outlines
// (edges), other kinds as a whole.
struct WallCandidates {
  using Entry = NearWall;
  std::vector<std::uint32_t> first;  // bodies + 1
  std::vector<Entry> entries;        // by body, then wall, image, element
  std::vector<Pose2d> walls_at;      // poses of the walls when this was built
  std::vector<double> farthest;      // by wall: bound on the distance of any moving grain from its origin, then
};

// Walls by index: their features in the wall's frame. An open polyline whose ends are one period apart goes on in its
// next image: it has no ends.
struct WallFeatures {
  std::vector<Edge> elements;           // polyline segments (normal unused) or outline edges
  ShapeFeatures shape;                  // outline walls: corners and edges
  std::vector<std::int32_t> corner_at;  // outline walls: corner index at the start of each edge, or -1 when reflex
  std::vector<std::uint32_t> next;      // element that starts where this one ends, or no_body at an open end
  std::vector<std::uint32_t> previous;
  double extent = 0;  // largest distance of a point from the wall's origin

  // Of the wall these are of. Valid as long as these are.
  WallView view(const Wall& wall) const;
};

WallFeatures features_of(const Wall& wall, const Periodic& periodic = {});

// What the overlap of a grain with a wall is measured by: w, or half the thickness of a thin wall, since a corner is
// lost to the wall when it crosses the middle, so that no overlap is ever larger. A disc is lost when its centre does.
inline double wall_overlap_limit(const GrainType& type, bool is_disc, const Wall& wall) {
  const bool thin = wall.kind == WallKind::polyline && !is_disc;
  return thin ? std::min(type.thinnest, wall.radius) : type.thinnest;
}

void build_wall_candidates(const World& world, const TypeTables& tables, const std::vector<WallFeatures>& features,
                           double skin, ThreadPool& pool, WallCandidates& out);

// How far the surface of any wall has moved, where a grain may meet it, since the candidates were found.
double wall_moves(const World& world, const std::vector<WallFeatures>& features, const WallCandidates& since);

}  // namespace scree
