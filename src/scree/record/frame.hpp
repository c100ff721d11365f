#pragma once
// What a picture or an analysis needs of a run: the part that never changes and one instant.
#include <cstdint>
#include <string>
#include <vector>

#include "scree/measure/snapshot.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Fixed during a run. Walls stand here with their geometry; where they are is in each Frame.
struct Statics {
  std::string run_json;       // as `scree run` wrote it, or empty
  std::vector<Shape> shapes;  // without convex pieces
  std::vector<GrainType> types;
  std::vector<Material> materials;
  std::vector<std::string> groups;
  std::vector<Wall> walls;
  Periodic periodic;
};

struct FrameContact {
  std::uint32_t a = no_body;    // id of the grain, no_body for a wall contact
  std::uint32_t b = no_body;    // id of the grain
  std::int32_t wall = -1;       // index in Statics::walls when a == no_body
  Vec2d point;                  // world
  Vec2d normal;                 // unit, from A to B, or 0
  double normal_force = 0;      // magnitude of the force that acts along the normal: F |d_x|
  double tangential_force = 0;  // on B along the normal turned by a quarter
};

// One instant. Arrays have one entry per grain, in order of id.
struct Frame {
  double time = 0;
  std::uint64_t step = 0;
  Vec2d gravity;  // at this time
  Ledger ledger;
  std::vector<std::uint32_t> id;
  std::vector<std::uint16_t> type;
  std::vector<std::uint16_t> group;
  std::vector<BodyKind> kind;
  std::vector<Vec2d> x;
  std::vector<double> theta;
  std::vector<Vec2d> v;
  std::vector<double> omega;
  std::vector<FrameContact> contacts;
  std::vector<Pose2d> wall_pose;
  std::vector<std::uint8_t> wall_active;
};

Statics statics_of(const World& world, std::string run_json = {});
Frame frame_of(const World& world);

// For measures; borrows the shapes of `statics`. Error(input) when the frame is damaged: it names grains or groups that
// are missing, ids are not in order, or a number is not finite.
Snapshot snapshot_of(const Statics& statics, const Frame& frame);

}  // namespace scree
