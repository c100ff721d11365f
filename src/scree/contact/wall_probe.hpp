#pragma once
// One grain against all walls: which of its points touch. See wall_features.hpp for the idea.
#include <span>
#include <vector>

#include "scree/contact/wall_features.hpp"
#include "scree/world/world.hpp"

namespace scree {

class WallProbe {
 public:
  // `turns`: rotations of the walls now. Gaps up to `margin` count as contacts.
  WallProbe(const World& world, const std::vector<WallFeatures>& walls, const std::vector<Rotation2d>& turns,
            const ShapeFeatures& shape, double radius, Rotation2d rotation, std::size_t body, double margin)
      : world_(world),
        walls_(walls),
        turns_(turns),
        shape_(shape),
        radius_(radius),
        body_(body),
        margin_(margin),
        x_(world.bodies.x[body]),
        rotation_(rotation) {}

  // Appends the contacts, ordered by wall and, within a wall, as found.
  void touch_walls(std::span<const WallCandidates::Entry> near, std::vector<Contact>& out) const;

 private:
  using Near = std::span<const WallCandidates::Entry>;
  using Contacts = std::vector<Contact>;

  // A wall in one of its periodic images.
  struct Here {
    int index = 0;
    const Wall* wall = nullptr;
    const WallFeatures* features = nullptr;
    Rotation2d turn;
    Vec2d shift;
    Vec2d point(Vec2d local) const { return turn * local + wall->pose.x + shift; }
    Vec2d turned(Vec2d local) const { return turn * local; }
  };

  void half_plane(const Here& at, Contacts& out) const;
  void circle_inside(Here at, Contacts& out) const;
  void circle_outside(Here at, Contacts& out) const;
  void polyline(Here at, Near near, Contacts& out) const;
  void outline(Here at, Near near, Contacts& out) const;

  void disc_on_segment(const Here& at, std::uint32_t element, Contacts& out) const;
  void corners_on_segment(const Here& at, std::uint32_t element, Contacts& out) const;
  void corners_in_outline(Here at, Near near, Contacts& out) const;
  void wall_corner_in_grain(const Here& at, std::uint32_t element, Contacts& out) const;
  void disc_on_outline(const Here& at, std::uint32_t element, Contacts& out) const;

  // The grain against a round point of the wall (world position w, radius r): all local minima of the distance.
  // `admits(direction, slack)` says whether the wall is nearest at w in that direction, give or take slack.
  template <class Admits>
  void round_point(const Here& at, std::uint32_t id, Vec2d w, double r, Admits admits, Contacts& out) const;
  template <class Touch>
  void outline_minima(Vec2d w, double r, std::uint32_t id, Touch touch) const;

  void add(const Here& at, std::uint32_t feature, double gap, Vec2d normal, Vec2d point, Contacts& out) const;
  Vec2d to_world(Vec2d local) const { return x_ + rotation_ * (radius_ * local); }
  Vec2d to_unit(Vec2d point) const { return (1 / radius_) * rotation_.back(point - x_); }
  // Where the image of a wall is that a candidate names.
  Vec2d shift_of(std::array<std::int32_t, 2> image) const;

  const World& world_;
  const std::vector<WallFeatures>& walls_;
  const std::vector<Rotation2d>& turns_;
  const ShapeFeatures& shape_;
  double radius_;
  std::size_t body_;
  double margin_;
  Vec2d x_;
  Rotation2d rotation_;
};

}  // namespace scree
