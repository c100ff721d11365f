#pragma once
// What a page may ask for. Whatever comes in is checked here, field by field, before anything else sees it.
#include <cstdint>
#include <string>
#include <variant>

#include "scree/base/vec.hpp"

namespace scree {

inline constexpr std::size_t longest_message = 4096;  // bytes

// A frame by its number, or the newest one once it is later than `after`.
struct FrameRequest {
  std::uint32_t request = 0;  // comes back with the answer
  bool latest = false;
  std::uint32_t index = 0;
  double after = -1;  // revision
  bool contacts = false;
};

// Commands to a live simulation.
struct Pause {
  bool paused = true;
};
struct StepOn {
  int count = 1;
};
struct Pace {
  double value = 1;  // simulated time a second; 0: as fast as it goes
};
struct SetGravity {
  Vec2d value;
};
// A wall, or the driven grains of a group, from now on.
struct Drive {
  bool group = false;
  std::uint32_t index = 0;
  bool turns = false;
  Vec2d velocity;  // unless it turns
  double spin = 0;
  Vec2d centre;  // of the turn
};
struct Drop {
  std::uint32_t grain = 0;  // index of its type
  Vec2d at;
  int count = 1;
};
struct StartAgain {};

using Message = std::variant<FrameRequest, Pause, StepOn, Pace, SetGravity, Drive, Drop, StartAgain>;

// Error(input) that names the field for anything that is not exactly such a message.
Message parse_message(const std::string& text);

}  // namespace scree
