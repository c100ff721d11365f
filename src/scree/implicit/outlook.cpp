#include "scree/implicit/outlook.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "scree/contact/rotations.hpp"
#include "scree/implicit/pace_kernel.hpp"

namespace scree {

namespace {

struct Spread {
  Vec2d low, high;  // holds 0
  void take(Vec2d v) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y)};
  }
  void take(const Spread& other) {
    take(other.low);
    take(other.high);
  }
  double diagonal() const { return norm(high - low); }
  // The largest difference to one of the others.
  double farthest(const Spread& other) const {
    return norm(Vec2d{std::max(high.x - other.low.x, other.high.x - low.x),
                      std::max(high.y - other.low.y, other.high.y - low.y)});
  }
};

// Velocities of bodies, and of their rims against their centres.
struct Motions {
  Spread spread;
  double rim = 0;
  void take(const Motions& other) {
    spread.take(other.spread);
    rim = std::max(rim, other.rim);
  }
};

void raise(double& value, double to) {
  std::atomic_ref<double> now(value);
  double seen = now.load(std::memory_order_relaxed);
  while (seen < to && !now.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {}
}

}  // namespace

double reach_from(const Wall& wall, const World& world, const TypeTables& tables) {
  const Bodies& b = world.bodies;
  double reach = 0;
  for (std::size_t k = 0; k < b.size(); ++k)
    reach = std::max(reach, norm(b.x[k] - wall.pose.x) + tables.radius(b.type[k]));
  return reach;
}

Meeting fastest_approach(const World& world, const SolverBodies& bodies, const TypeTables& tables, ThreadPool& pool) {
  struct Part {
    Motions free, driven;  // driven bodies do not meet each other
    Meeting fastest;
  };
  std::vector<Part> parts(chunk_count(world.bodies.size(), default_chunk));
  for_chunks(pool, world.bodies.size(), [&](std::size_t begin, std::size_t end, std::size_t c) {
    Part own;
    for (std::size_t k = begin; k < end; ++k) {
      const Vec2d v{bodies.of[k].v[0], bodies.of[k].v[1]};
      const double of_rim = bodies.rim_speed(k), speed = norm(v) + of_rim;
      Motions& kind = bodies.moves[k] ? own.free : own.driven;
      kind.spread.take(v);
      kind.rim = std::max(kind.rim, of_rim);
      if (speed > own.fastest.speed) own.fastest = {speed, k};
    }
    parts[c] = own;
  });
  Motions free, driven;
  Meeting fastest;
  for (const Part& part : parts) {
    free.take(part.free);
    driven.take(part.driven);
    if (part.fastest.speed > fastest.speed) fastest = part.fastest;
  }
  for (const Wall& wall : world.walls) {
    driven.spread.take(wall.velocity);
    if (wall.omega != 0) driven.rim = std::max(driven.rim, std::abs(wall.omega) * reach_from(wall, world, tables));
  }
  return {std::max(free.spread.diagonal() + free.rim, free.spread.farthest(driven.spread) + driven.rim) + free.rim,
          fastest.body};
}

Outlook::Outlook(const TypeTables& tables, WallPhase& walls, double radius, double skin)
    : tables_(tables), walls_(walls), radius_(radius), skin_(skin) {}

// Bodies and walls as they are now.
void Outlook::observe(const World& world, const SolverBodies& bodies, ThreadPool& pool) {
  const std::size_t n = world.bodies.size();
  gravity_ = world.gravity.at(world.time);
  begin_.resize(n);
  rim_.resize(n);
  held_.resize(n);
  rotations_.resize(n);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k)
      begin_[k] = bodies.of[k], rim_[k] = bodies.rim_speed(k), held_[k] = !bodies.moves[k];
    find_rotations(world, begin, end, rotations_);
  });
  walls_.place_walls(world);
}

Meeting Outlook::fastest_meeting(const World& world, const SolverBodies& bodies, double time, double longest,
                                 ThreadPool& pool) {
  const Meeting any = fastest_approach(world, bodies, tables_, pool);
  observe(world, bodies, pool);
  const double fall = norm(gravity_) * time * time;
  if (any.speed * time > 2 * longest) return any;
  refresh_lists(world, any.speed * time + fall, std::numeric_limits<double>::max(), pool);
  const double wall_speed = find_wall_speed(world);
  const Bodies& b = world.bodies;
  std::vector<Meeting> parts(chunk_count(b.size(), default_chunk));
  for_chunks(pool, b.size(), [&](std::size_t begin, std::size_t end, std::size_t c) {
    Meeting& fastest = parts[c];
    std::vector<Contact> touched;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t p = list_.first[i]; p < list_.first[i + 1]; ++p) {
        const std::size_t j = list_.j[p];
        const double speed = relative_speed(i, j);
        if (speed <= fastest.speed) continue;
        const double way = speed * time + (held_[i] || held_[j] ? fall : 0);
        if (norm(world.separation(b.x[i], b.x[j])) - tables_.pair(b.type[i], b.type[j]).reach > way) continue;
        fastest = {speed, held_[i] ? j : i};
      }
      const double speed = norm(velocity(begin_[i])) + rim_[i] + wall_speed;
      if (speed <= fastest.speed) continue;
      touched.clear();
      walls_.touch(world, tables_, i, rotations_[i], candidates_, speed * time + fall, touched);
      if (!touched.empty()) fastest = {speed, i};
    }
  });
  Meeting fastest;
  for (const Meeting& m : parts) {
    if (m.speed > fastest.speed) fastest = m;
  }
  return fastest;
}

void Outlook::look(const World& world, const SolverBodies& bodies, double h, int substeps, bool first,
                   ThreadPool& pool) {
  observe(world, bodies, pool);
  h_ = h;
  elapsed_ = 0;
  const double approach = fastest_approach(world, bodies, tables_, pool).speed;
  const double most = std::floor(large_step::farthest * radius_ / std::max(approach * h, 1e-300));
  horizon_ = h * std::clamp(most, 1.0, static_cast<double>(substeps));
  fall_ = 0.5 * norm(gravity_) * horizon_ * (horizon_ + h);
  wall_way_ = 0;
  wall_room_ = 2 * find_wall_speed(world) * horizon_;  // walls that go on as they do use up half of it
  // What slacks can be at most: pairs out of the list, and walls out of the candidates, are then out of view.
  const double wide = approach * (horizon_ + 2 * room_time()) + 2 * large_step::margin * radius_ + fall_ + wall_room_;
  // Towards the end of a step the list serves as it is.
  const double widest = first ? 3 * std::max(wide, skin_) : std::numeric_limits<double>::max();
  refresh_lists(world, std::max(wide, skin_), widest, pool);
  find_rooms(world, bodies, pool);
}

// A body that is hit goes astray for a substep before that is seen.
double Outlook::room_time() const { return std::max(room_share * horizon_, h_); }

// Of the fastest point of any wall that a grain could touch.
double Outlook::find_wall_speed(const World& world) {
  wall_reach_.assign(world.walls.size(), 0);
  double fastest = 0;
  for (std::size_t w = 0; w < world.walls.size(); ++w) {
    const Wall& wall = world.walls[w];
    if (wall.omega != 0) wall_reach_[w] = reach_from(wall, world, tables_);
    fastest = std::max(fastest, norm(wall.velocity) + std::abs(wall.omega) * wall_reach_[w]);
  }
  return fastest;
}

// Moves since the list was built. Returns by how much any two bodies can have come closer.
double Outlook::find_moves(const World& world, ThreadPool& pool) {
  const Bodies& b = world.bodies;
  moves_.resize(b.size());
  std::vector<Spread> parts(chunk_count(b.size(), default_chunk));
  for_chunks(pool, b.size(), [&](std::size_t begin, std::size_t end, std::size_t c) {
    Spread own;
    for (std::size_t k = begin; k < end; ++k) {
      moves_[k] = {world.separation(list_.built_at[k], b.x[k]),
                   tables_.radius(b.type[k]) * (b.theta[k] - list_.built_theta[k])};
      own.take(moves_[k].x);
    }
    parts[c] = own;
  });
  Spread spread;
  for (const Spread& part : parts) spread.take(part);
  return spread.diagonal();
}

// `widest`: a list with a larger skin has too many pairs.
void Outlook::refresh_lists(const World& world, double wide, double widest, ThreadPool& pool) {
  stale_ = stale_ || list_.built_at.size() != world.bodies.size() || list_.skin > widest;
  if (!stale_) {
    const double closer = find_moves(world, pool) + wall_moves(world, walls_.wall_features(), candidates_);
    stale_ = closer + wide > list_.skin;
  }
  if (!stale_) return;
  build_pair_list(world, tables_, list_margin * wide, pool, list_);
  build_wall_candidates(world, tables_, walls_.wall_features(), list_margin * wide, pool, candidates_);
  moves_.assign(world.bodies.size(), {});
  sights_.assign(list_.size(), {-1, 0, 0, 0, 0});
  stale_ = false;
  ++rebuilds_;
}

void Outlook::find_rooms(const World& world, const SolverBodies& bodies, ThreadPool& pool) {
  const Bodies& b = world.bodies;
  const std::size_t n = b.size();
  const double close = 2 * large_step::margin * radius_;
  upon_.assign(n, 0);
  wall_slack_.resize(n);
  sweeps_.resize(n);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k)
      sweeps_[k] = {b.x[k], tables_.radius(b.type[k]) + (norm(velocity(begin_[k])) + rim_[k]) * horizon_};
  });
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<Contact> touched;
    for (std::size_t i = begin; i < end; ++i) {
      double own = 0;
      for (std::size_t p = list_.first[i]; p < list_.first[i + 1]; ++p) {
        const std::size_t j = list_.j[p];
        if (beyond(world, i, j, close) || (bodies.rests(i) && bodies.rests(j))) continue;
        const double speed = relative_speed(i, j);
        const double near = tables_.pair(b.type[i], b.type[j]).reach + close + speed * horizon_;
        if (norm2(world.separation(b.x[i], b.x[j])) > near * near) continue;
        own = std::max(own, speed);
        raise(upon_[j], speed);
      }
      const double speed = norm(velocity(begin_[i])) + rim_[i];
      wall_slack_[i] = speed * horizon_ + fall_ + wall_room_;
      if (!(bodies.rests(i) && walls_rest())) {
        touched.clear();
        walls_.touch(world, tables_, i, rotations_[i], candidates_, wall_slack_[i] + close, touched);
        if (!touched.empty()) own = std::max(own, speed + wall_room_ / horizon_);
      }
      raise(upon_[i], own);
    }
  });
  room_.resize(n);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      room_[k] = large_step::margin * radius_ + upon_[k] * room_time();
      wall_slack_[k] += room_[k];
      sweeps_[k].reach += room_[k];
    }
  });
}

void Outlook::pass(double walls) {
  elapsed_ += h_;
  wall_way_ += walls;
}

bool Outlook::astray(const SolverBodies& bodies, std::size_t begin, std::size_t end) const {
  const double next = elapsed_ + h_, steps = next / h_;
  // Where the next substep leads to if nothing hinders it, less what was foreseen.
  const Vec2d fallen = (h_ - 0.5 * steps * (steps + 1) * h_) * (h_ * gravity_);
  for (std::size_t k = begin; k < end; ++k) {
    const SolverBody &then = begin_[k], &now = bodies.of[k];
    const double turn = now.moved[2] - then.moved[2] + h_ * now.v[2] - next * then.v[2];
    const double left = room_[k] - bodies.radius[k] * std::abs(turn);
    const Vec2d x{now.moved[0] - then.moved[0] + h_ * now.v[0] - next * then.v[0],
                  now.moved[1] - then.moved[1] + h_ * now.v[1] - next * then.v[1]};
    if (left < 0 || norm2(held_[k] ? x : x + fallen) > left * left) return true;
  }
  return false;
}

void Outlook::found(std::size_t pair, std::size_t i, std::size_t j, double gap) {
  const Vec2d x = moves_[j].x - moves_[i].x;
  sights_[pair] = {static_cast<float>(gap), static_cast<float>(x.x), static_cast<float>(x.y),
                   static_cast<float>(moves_[i].rim), static_cast<float>(moves_[j].rim)};
}

}  // namespace scree
