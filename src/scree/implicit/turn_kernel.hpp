#pragma once
// Planes lag behind the pose, and the force of a link behind the gap. These functions tell by how much it may have
// turned meanwhile; friction along that keeps a lag from giving energy. docs/implicit-theory.md derives it.
#include <algorithm>
#include <cmath>

#include "scree/force/contact_force_kernel.hpp"
#include "scree/world/link.hpp"

namespace scree {

// Of a row's gradient. Less is rounding; more is an edge that has been passed, and as much again is not to come. What
// is not small against the row could also stand in its way.
inline constexpr double least_turn = 1e-5, most_turn = 0.3;

template <class T>
SCREE_HD inline T inverse_mass_along(const LinkTurnOf<T>& t, const MobilityOf<T>& a, const MobilityOf<T>& b) {
  return inverse_mass_along(t.x, t.theta_a, t.theta_b, a, b);
}

// How the force of the rows has turned from one look to the next, per unit of it. Its parts are those of `to`.
template <class T>
SCREE_HD inline LinkTurnOf<T> turned(const LinkRowOf<T>* from, const LinkRowOf<T>* to, int rows) {
  T total = 0;
  for (int r = 0; r < rows; ++r) total += to[r].force;
  LinkTurnOf<T> turn;
  for (int r = 0; r < rows; ++r) {
    const T share = total > 0 ? to[r].force / total : T(1) / T(rows);
    turn.x += share * (to[r].gap_x - from[r].gap_x);
    turn.theta_a += share * (to[r].gap_theta_a - from[r].gap_theta_a);
    turn.theta_b += share * (to[r].gap_theta_b - from[r].gap_theta_b);
  }
  return turn;
}

// By how much the force of rows that were just taken may turn until they are taken anew: as on the way `by` before, of
// length `way`, but for no more than `renewal` of it. Bodies that come farther than that in a substep have planes that
// do not lag; and where the force turned with the motion, a lag takes energy by itself. Then there is nothing to be
// done.
template <class T>
SCREE_HD inline LinkTurnOf<T> turn_to_come(const LinkRowOf<T>* from, const LinkRowOf<T>* to, int rows, const Shift& by,
                                           T way, T renewal, const MobilityOf<T>& a, const MobilityOf<T>& b) {
  const LinkTurnOf<T> t = turned(from, to, rows);
  const T along = t.x.x * by.x + t.x.y * by.y + t.theta_a * by.turn_a + t.theta_b * by.turn_b;
  const T of_row = inverse_mass_along(to[0].gap_x, to[0].gap_theta_a, to[0].gap_theta_b, a, b);
  const T of_turn = inverse_mass_along(t, a, b);
  const T slow = 2 - way / renewal;  // of bodies that come farther in a substep, `way` is more than twice `renewal`
  if (!(slow > 0) || !(along < 0) || of_turn <= T(least_turn * least_turn) * of_row) return {};
  const T of_way = way > renewal ? slow * renewal / way : 1;
  const T share = std::min(of_way, T(most_turn) * std::sqrt(of_row / of_turn));
  return {share * t.x, share * t.theta_a, share * t.theta_b, 0};
}

// What goes on of a turn's friction in the next turn, as far as it does the same to the bodies.
template <class T>
SCREE_HD inline T handed_on(const LinkTurnOf<T>& from, const LinkTurnOf<T>& to, T most, const MobilityOf<T>& a,
                            const MobilityOf<T>& b) {
  const T kappa = inverse_mass_along(to, a, b);
  if (!(kappa > 0)) return 0;
  const T alike = (a.inverse_mass + b.inverse_mass) * dot(from.x, to.x) +
                  a.inverse_inertia * from.theta_a * to.theta_a + b.inverse_inertia * from.theta_b * to.theta_b;
  return std::clamp(from.force * alike / kappa, -most, most);
}

}  // namespace scree
