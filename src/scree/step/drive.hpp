#pragma once
// What happens to a world from outside its physics: prescribed motions, timed events, insertion and deletion.
#include <span>
#include <vector>

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

// The rain that is due in the coming step.
struct Rain {
  std::size_t most = 0;      // grains that it may bring
  std::vector<Box> regions;  // whose bounding circle is in their way has its centre in one of these, or an image of it
  bool simple = true;        // grains come to move, and none of them is deleted as it comes
};
Rain coming_rain(const World& world, double dt);

// Grains that rain may still bring, or `most` where these are fewer.
std::size_t rain_to_come(const World& world, std::size_t most);

// The rain alone, in a world of which no more is known than where `candidates` are, by index: all that may be in its
// way. Returns true when bodies were added.
bool apply_rain(World& world, double dt, std::span<const std::uint32_t> candidates);

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
