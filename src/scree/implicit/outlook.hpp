#pragma once
// What may meet before the next look around, and how long that holds.
//
// Of every body it is foreseen that it flies on as it does, x0 + v0 t + g t (t + h) / 2, and it may go astray from that
// by its room. Until the horizon T the gap of two bodies then shrinks by no more than |v_i - v_j| T and their rooms,
// the spins being counted at the rims; gravity moves both alike, unless one is held. Room is what a body may need: a
// share of the speed at which others may come upon it. So grains that fall together need no look at each other.
#include <cmath>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/contact/wall_contact.hpp"
#include "scree/implicit/solver_bodies.hpp"

namespace scree {

// The speed at which a body and another, or a wall, approach each other.
struct Meeting {
  double speed = 0;
  std::size_t body = 0;
};

class Outlook {
 public:
  // `radius`: of the smallest moving grain; `skin`: of the list at rest.
  Outlook(const TypeTables& tables, WallPhase& walls, double radius, double skin);

  void forget_lists() { stale_ = true; }  // bodies came, went, or were moved from outside
  // The fastest of those that bodies may have within `time` if they go on as they do. What would come farther than
  // `longest` in that time may be told too fast: it is then not known whether it meets anything.
  Meeting fastest_meeting(const World& world, const SolverBodies& bodies, double time, double longest,
                          ThreadPool& pool);
  // From now on, for at most `substeps` of length h; `first`: in a step.
  void look(const World& world, const SolverBodies& bodies, double h, int substeps, bool first, ThreadPool& pool);
  // A substep has gone by, in which walls moved by up to `walls`, length.
  void pass(double walls);
  // True when something out of view may be met in the next substep: by one of the bodies [begin, end); by any.
  bool astray(const SolverBodies& bodies, std::size_t begin, std::size_t end) const;
  bool over() const { return elapsed_ + h_ > horizon_ * (1 + 1e-9) || wall_way_ > wall_room_; }

  // By how much gaps may shrink until the horizon, length.
  double slack(std::size_t i, std::size_t j) const {
    return relative_speed(i, j) * horizon_ + room_[i] + room_[j] + (held_[i] || held_[j] ? fall_ : 0);
  }
  double wall_slack(std::size_t body) const { return wall_slack_[body]; }

  // Whether two bodies are surely farther apart than their slack lets them come, without a root: what fast grains far
  // away make long lists of, most pairs, is seen by this alone.
  bool out_of_reach(const World& world, std::size_t i, std::size_t j) const { return beyond(world, i, j, fall_); }

  // A pair of the list has been found apart, by at least `gap`. Then whether it is surely more than `slack` apart now.
  void found(std::size_t pair, std::size_t i, std::size_t j, double gap);
  bool clear(std::size_t pair, std::size_t i, std::size_t j, double slack) const {
    const Sight& s = sights_[pair];
    const double spare = s.gap - slack - rounding * radius_;
    if (spare <= 0) return false;
    const Vec2d x = moves_[j].x - moves_[i].x - Vec2d{s.x, s.y};
    return norm(x) + std::abs(moves_[i].rim - s.rim_i) + std::abs(moves_[j].rim - s.rim_j) < spare;
  }

  const PairList& list() const { return list_; }
  const WallCandidates& candidates() const { return candidates_; }
  const std::vector<Rotation2d>& rotations() const { return rotations_; }
  bool walls_rest() const { return wall_room_ == 0; }
  double wall_reach(std::size_t wall) const { return wall_reach_[wall]; }
  std::uint64_t rebuilds() const { return rebuilds_; }

 private:
  static constexpr double rounding = 1e-5;  // of sights, in radii
  struct Move {
    Vec2d x;
    double rim = 0;  // of the rim by turning
  };
  struct Sight {
    float gap;                 // < 0: never seen
    float x, y, rim_i, rim_j;  // how they had moved against each other since the list was built
  };
  // A body and how far from its centre it gets until the horizon; from the rooms on, with its room.
  struct alignas(32) Sweep {
    Vec2d x;
    double reach;
  };
  static Vec2d velocity(const SolverBody& s) { return {s.v[0], s.v[1]}; }
  double relative_speed(std::size_t i, std::size_t j) const {
    return norm(velocity(begin_[i]) - velocity(begin_[j])) + rim_[i] + rim_[j];
  }
  bool beyond(const World& world, std::size_t i, std::size_t j, double more) const {
    const Sweep &a = sweeps_[i], &b = sweeps_[j];
    const double within = a.reach + b.reach + more;
    return norm2(world.separation(a.x, b.x)) > within * within * (1 + 1e-9);
  }
  double room_time() const;
  void observe(const World& world, const SolverBodies& bodies, ThreadPool& pool);
  double find_moves(const World& world, ThreadPool& pool);
  double find_wall_speed(const World& world);
  void refresh_lists(const World& world, double wide, double widest, ThreadPool& pool);
  void find_rooms(const World& world, const SolverBodies& bodies, ThreadPool& pool);

  const TypeTables& tables_;
  WallPhase& walls_;
  double radius_, skin_;
  PairList list_;
  WallCandidates candidates_;
  std::vector<Rotation2d> rotations_;
  std::vector<SolverBody> begin_;   // bodies as they were at the look
  std::vector<double> rim_;         // speed of a body's rim against its centre
  std::vector<std::uint8_t> held_;  // does not fall
  std::vector<Sweep> sweeps_;
  std::vector<double> upon_;  // the largest speed at which others may come upon a body
  std::vector<double> room_, wall_slack_, wall_reach_;
  std::vector<Move> moves_;    // of bodies since the list was built
  std::vector<Sight> sights_;  // by pair
  Vec2d gravity_;
  double h_ = 0, horizon_ = 0, elapsed_ = 0;
  double fall_ = 0;  // by gravity until the horizon
  double wall_room_ = 0, wall_way_ = 0;
  bool stale_ = true;
  std::uint64_t rebuilds_ = 0;
};

// The farthest point of any grain from the origin of a wall.
double reach_from(const Wall& wall, const World& world, const TypeTables& tables);

// Nothing approaches anything faster than this: the velocities of centres lie in a box that holds 0 too, at which walls
// and fixed bodies rest. `body`: the fastest.
Meeting fastest_approach(const World& world, const SolverBodies& bodies, const TypeTables& tables, ThreadPool& pool);

}  // namespace scree
