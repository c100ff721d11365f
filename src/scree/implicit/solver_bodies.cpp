#include "scree/implicit/solver_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

namespace {

void set_velocity(Vec2d v, double omega, SolverBody& s) {
  s.v[0] = static_cast<float>(v.x), s.v[1] = static_cast<float>(v.y), s.v[2] = static_cast<float>(omega);
}

BodyVelocity velocity_of(const SolverBody& s) { return {{s.v[0], s.v[1], s.v[2]}}; }

void move(Vec2d dx, double turn, SolverBody& s) {
  s.moved[0] += static_cast<float>(dx.x);
  s.moved[1] += static_cast<float>(dx.y);
  s.moved[2] += static_cast<float>(turn);
}

}  // namespace

double SolverBodies::speed(std::size_t k) const { return std::hypot(of[k].v[0], of[k].v[1]) + rim_speed(k); }

bool SolverBodies::anything_driven() const {
  for (std::size_t k = grains; k < nobody(); ++k)
    if (!rests(k)) return true;
  return std::ranges::any_of(driven, [&](std::uint32_t k) { return !rests(k); });
}

void SolverBodies::start(const World& world, const TypeTables& tables, double reach, double near_by, ThreadPool& pool) {
  const Bodies& b = world.bodies;
  const std::size_t n = b.size(), walls = world.walls.size();
  grains = n;
  of.assign(n + walls + 1, {});
  moves.assign(of.size(), 0);
  strayed.assign(of.size(), 0);
  hit.assign(n, 0);
  kicks = {};
  near = near_by;
  radius.assign(of.size(), reach);
  driven_at.resize(n + walls);
  inertia.resize(n);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      moves[k] = b.kind[k] == BodyKind::moving;
      radius[k] = tables.radius(b.type[k]);
      const GrainType& type = world.types[b.type[k]];
      inertia[k] = {static_cast<float>(type.mass), static_cast<float>(type.inertia)};
      set_velocity(b.v[k], b.omega[k], of[k]);
      driven_at[k] = {b.theta[k], b.x[k]};
    }
  });
  driven.clear();
  for (std::size_t k = 0; k < n; ++k)
    if (b.kind[k] == BodyKind::kinematic) driven.push_back(static_cast<std::uint32_t>(k));
  for (std::size_t w = 0; w < walls; ++w) {
    set_velocity(world.walls[w].velocity, world.walls[w].omega, of[n + w]);
    driven_at[n + w] = world.walls[w].pose;
  }
  kicked.resize(of.size());
  for (std::size_t k = 0; k < of.size(); ++k) kicked[k] = velocity_of(of[k]);
}

// Before what it had without contacts is forgotten.
void SolverBodies::note_hit(std::size_t k) {
  const float *now = of[k].v, *then = kicked[k].v;
  hit[k] |= now[0] != then[0] || now[1] != then[1] || now[2] != then[2];
}

double SolverBodies::kinetic_energy(std::size_t begin, std::size_t end) const {
  double twice = 0;
  for (std::size_t k = begin; k < end; ++k) {
    if (!moves[k]) continue;
    const float* v = of[k].v;
    twice += inertia[k].mass * (v[0] * v[0] + v[1] * v[1]) + inertia[k].spin * v[2] * v[2];
  }
  return 0.5 * twice;
}

void SolverBodies::keep_velocities(ThreadPool& pool) {
  for_chunks(pool, grains, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      note_hit(k);
      kicked[k] = velocity_of(of[k]);
    }
  });
}

KineticGain SolverBodies::gain(ThreadPool& pool) const {
  std::vector<KineticGain> parts(chunk_count(grains, default_chunk));
  for_chunks(pool, grains, [&](std::size_t begin, std::size_t end, std::size_t part) {
    for (std::size_t k = begin; k < end; ++k) {
      for (int n = 0; moves[k] && n < 3; ++n) {
        const double mass = n < 2 ? inertia[k].mass : inertia[k].spin, by = of[k].v[n] - kicked[k].v[n];
        parts[part].merge({mass * kicked[k].v[n] * by, 0.5 * mass * by * by});
      }
    }
  });
  KineticGain sum;
  for (const KineticGain& part : parts) sum.merge(part);
  return sum;
}

void SolverBodies::blend_velocities(double share, ThreadPool& pool) {
  const auto f = static_cast<float>(share);
  for_chunks(pool, grains, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k)
      for (int n = 0; moves[k] && n < 3; ++n) of[k].v[n] = kicked[k].v[n] + f * (of[k].v[n] - kicked[k].v[n]);
  });
}

void SolverBodies::kick(Vec2d dv, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    if (!moves[k]) continue;
    note_hit(k);
    of[k].v[0] += static_cast<float>(dv.x);
    of[k].v[1] += static_cast<float>(dv.y);
    kicked[k] = velocity_of(of[k]);
  }
}

bool SolverBodies::drift(World& world, double h, std::size_t begin, std::size_t end) {
  Bodies& b = world.bodies;
  bool any = false;
  for (std::size_t k = begin; k < end; ++k) {
    if (!moves[k]) continue;
    SolverBody& s = of[k];
    const Vec2d dx{h * s.v[0], h * s.v[1]};
    const double turn = h * s.v[2];
    b.x[k] += dx;
    b.theta[k] += turn;
    world.wrap(k);
    move(dx, turn, s);
    const double left = near - radius[k] * std::abs(s.moved[2]);
    if (left < 0 || norm2(Vec2d{s.moved[0], s.moved[1]}) > left * left) strayed[k] = 1;
    any = any || strayed[k];
  }
  return any;
}

bool SolverBodies::follow_driven(const World& world) {
  const Bodies& b = world.bodies;
  bool any = false;
  const auto follow = [&](std::size_t k, Pose2d now, Vec2d v, double omega) {
    const Vec2d dx = now.x - driven_at[k].x;
    const double turn = now.theta - driven_at[k].theta;
    move(dx, turn, of[k]);
    if (norm2(dx) > 0 || turn != 0) strayed[k] = 1, any = true;
    set_velocity(v, omega, of[k]);
    kicked[k] = velocity_of(of[k]);
    driven_at[k] = now;
  };
  for (const std::uint32_t k : driven) follow(k, {b.theta[k], b.x[k]}, b.v[k], b.omega[k]);
  for (std::size_t w = 0; w < world.walls.size(); ++w) {
    const Wall& wall = world.walls[w];
    follow(b.size() + w, wall.pose, wall.velocity, wall.omega);
  }
  return any;
}

void SolverBodies::write_velocities(ThreadPool& pool, World& world) {
  Bodies& b = world.bodies;
  for_chunks(pool, b.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      if (!moves[k]) continue;
      note_hit(k);
      if (!hit[k]) {
        b.v[k] += kicks;
        continue;
      }
      b.v[k] = {of[k].v[0], of[k].v[1]};
      b.omega[k] = of[k].v[2];
    }
  });
}

}  // namespace scree
