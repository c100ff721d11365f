#pragma once
// A table's answer to one pose as a pure function, for devices that have a thread for every query.
//
// Coefficients lie four by four: the ones a query needs of a node, at the four theta nodes around its pose, are side by
// side. That takes four times the memory of the table and a third of the memory traffic of a query.
#include <cmath>
#include <cstdint>

#include "scree/base/pose.hpp"
#include "scree/base/spline.hpp"
#include "scree/map/contact_geometry.hpp"
#include "scree/map/half.hpp"
#include "scree/map/table_layout.hpp"

namespace scree {

// `count` values at consecutive theta nodes.
template <class Stored, int count>
struct alignas(count * sizeof(Stored)) ThetaNodes {
  Stored at[count];
};

template <class T>
struct TableView {
  TableGrid<T> grid;
  bool half = true;                                   // gap coefficients are in half precision, else in single
  const void* gap = nullptr;                          // ThetaNodes<uint16 or float, 4>, [theta_nodes][nodes y][nodes x]
  const ThetaNodes<std::uint16_t, 2>* arm = nullptr;  // half precision, likewise
};

SCREE_HD inline float stored_value(float v) { return v; }
SCREE_HD inline float stored_value(std::uint16_t v) { return from_half(v); }

template <class T, class Stored>
SCREE_HD inline ContactGeometryOf<T> query_table(const TableView<T>& table, const ThetaNodes<Stored, 4>* gap,
                                                 Pose<T> q) {
  const TableGrid<T>& g = table.grid;
  const TableCellOf<T> cell = locate(g, q);
  const CubicWeightsOf<T> wx(cell.u), wy(cell.v), wt(cell.w);
  const std::size_t nodes = static_cast<std::size_t>(g.nodes);
  const std::size_t corner = (static_cast<std::size_t>(cell.k) * nodes + static_cast<std::size_t>(cell.j)) * nodes +
                             static_cast<std::size_t>(cell.i);
  const ThetaNodes<Stored, 4>* first = gap + corner - nodes - 1;
  T value = 0, dx = 0, dy = 0, dtheta = 0;
  for (int j = 0; j < 4; ++j) {
    T row = 0, row_dx = 0, row_dtheta = 0;
    for (int i = 0; i < 4; ++i) {
      const ThetaNodes<Stored, 4> c = first[i];
      T at = 0, slope = 0;
      for (int k = 0; k < 4; ++k) {
        at += wt.value[k] * T(stored_value(c.at[k]));
        slope += wt.slope[k] * T(stored_value(c.at[k]));
      }
      row += wx.value[i] * at;
      row_dx += wx.slope[i] * at;
      row_dtheta += wx.value[i] * slope;
    }
    value += wy.value[j] * row;
    dy += wy.slope[j] * row;
    dx += wy.value[j] * row_dx;
    dtheta += wy.value[j] * row_dtheta;
    first += nodes;
  }
  ContactGeometryOf<T> out;
  out.gap = value;
  out.gap_theta = dtheta * g.per_angle;
  dx *= g.per_length;
  dy *= g.per_length;
  out.gap_x = {cell.c * dx - cell.s * dy, cell.s * dx + cell.c * dy};
  const ThetaNodes<std::uint16_t, 2>* arm = table.arm + corner;
  T plane[2];
  for (int k = 0; k < 2; ++k) {
    const auto value_at = [&](std::size_t n) { return T(from_half(arm[n].at[k])); };
    const T low = value_at(0) + cell.u * (value_at(1) - value_at(0));
    const T high = value_at(nodes) + cell.u * (value_at(nodes + 1) - value_at(nodes));
    plane[k] = low + cell.v * (high - low);
  }
  out.arm = plane[0] + cell.w * (plane[1] - plane[0]);
  return out;
}

template <class T>
SCREE_HD inline ContactGeometryOf<T> query_table(const TableView<T>& table, Pose<T> q) {
  return table.half ? query_table(table, static_cast<const ThetaNodes<std::uint16_t, 4>*>(table.gap), q)
                    : query_table(table, static_cast<const ThetaNodes<float, 4>*>(table.gap), q);
}

}  // namespace scree
