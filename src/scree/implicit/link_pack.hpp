#pragma once
// Links side by side, as many as a vector has lanes, no two of them with a moving body in common; and what the sweeps
// do to them. Single precision: velocities within a step need no more, and positions are kept in double elsewhere.
#include <cstdint>
#include <vector>

#include "scree/force/contact_forces.hpp"
#include "scree/implicit/solver_body.hpp"
#include "scree/implicit/sweep_kernel.hpp"
#include "scree/world/link.hpp"

namespace scree {

inline constexpr std::size_t pack_lanes = 8;
typedef float Lanes __attribute__((vector_size(pack_lanes * sizeof(float))));

struct PackRow {
  Lanes gx, gy, ga, gb;  // gradient of the gap
  Lanes s;               // gap where nothing has moved
  Lanes gap;             // as bodies have moved: sweep_rigid() finds it anew
  Lanes mass;            // effective
  Lanes impulse;
  Lanes grip;      // mu |g_x|: friction an impulse allows
  Lanes approach;  // speed before the impulse began, < 0: closing
  Lanes absorbed;  // kinetic energy that the impulse has taken since then
};

struct alignas(64) LinkPack {
  PackRow row[2];
  Lanes tx, ty, ta, tb, tangent_mass, tangent_impulse;
  Lanes ux, uy, ua, ub, turn_mass, turn_impulse;  // of LinkTurn
  Lanes mass_a, inertia_a, mass_b, inertia_b;     // inverse
  Lanes restitution;
  Lanes spin_mass;  // inverse of the sum of inverse inertias
  Lanes spin_damping;
  Lanes roll_grip[2];                    // mu_r R_eff |g_x|: rolling resistance that the impulses of the rows allow
  Lanes roll_impulse;                    // angular
  std::uint32_t rolls = 0;               // lanes that resist rolling, a bit each
  std::uint32_t turns = 0;               // lanes whose force may have turned, likewise
  std::uint32_t held_a = 0, held_b = 0;  // lanes whose bodies do not obey, likewise
  std::uint32_t a[pack_lanes], b[pack_lanes];

  // A lane of `link`, whose bodies have moved by `now`; impulses are its forces times h.
  void set(std::size_t lane, const Link& link, const Shift& now, const Mobility& of_a, const Mobility& of_b, double h);
  // A lane without a link, at a body that does not move.
  void clear(std::size_t lane, std::uint32_t nobody);
  void read_forces(std::size_t lane, double h, Link& link) const;
};

// What tells of the links of a pack whether their planes may be due, apart from all else: every substep asks.
struct PackWatch {
  Lanes x, y, turn_a, turn_b;  // how the bodies had moved when the planes were taken: Link::taken
  Lanes radius_a, radius_b;
  Lanes way;  // planes are not due before the bodies have come this way

  void set(std::size_t lane, const Link& link, double radius_a_, double radius_b_, double way_);
  void clear(std::size_t lane);  // never due
};
// Lanes whose planes may be due, a bit each: none that is due is missing.
std::uint32_t may_be_due(const PackWatch& watch, const LinkPack& pack, const std::vector<SolverBody>& bodies);

// Of all sweeps `impacts` says whether they keep account of what they absorb; `moved` of the rigid one, whether bodies
// have moved since the last.
void warm_start(LinkPack& pack, bool impacts, std::vector<SolverBody>& bodies);
void sweep_soft(LinkPack& pack, const SweepSettings& settings, bool impacts, std::vector<SolverBody>& bodies);
void sweep_rigid(LinkPack& pack, const SweepSettings& settings, bool impacts, bool moved,
                 std::vector<SolverBody>& bodies);
// `before`: velocities before the impulses of the substep.
Rubbed<double> rubbed(const LinkPack& pack, const std::vector<BodyVelocity>& before,
                      const std::vector<SolverBody>& bodies);
void damp_spin(LinkPack& pack, const SweepSettings& settings, std::vector<SolverBody>& bodies);
// Speeds of approach from now on. True when one is faster than `threshold` and would rebound.
bool note_approach(LinkPack& pack, float threshold, const std::vector<SolverBody>& bodies);
// What has met faster than `threshold` since then rebounds with the share e of its speed, but with no more than the
// share e^2 of the energy that its row absorbed (Stronge): however many impacts there are, they make none.
void rebound(LinkPack& pack, float threshold, std::vector<SolverBody>& bodies);

}  // namespace scree
