#pragma once
// Stops a run that has gone wrong, naming the grain, the time, the cause and what to change.
#include <span>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/step/simulation.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Thinnest feature of the types in use by moving bodies; 0 when there are none.
double thinnest_moving(const World& world);

// Deepest overlap of some contacts, in units of the thinner partner's thinnest feature.
class OverlapGauge {
 public:
  OverlapGauge(const World& world, const TypeTables& tables);
  double relative(const World& world, const Contact& c) const {
    const int type_b = world.bodies.type[c.b];
    return -c.gap /
           (c.a == no_body ? of_wall(type_b, c.wall) : tables_.pair(world.bodies.type[c.a], type_b).overlap_limit);
  }
  double deepest(const World& world, std::span<const Contact> contacts) const;
  double deepest(const World& world, ThreadPool& pool) const;  // of all contacts

 private:
  double of_wall(int type, int wall) const {
    return walls_[static_cast<std::size_t>(type) * wall_count_ + static_cast<std::size_t>(wall)];
  }
  const TypeTables& tables_;
  std::size_t wall_count_;
  std::vector<double> walls_;  // types x walls: thinnest feature
};

// For messages: id, type and place of a body; time and step.
std::string describe_grain(const World& world, std::size_t body);
std::string describe_time(const World& world);

// Looks at positions, velocities, bounds and, in stats.deepest_overlap, overlaps after a step; fills stats.max_speed.
// Throws Error(physics) for the first offending body in index order.
void watch(const World& world, const OverlapGauge& overlaps, const StepSettings& settings, ThreadPool& pool,
           StepStats& stats);

}  // namespace scree
