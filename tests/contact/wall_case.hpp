#pragma once
// One grain and some walls: contacts as the engine finds them, and a slow reference that samples the boundaries.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact_world.hpp"
#include "scree/contact/wall_contact.hpp"

namespace scree::testing {

// Signed distance of p to the solid of a wall, negative inside.
inline double wall_distance(const Wall& wall, Vec2d p) {
  const Vec2d local = Rotation2d(wall.pose.theta).back(p - wall.pose.x);
  switch (wall.kind) {
    case WallKind::half_plane:
      return dot(wall.normal, local);
    case WallKind::circle_inside:
      return wall.radius - norm(local);
    case WallKind::circle_outside:
      return norm(local) - wall.radius;
    case WallKind::outline:
      return nearest_boundary(wall.outline, local).distance;
    case WallKind::polyline:
      break;
  }
  double nearest = std::numeric_limits<double>::max();
  const std::size_t n = wall.points.size();
  for (std::size_t k = 0; k + (wall.closed ? 0 : 1) < n; ++k) {
    const Vec2d a = wall.points[k];
    const Vec2d along = wall.points[(k + 1) % n] - a;
    const double t = std::clamp(dot(local - a, along) / norm2(along), 0.0, 1.0);
    nearest = std::min(nearest, norm(local - a - t * along));
  }
  return nearest - wall.radius;
}

inline std::vector<Vec2d> sampled(const Loop& loop, double spacing) {
  std::vector<Vec2d> out;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec2d a = loop[k];
    const Vec2d b = loop[(k + 1) % loop.size()];
    const int n = std::max(1, static_cast<int>(std::ceil(norm(b - a) / spacing)));
    for (int i = 0; i < n; ++i) out.push_back(a + (static_cast<double>(i) / n) * (b - a));
  }
  return out;
}

class WallCase {
 public:
  World world;

  WallCase(const std::string& shape, double radius, std::vector<Wall> walls, const Periodic& periodic = {}) : pool_(1) {
    const int type = add_type(world, shape, radius);
    world.walls = std::move(walls);
    world.periodic = periodic;
    world.add_body(type, 0, BodyKind::moving, {}, 0);
    tables_ = std::make_unique<TypeTables>(world);
    phase_ = std::make_unique<WallPhase>(world);
    for (const Loop& loop : this->shape().outline.loops) {
      for (const Vec2d p : sampled(loop, 4e-3)) boundary_.push_back(p);
    }
  }

  const Shape& shape() const { return *world.shapes[0]; }
  double radius() const { return world.types[0].radius; }

  // Contacts of the grain at this pose; springs of the last call are carried over.
  const std::vector<Contact>& contacts(Vec2d x, double theta) {
    world.bodies.x[0] = x;
    world.bodies.image[0] = {0, 0};
    world.wrap(0);
    world.bodies.theta[0] = theta;
    build_wall_candidates(world, *tables_, phase_->wall_features(), 0.1, pool_, candidates_);
    return contacts_of_list();
  }
  // The same with the candidates of the last call.
  const std::vector<Contact>& contacts_of_list() {
    std::vector<Contact> found;
    std::vector<RememberedContact> old;
    for (const Contact& c : world.contacts) old.push_back(remembered(c));
    const auto no_law = [](std::size_t, std::span<Contact>) {};
    phase_->run(world, *tables_, find_rotations(world), candidates_, old, pool_, no_law, found);
    world.contacts = std::move(found);
    return world.contacts;
  }

  // Deepest overlap of the grain's boundary in the wall and of the wall's vertices in the grain; positive: the gap.
  double reference(Vec2d x, double theta, double coarse_beyond = 0.1) const {
    const Wall& wall = world.walls[0];
    const Rotation2d turn(theta);
    const double r = radius();
    double gap = std::numeric_limits<double>::max();
    const auto visit = [&](std::size_t first, std::size_t step) {
      for (std::size_t k = first; k < boundary_.size(); k += step) {
        gap = std::min(gap, wall_distance(wall, x + turn * (r * boundary_[k])));
      }
    };
    if (wall.kind == WallKind::circle_outside) {
      const Vec2d local = (1 / r) * turn.back(wall.pose.x - x);
      return r * nearest_boundary(shape().outline, local).distance - wall.radius;
    }
    visit(0, 16);
    if (std::abs(gap) > coarse_beyond) return gap;
    visit(0, 1);
    for (const Loop& loop : wall.outline.loops) {
      for (const Vec2d v : loop) {
        const Vec2d local = (1 / r) * turn.back(wall.pose * v - x);
        gap = std::min(gap, r * nearest_boundary(shape().outline, local).distance);
      }
    }
    return gap;
  }

 private:
  ThreadPool pool_;
  std::unique_ptr<TypeTables> tables_;
  std::unique_ptr<WallPhase> phase_;
  WallCandidates candidates_;
  std::vector<Vec2d> boundary_;  // of the grain, unit radius
};

inline double deepest(const std::vector<Contact>& contacts) {
  double gap = 0;
  for (const Contact& c : contacts) gap = std::min(gap, c.gap);
  return gap;
}

inline Wall half_plane_wall(Vec2d point, Vec2d normal) {
  Wall w;
  w.normal = (1 / norm(normal)) * normal;
  w.pose.x = point;
  return w;
}

inline Wall circle_wall(WallKind kind, Vec2d centre, double radius) {
  Wall w;
  w.kind = kind;
  w.radius = radius;
  w.pose.x = centre;
  return w;
}

inline Wall chain_wall(std::vector<Vec2d> points, double half_thickness, bool closed = false) {
  Wall w;
  w.kind = WallKind::polyline;
  w.points = std::move(points);
  w.radius = half_thickness;
  w.closed = closed;
  return w;
}

inline Wall outline_wall(std::vector<Loop> loops) {
  Wall w;
  w.kind = WallKind::outline;
  w.outline.loops = std::move(loops);
  return w;
}

}  // namespace scree::testing
