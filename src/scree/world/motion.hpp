#pragma once
// Prescribed motions of walls and kinematic grains. A motion moves a set of things as one rigid body:
// a point p of the set at the start is at R(angle) (p - centre) + centre + shift later on.
// A thing follows one motion at a time: a motion that starts takes its targets from where they are, and ends any other
// that moved one of them.
#include <string>
#include <vector>

#include "scree/base/pose.hpp"

namespace scree {

struct Keyframe {
  double time = 0;   // since the start of the motion
  double angle = 0;  // rad
  Vec2d shift;       // length
};

struct Motion {
  enum class Kind { constant, rotation, oscillation, keyframes };

  std::string name;
  Kind kind = Kind::constant;
  double start = 0;                 // time at which it begins (events may set it later)
  double duration = 1e300;          // it stops, and stays, after this long
  double ramp = 0;                  // constant and rotation: speed grows linearly from 0 over this time
  Vec2d velocity;                   // constant: length / time
  Vec2d centre;                     // of whatever turns: this world point, at the start
  double omega = 0;                 // constant and rotation: rad / time
  Vec2d amplitude;                  // oscillation: length
  double angular_amplitude = 0;     // oscillation: rad
  double frequency = 0;             // oscillation: cycles / time
  double phase = 0;                 // oscillation: rad; shift = amplitude * (sin(2 pi f t + phase) - sin(phase))
  std::vector<Keyframe> keyframes;  // cubic Hermite through the frames, at rest at both ends
  bool running = true;              // false until an event starts it, and once it has run its duration
  bool anchored = false;            // the poses of its targets at the start have been noted

  std::vector<int> walls;   // indices in World::walls
  std::vector<int> groups;  // indices in World::groups: their kinematic bodies
};

// Displacement and velocity of a motion at one time.
struct MotionState {
  double angle = 0;
  Vec2d centre;
  Vec2d shift;
  double omega = 0;  // d angle / dt
  Vec2d velocity;    // d shift / dt

  // Pose of a thing that was at `anchor` at the start.
  SCREE_HD Pose2d apply(const Pose2d& anchor) const {
    return {anchor.theta + angle, Rotation2d(angle) * (anchor.x - centre) + centre + shift};
  }
  // Of the moved point that is at `now`.
  SCREE_HD Vec2d velocity_at(Vec2d now) const { return velocity + omega * perp(now - centre - shift); }
};

// Of what moves on and turns at constant speed, `elapsed` after its start.
SCREE_HD inline MotionState steady_motion(double elapsed, Vec2d centre, Vec2d velocity, double omega) {
  return {elapsed * omega, centre, elapsed * velocity, omega, velocity};
}

MotionState motion_state(const Motion& motion, double time);

}  // namespace scree
