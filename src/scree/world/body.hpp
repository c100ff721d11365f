#pragma once
// Grains as arrays. Index order is id order: bodies are appended when inserted and compacted when deleted.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scree/base/vec.hpp"

namespace scree {

enum class BodyKind : std::uint8_t {
  moving,     // obeys forces
  fixed,      // never moves
  kinematic,  // follows a prescribed motion
};

// What all grains of one type share. Derived fields are filled by World::add_type.
struct GrainType {
  std::string name;
  int shape = 0;      // index in World::shapes
  double radius = 1;  // circumradius, length
  int material = 0;   // index in World::materials

  double mass = 0;      // density * area * radius^2
  double inertia = 0;   // density * polar_moment * radius^4
  double thinnest = 0;  // w, length
};

struct Bodies {
  std::vector<std::uint32_t> id;     // never reused
  std::vector<std::uint16_t> type;   // index in World::types
  std::vector<std::uint16_t> group;  // index in World::groups
  std::vector<BodyKind> kind;
  std::vector<Vec2d> x;                            // centroid, length; wrapped into the box in periodic directions
  std::vector<double> theta;                       // angle, rad, not wrapped
  std::vector<Vec2d> v;                            // length / time
  std::vector<double> omega;                       // rad / time
  std::vector<Vec2d> force;                        // of the last force evaluation, gravity included
  std::vector<double> torque;                      // likewise
  std::vector<std::array<std::int32_t, 2>> image;  // periodic wraps so far: unwrapped x = x + image * period

  std::size_t size() const { return id.size(); }
  // Removes every body with dead[i] != 0, keeping the order.
  void remove(const std::vector<std::uint8_t>& dead);
  std::size_t append(std::uint32_t new_id, std::uint16_t new_type, std::uint16_t new_group, BodyKind new_kind,
                     Vec2d position, double angle, Vec2d velocity, double spin);
};

}  // namespace scree
