#pragma once
// Where the energy is and where it went. Sums since the start of the run, in units of energy.
namespace scree {

struct Ledger {
  // State functions, refreshed by Simulation::energy().
  double kinetic = 0;
  double gravity = 0;  // -sum m g.x, with periodic images unwrapped
  double elastic =
      0;  // normal and tangential springs; of large steps: what overlaps give back when they are pushed out

  // Accumulated every step.
  double normal_damping = 0;      // dissipated, >= 0
  double friction = 0;            // dissipated by sliding, tangential damping and lost springs, >= 0
  double rotational_damping = 0;  // dissipated by rotational damping and rolling resistance, >= 0
  double wall_work = 0;           // done on the grains by walls and kinematic grains
  double gravity_work = 0;        // done by turning or changing gravity
  double inserted = 0;            // brought by inserted grains minus taken by deleted ones
  double initial = 0;             // kinetic + gravity + elastic at the start
  double moved = 0;               // sum of |work| of all contact and gravity forces: the scale of the residual

  // 0 where nothing was accounted for (step.ledger = false).
  double residual() const {
    if (moved == 0) return 0;
    return kinetic + gravity + elastic + normal_damping + friction + rotational_damping - initial - wall_work -
           gravity_work - inserted;
  }
  double relative_residual() const { return moved > 0 ? residual() / moved : 0; }
};

}  // namespace scree
