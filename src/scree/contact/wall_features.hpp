#pragma once
// What of a grain can touch a wall, and what of a wall is near a grain.
//
// A wall is much larger than a grain, so there is no map for the pair. Instead walls touch grains at points: convex
// corners of the grain against the wall's surface, and the wall's own corners and nodes against the grain's outline.
// Flat faces thus rest on two points, which also damps rocking. Discs are treated in closed form.
#include <array>
#include <cstdint>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/world/world.hpp"

namespace scree {

// A convex vertex of an outline, with the outward normals of the edges before and after it: the vertex can be nearest
// to a point only if that point lies in the cone between the two normals.
struct Corner {
  Vec2d p;
  Vec2d normal_before;
  Vec2d normal_after;
  bool on_hull = false;  // of the convex hull: the only ones that can touch a half-plane or a circle from inside
};

struct Edge {
  Vec2d p;
  Vec2d q;
  Vec2d normal;  // unit, outward
};

struct ShapeFeatures {
  bool is_disc = false;
  std::vector<Corner> corners;
  std::vector<Edge> edges;
  const Outline* outline = nullptr;
};

ShapeFeatures features_of(const Outline& outline, bool is_disc = false);

// True when `direction` lies in the normal cone of the corner. Half open, like the range 0 <= t < 1 of an edge, so that
// every direction belongs to one edge or to one corner.
inline bool in_cone(const Corner& c, Vec2d direction) {
  return cross(c.normal_before, direction) >= 0 && cross(direction, c.normal_after) > 0;
}

// True when the material of the corner is not between it and what lies in `direction`.
inline bool faces(const Corner& c, Vec2d direction) { return dot(c.normal_before + c.normal_after, direction) > 0; }

// Periodic images, as multiples of the period, of something in `box` that are within `reach` of the unwrapped point u.
// In a direction that is not periodic the only image is 0.
struct ImageRange {
  std::array<int, 2> first{0, 0};
  std::array<int, 2> last{0, 0};
};
ImageRange images_near(const Periodic& periodic, const Box& box, Vec2d u, double reach);

// Walls within reach of each moving grain, rebuilt with the Verlet list: elements of polylines (segments) and outlines
// (edges), other kinds as a whole.
struct WallCandidates {
  struct Entry {
    std::int32_t wall;
    std::uint32_t element;              // 0 where the wall is one thing
    std::array<std::int32_t, 2> image;  // of the wall, in the grain's unwrapped frame: outlives a wrap of the grain
  };
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
};

WallFeatures features_of(const Wall& wall, const Periodic& periodic = {});

void build_wall_candidates(const World& world, const TypeTables& tables, const std::vector<WallFeatures>& features,
                           double skin, ThreadPool& pool, WallCandidates& out);

// How far the surface of any wall has moved, where a grain may meet it, since the candidates were found.
double wall_moves(const World& world, const std::vector<WallFeatures>& features, const WallCandidates& since);

}  // namespace scree
