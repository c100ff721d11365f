#pragma once
// One grain against all walls: which of its points touch. See wall_features.hpp for the idea.
#include <span>
#include <vector>

#include "scree/contact/wall_features.hpp"
#include "scree/world/world.hpp"

namespace scree {

class WallProbe {
 public:
  WallProbe(const World& world, const std::vector<WallFeatures>& walls, const ShapeFeatures& shape, double radius,
            std::size_t body);

  // Appends the contacts, ordered by wall and, within a wall, by feature found.
  void touch_walls(std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const;

 private:
  void half_plane(int index, std::vector<Contact>& out) const;
  void circle_inside(int index, std::vector<Contact>& out) const;
  void circle_outside(int index, std::vector<Contact>& out) const;
  void polyline(int index, std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const;
  void outline(int index, std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const;

  void corners_on_segment(int index, std::uint32_t element, std::vector<Contact>& out) const;
  void disc_on_segment(int index, std::uint32_t element, std::vector<Contact>& out) const;
  // The grain's outline against a round point of the wall (world position w, radius r): all local minima of the
  // distance. `admits(direction from w)` says whether the wall is nearest at w in that direction.
  template <class Admits>
  void round_point(int index, std::uint32_t id, Vec2d w, double r, Admits admits, std::vector<Contact>& out) const;
  void corners_in_outline(int index, std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const;
  void disc_on_outline(int index, std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const;

  void add(int index, std::uint32_t feature, double gap, Vec2d normal, Vec2d point, std::vector<Contact>& out) const;
  Vec2d to_world(Vec2d local) const { return x_ + rotation_ * (radius_ * local); }
  // A point of a wall, in the periodic image nearest to the grain.
  Vec2d wall_point(const Wall& wall, Vec2d local) const;

  const World& world_;
  const std::vector<WallFeatures>& walls_;
  const ShapeFeatures& shape_;
  double radius_;
  std::size_t body_;
  Vec2d x_;
  Rotation2d rotation_;
};

}  // namespace scree
