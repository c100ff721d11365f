#pragma once
// Islands of grains at rest, which the solver leaves alone until something comes upon them.
//
// A grain is quiet for as long as it stays within a small way of one place: some rock for ever, but not far. An island
// is what contacts join; what does not move does not join it. It sleeps when all its grains have been quiet for long
// enough, which World::quiet tells: who sleeps follows from the world alone, and a grain is woken by setting that to 0.
// Contacts of sleepers stay as they are, so that an island wakes with the forces that it had.
#include <cstdint>
#include <vector>

#include "scree/implicit/solver_bodies.hpp"
#include "scree/world/link.hpp"

namespace scree {

class Sleepers {
 public:
  // `time`: before an island sleeps; 0: never. `way`: of the rim of a quiet grain, length.
  Sleepers(double time, double way) : time_(time), way_(way) {}

  // A step begins: who sleeps. A grain faster than `speed` is not quiet wherever it is. Sleepers have no velocity.
  void start(World& world, const TypeTables& tables, double dt, double speed);
  // Sleepers do not move.
  void hold(SolverBodies& bodies) const;
  // Wakes every island that one of the links joins to what comes upon it: to a grain faster than `speed`, or to a wall
  // or kinematic grain that moves at all. True if there was one.
  bool wake(const std::vector<Link>& links, double speed, SolverBodies& bodies, World& world);

  std::size_t count() const;

 private:
  void count_quiet(World& world, const TypeTables& tables, double dt, double speed);
  void find_islands(const World& world);
  std::uint32_t root(std::uint32_t body);

  double time_, way_;
  std::vector<std::uint32_t> island_;  // by body: one of its island; then the same for all of them
  std::vector<std::uint8_t> asleep_;   // by body
};

}  // namespace scree
