#pragma once
// A chain whose links are held together by their shape alone, in tests.
#include "large_steps.hpp"

namespace scree::testing {

struct ChainLink {
  static constexpr double ball = 0.22, clearance = 0.05, lip = 0.04, opening = 95;  // degrees

  // Ball and socket farther apart than this are out of each other: the ball is between the lips.
  static double mouth() { return (ball + clearance + lip) * std::cos(opening * std::numbers::pi / 360); }
};

enum class Drop { lying, standing };

inline World chain(Drop drop, int links) {
  Worlds w(rough(0.4, 0.2));
  const int link = w.type(make_named_shape("chain-link", {{"length", 1},
                                                          {"ball", ChainLink::ball},
                                                          {"clearance", ChainLink::clearance},
                                                          {"wall", 2 * ChainLink::lip},
                                                          {"neck", 0.08},
                                                          {"opening", ChainLink::opening}}));
  const double height = 50 * w.world.types[0].radius, pitch = 1.07;
  for (int k = 0; k < links; ++k) {
    const double along = pitch * (links - 1 - k);
    if (drop == Drop::lying) w.body(link, {along, height});
    if (drop == Drop::standing) w.body(link, {0, height + along}, std::numbers::pi / 2);
  }
  w.half_plane({0, 0}, {0, 1});
  w.world.gravity.value = {0, -9.81};
  MapSettings table = map_kind("table");
  table.nodes = 160;
  w.maps(table, one_thread());
  return w.world;
}

// How far balls come from the centres of their sockets.
class Joints {
 public:
  explicit Joints(const World& world) {
    double right = 0;
    for (const Vec2d p : world.shapes[0]->outline.loops.front()) right = std::max(right, p.x);
    ball_at_ = right * world.types[0].radius - ChainLink::ball;
  }

  void look(const World& world) {
    for (std::size_t k = 0; k + 1 < world.bodies.size(); ++k)
      widest = std::max(widest, norm(place(world, k + 1, ball_at_) - place(world, k, ball_at_ - 1)));
  }

  double widest = 0;

 private:
  static Vec2d place(const World& world, std::size_t k, double x) {
    return world.bodies.x[k] + Rotation2d(world.bodies.theta[k]) * Vec2d{x, 0};
  }
  double ball_at_;
};

inline void expect_whole(const Joints& joints, const World& world) {
  EXPECT_LT(joints.widest, ChainLink::mouth());
  double highest = 0;
  for (const Vec2d x : world.bodies.x) highest = std::max(highest, x.y);
  EXPECT_LT(highest, 40 * world.types[0].radius);  // it fell
}

}  // namespace scree::testing
