#pragma once

namespace scree {

// Velocity of a body, and how it has moved since the step began.
struct alignas(32) SolverBody {
  float v[4] = {};      // x, y, spin
  float moved[4] = {};  // x, y, angle
};

struct alignas(16) BodyVelocity {
  float v[4] = {};  // x, y, spin
};

}  // namespace scree
