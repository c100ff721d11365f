#pragma once
// Things that happen during a run: timed events, insertions, deletion zones.
#include <cstdint>
#include <string>
#include <vector>

#include "scree/base/vec.hpp"
#include "scree/world/body.hpp"
#include "scree/world/periodic.hpp"

namespace scree {

struct MixtureEntry {
  int type = 0;         // index in World::types
  double fraction = 1;  // by number; normalised over the mixture
};

struct Placement {  // one grain of an explicit list
  int type = 0;
  Vec2d x;
  double theta = 0;
  Vec2d v;
  double omega = 0;
};

struct Insertion {
  enum class Method { list, lattice, poisson, rain };

  std::string name;
  Method method = Method::list;
  std::vector<Placement> list;        // list
  std::vector<MixtureEntry> mixture;  // the others, unless there is a sequence
  std::vector<int> sequence;  // lattice: types in this order, again and again, in rows from the top as text runs
  Box region;
  double disc_radius = 0;   // > 0: only sites whose bounding circle lies in this disc about the region's centre
  double clearance = 0;     // gap kept between bounding circles, length
  std::uint64_t count = 0;  // most grains in all; 0: as many as fit (lattice, poisson) or no limit (rain)
  double spacing = 0;       // lattice pitch; 0: twice the largest radius plus clearance
  double jitter = 0;        // lattice: largest random shift in x and y, length
  double rate = 0;          // rain: grains / time
  double start = 0;         // time
  double stop = 1e300;      // rain
  Vec2d velocity;
  double omega = 0;
  bool random_angle = true;
  double angle = 0;  // when not random
  std::uint64_t seed = 1;
  int group = 0;
  BodyKind kind = BodyKind::moving;

  // State.
  bool enabled = true;         // an event may start it later
  std::uint64_t inserted = 0;  // grains so far
  std::uint64_t draws = 0;     // random counter
  bool finished = false;
};

struct DeletionZone {
  std::string name;
  Box box;
  bool outside = false;       // delete what is outside the box instead
  std::uint64_t deleted = 0;  // grains so far
};

struct Event {
  enum class Action {
    remove_wall,
    add_wall,
    set_gravity,
    start_motion,
    stop_motion,
    insert,
    remove_group,
    release_group
  };
  double time = 0;
  Action action = Action::remove_wall;
  std::vector<int> targets;  // wall, motion, insertion or group indices, by action
  Vec2d gravity;             // set_gravity
  bool done = false;
};

}  // namespace scree
