#pragma once
// Frames as the page takes them: one block of bytes whose arrays go to the GPU as they are. Layout: docs/viewer.md.
#include <cstdint>
#include <memory>
#include <vector>

#include "scree/record/frame.hpp"

namespace scree {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t live_frame = 0xffffffffu;  // index of a frame that is not kept

// At the start of every frame; little-endian, no padding. Arrays follow in this order, each at a multiple of 4 bytes:
//   u32 count[types]      grains of each type; grains stand in order of type, then of id
//   f32 wall[walls][4]    x, y from the origin, angle, 1 when active
//   f32 x[grains][2]      from the origin: to 2^-24 of the largest coordinate
//   i16 state[grains][6]  angle / pi, vx and vy / top_speed, spin / top_spin, force / top_force, all in 1/32767;
//                         partners (at most 255) + 256 kind + 1024 group (at most 63), without sign
//   u32 id[grains]
//   u32 ends[contacts][2] places of the grains A and B in the arrays above; A is wall_end + wall at a wall
//   f32 point[contacts][2]  from the origin
//   i16 reach[contacts][6]  from the point to the centre of A (0 at a wall) and of B, / arm; normal and tangential
//   force
//                           / top_contact, all in 1/32767
struct FrameHeader {
  std::uint32_t magic = 0x46524353;  // "SCRF"
  std::uint32_t version = 1;
  std::uint32_t request = 0;  // number of the request it answers
  std::uint32_t index = live_frame;
  double time = 0;
  double step = 0;
  double origin_x = 0, origin_y = 0;  // of all coordinates
  std::uint32_t types = 0, walls = 0, grains = 0, contacts = 0;
  float gravity_x = 0, gravity_y = 0;
  float top_speed = 0, top_spin = 0, top_force = 0, top_contact = 0;  // largest of the frame
  float arm = 0;                                                      // scale of reach[]
  std::uint32_t all_contacts = 0;                                     // also when `contacts` were left out
  std::uint32_t revision = 0;                                         // of a live frame: later ones have larger numbers
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FrameHeader) == 104);
inline constexpr std::uint32_t wall_end = 0x80000000u;

// `origin`: near the middle of the scene. Numbers that are not finite become 0: a failed run can be looked at.
// Error(input) when a contact names a grain that is not in the frame.
Bytes encode_frame(const Statics& statics, const Frame& frame, Vec2d origin);

FrameHeader header_of(const Bytes& frame);
void set_revision(Bytes& frame, std::uint32_t revision);
// The frame as the answer to a request; without contacts it is shorter by 28 bytes each.
std::shared_ptr<const Bytes> answer(const Bytes& frame, std::uint32_t request, std::uint32_t index, bool contacts);

}  // namespace scree
