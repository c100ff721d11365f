#pragma once
// What happens to a world from outside its physics: prescribed motions, timed events, insertion and deletion.
#include "scree/base/parallel.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Sets pose and velocity of every wall and kinematic body that follows a motion, at world.time.
void apply_motions(World& world);

// True when an event, or an insertion other than rain, is due at world.time: contacts may then appear or go other than
// by grains moving.
bool changes_due(const World& world);

// True when a grain of a rain is due in the coming step.
bool rain_due(const World& world, double dt);

// Carries out the events that are due. Returns true when bodies were removed or released, so that lists must be
// rebuilt.
bool apply_events(World& world);

// Runs the insertions that are due (dt: length of the coming step, for rates). Returns true when bodies were added.
// Throws Error(input) when a lattice or Poisson insertion cannot place the count it was asked for.
bool apply_insertions(World& world, double dt);

// Deletes the moving grains that are in a deletion zone. Returns true when any was.
bool apply_deletions(World& world);

// Removes bodies, their anchors and contacts; the energy they took goes into the ledger.
void remove_bodies(World& world, const std::vector<std::uint8_t>& dead);

}  // namespace scree
