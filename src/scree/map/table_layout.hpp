#pragma once
// Where a table's nodes lie, and where in it a pose falls.
//
// x and y: `nodes` nodes each, node i at (i - (nodes-1)/2) spacing, so that a quarter turn maps the grid onto itself.
// The spacing leaves a cell and a half beyond |x| = reach.
//
// theta: d(theta + 2 pi/k_B, x) = d(theta, x) for B of order k_B, and d(theta + phi, R(phi) x) = d(theta, x) for a
// symmetry phi of A. Of the latter only quarter turns map the grid onto itself; with g = gcd(k_A, 4) the reduced period
// is P = 2 pi / lcm(k_B, g), and one period on, x has turned by `quarters` quarter turns:
//   d(theta + P, Q x) = d(theta, x),  Q = R(quarters pi/2).
// When B is a disc there is one theta node: nothing depends on theta.
#include <cmath>
#include <cstdint>
#include <numbers>

#include "scree/base/pose.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/map/settings.hpp"

namespace scree {

struct TableLayout {
  int nodes = 0;        // along x and along y
  int theta_nodes = 0;  // over one reduced period; 1: no dependence on theta
  int periods = 1;      // reduced periods in a turn
  int quarters = 0;     // quarter turns of x a period
  double spacing = 0;   // of x and y nodes
  double reach = 2;

  double period() const { return 2 * std::numbers::pi / periods; }
  // Stored theta layers of coefficients, -1 ... theta_nodes + 1, and of arms, 0 ... theta_nodes.
  int gap_layers() const { return theta_nodes == 1 ? 1 : theta_nodes + 3; }
  int arm_layers() const { return theta_nodes == 1 ? 1 : theta_nodes + 1; }
  std::size_t plane() const { return static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes); }

  bool operator==(const TableLayout&) const = default;
};

// Throws Error(input) when the settings ask for too few or absurdly many nodes.
TableLayout table_layout(const ShapePair& pair, const MapSettings& settings);

// Node (i, j) turned back by `turns` quarter turns: where the value at (i, j), `turns` quarters on, is found.
inline void turn_back(int turns, int nodes, int& i, int& j) {
  for (int k = 0; k < (turns & 3); ++k) {
    const int old = i;
    i = j;
    j = nodes - 1 - old;
  }
}

// What finding a pose in a table needs of its layout.
template <class T>
struct TableGrid {
  int nodes = 0;
  int theta_nodes = 0;
  int quarters = 0;
  T turns_per_angle = 0;  // reduced periods in a turn over 2 pi
  T per_length = 0;       // nodes a length, along x and y
  T per_angle = 0;        // nodes an angle
  T middle = 0;           // node coordinate of x = 0

  TableGrid() = default;
  explicit TableGrid(const TableLayout& t)
      : nodes(t.nodes),
        theta_nodes(t.theta_nodes),
        quarters(t.quarters),
        turns_per_angle(static_cast<T>(t.periods / (2 * std::numbers::pi))),
        per_length(static_cast<T>(1 / t.spacing)),
        per_angle(static_cast<T>(t.theta_nodes * (t.periods / (2 * std::numbers::pi)))),
        middle(static_cast<T>(0.5 * (t.nodes - 1))) {}
};

// The cell of a pose: first coefficient, position in the cell in [0, 1), and the quarter turn that was taken out.
template <class T>
struct TableCellOf {
  int i, j, k;  // node below; coefficients start one before
  T u, v, w;    // within the cell, along x, y, theta
  T c, s;       // cosine and sine of the quarter turn: 0, 1 or -1
};
using TableCell = TableCellOf<double>;

template <class T>
SCREE_HD inline TableCellOf<T> locate(const TableGrid<T>& t, const Pose<T>& q) {
  TableCellOf<T> cell;
  const T turns = q.theta * t.turns_per_angle;
  const T whole = std::floor(turns);
  const int quarter = static_cast<int>((static_cast<std::int64_t>(whole) * t.quarters) & 3);
  cell.c = quarter == 0 ? T(1) : (quarter == 2 ? T(-1) : T(0));
  cell.s = quarter == 1 ? T(1) : (quarter == 3 ? T(-1) : T(0));
  const T along = (turns - whole) * T(t.theta_nodes);
  cell.k = static_cast<int>(along);
  if (cell.k >= t.theta_nodes) cell.k = t.theta_nodes - 1;  // turns - whole rounds to 1 just below 0
  cell.w = along - T(cell.k);
  const T x = (cell.c * q.x.x + cell.s * q.x.y) * t.per_length + t.middle;
  const T y = (cell.c * q.x.y - cell.s * q.x.x) * t.per_length + t.middle;
  cell.i = static_cast<int>(x);
  cell.j = static_cast<int>(y);
  cell.u = x - T(cell.i);
  cell.v = y - T(cell.j);
  return cell;
}

}  // namespace scree
