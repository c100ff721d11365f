#pragma once
// Bodies and walls as the implicit solver moves them within a step.
#include <cmath>
#include <cstdint>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/implicit/gain_kernel.hpp"
#include "scree/implicit/link_pack.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Indices are those of World::bodies, then of World::walls, then one for nobody, which never moves.
struct SolverBodies {
  struct Inertia {
    float mass = 0;
    float spin = 0;
  };

  std::vector<SolverBody> of;
  std::vector<std::uint8_t> moves;    // obeys impulses
  std::vector<BodyVelocity> kicked;   // before contacts have done anything in the substep
  std::vector<Inertia> inertia;       // of the grains
  std::vector<double> radius;         // of walls: as seen by a grain, that of the smallest
  std::vector<std::uint32_t> driven;  // bodies that follow a motion
  std::vector<Pose2d> driven_at;      // where these and walls were
  std::vector<std::uint8_t> hit;      // contacts have done something to it in this step; noted before kicks
  Vec2d kicks;                        // by gravity in this step, velocity
  std::vector<std::uint8_t> strayed;  // has been farther than `near` from where the step began, turning included
  double near = 0;
  std::size_t grains = 0;  // bodies that are not walls

  std::uint32_t nobody() const { return static_cast<std::uint32_t>(of.size() - 1); }
  // Speed of a body's rim against its centre.
  double rim_speed(std::size_t k) const { return radius[k] * std::abs(static_cast<double>(of[k].v[2])); }
  double speed(std::size_t body) const;  // of its fastest point, or more
  // Neither obeys impulses nor has a velocity, for now.
  bool rests(std::size_t body) const {
    const float* v = of[body].v;
    return !moves[body] && v[0] == 0 && v[1] == 0 && v[2] == 0;
  }
  // Whether a wall or a body that follows a motion has a velocity.
  bool anything_driven() const;
  Shift shift(std::size_t a, std::size_t b) const {
    const float *of_a = of[a].moved, *of_b = of[b].moved;
    return {of_b[0] - of_a[0], of_b[1] - of_a[1], of_a[2], of_b[2]};
  }

  // `reach`: radius of walls; `near_by`: length.
  void start(const World& world, const TypeTables& tables, double reach, double near_by, ThreadPool& pool);
  double kinetic_energy(std::size_t begin, std::size_t end) const;  // of those that move
  void keep_velocities(ThreadPool& pool);                           // in `kicked`
  // From the velocities that were kept to those of now; and to a share of the way.
  KineticGain gain(ThreadPool& pool) const;
  void blend_velocities(double share, ThreadPool& pool);
  // Of the bodies [begin, end): velocities by gravity; places by velocities, and whether one has strayed.
  void kick(Vec2d dv, std::size_t begin, std::size_t end);
  bool drift(World& world, double h, std::size_t begin, std::size_t end);
  // Walls and kinematic bodies are where their motion has brought them. Returns whether one has moved.
  bool follow_driven(const World& world);
  // What was not hit has been given what gravity gives, and no rounding of single precision: it would add up while a
  // grain falls.
  void write_velocities(ThreadPool& pool, World& world);

 private:
  void note_hit(std::size_t body);
};

}  // namespace scree
