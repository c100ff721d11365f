#pragma once
// Stops a run that has gone wrong, naming the grain, the time, the cause and what to change.
#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/step/simulation.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Thinnest feature of the types in use by moving bodies; 0 when there are none.
double thinnest_moving(const World& world);

// Looks at positions, velocities, bounds and overlaps after a step; fills deepest_overlap and max_speed of `stats`.
// Throws Error(physics) for the first offending body in index order.
void watch(const World& world, const TypeTables& tables, const StepSettings& settings, ThreadPool& pool,
           StepStats& stats);

}  // namespace scree
