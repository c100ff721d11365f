#include "scree/map/table_map.hpp"

#include <algorithm>

#include "scree/base/spline.hpp"
#include "scree/map/half.hpp"

namespace scree {
namespace {

// Four doubles side by side: one row of four coefficients. The compiler maps them to what the CPU has.
typedef double Row __attribute__((vector_size(32)));
typedef float FloatRow __attribute__((vector_size(16)));

// Into a reference: without AVX the ABI of returning such a vector depends on compiler flags.
inline void load(const float* p, Row& row) {
  FloatRow r;
  __builtin_memcpy(&r, p, sizeof r);
  row = __builtin_convertvector(r, Row);
}

inline void load(const std::uint16_t* p, Row& row) {
#if defined(__F16C__)
  const FloatRow r = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  row = __builtin_convertvector(r, Row);
#else
  row = Row{from_half(p[0]), from_half(p[1]), from_half(p[2]), from_half(p[3])};
#endif
}

inline double sum(const Row& r) { return (r[0] + r[2]) + (r[1] + r[3]); }

// Four rows of four coefficients summed over y, by value and by slope.
template <class Stored>
inline void sum_rows(const Stored* p, std::size_t nodes, const CubicWeights& y, Row& rows, Row& slopes) {
  Row r0, r1, r2, r3;
  load(p, r0);
  load(p + nodes, r1);
  load(p + 2 * nodes, r2);
  load(p + 3 * nodes, r3);
  rows = y.value[0] * r0 + y.value[1] * r1 + y.value[2] * r2 + y.value[3] * r3;
  slopes = y.slope[0] * r0 + y.slope[1] * r1 + y.slope[2] * r2 + y.slope[3] * r3;
}

struct Spline3 {
  double value, dx, dy, dtheta;  // derivatives per node
};

// sum_{l,m,n} c B(u) B(v) B(w) and its three derivatives: rows are summed over y, then theta, then along x.
template <class Stored>
inline Spline3 evaluate(const Stored* first, std::size_t nodes, std::size_t layer_stride, const TableCell& cell) {
  const CubicWeights x(cell.u), y(cell.v), theta(cell.w);
  Row value{}, dy{}, dtheta{};
  for (std::size_t k = 0; k < 4; ++k) {
    const Stored* p = first + k * layer_stride;
    Row rows, slopes;
    sum_rows(p, nodes, y, rows, slopes);
    value += theta.value[k] * rows;
    dtheta += theta.slope[k] * rows;
    dy += theta.value[k] * slopes;
  }
  const Row wx{x.value[0], x.value[1], x.value[2], x.value[3]};
  const Row sx{x.slope[0], x.slope[1], x.slope[2], x.slope[3]};
  return {sum(value * wx), sum(value * sx), sum(dy * wx), sum(dtheta * wx)};
}

inline double trilinear(const std::uint16_t* p, std::size_t nodes, std::size_t layer_stride, const TableCell& cell) {
  const auto plane = [&](const std::uint16_t* q) {
    const double low = from_half(q[0]) + cell.u * (from_half(q[1]) - from_half(q[0]));
    const double high = from_half(q[nodes]) + cell.u * (from_half(q[nodes + 1]) - from_half(q[nodes]));
    return low + cell.v * (high - low);
  };
  const double near = plane(p), far = plane(p + layer_stride);
  return near + cell.w * (far - near);
}

// Turns and units of a table's own answer taken out.
ContactGeometry answer(const TableGrid<double>& t, const Spline3& s, double arm, const TableCell& cell) {
  const double dx = s.dx * t.per_length, dy = s.dy * t.per_length;
  return {s.value, s.dtheta * t.per_angle, {cell.c * dx - cell.s * dy, cell.s * dx + cell.c * dy}, arm};
}

template <class Stored>
void query_all(const TableData& data, const LargeVector<Stored>& gap, std::span<const Pose2d> poses,
               std::span<ContactGeometry> out) {
  const TableLayout& t = data.layout;
  const auto nodes = static_cast<std::size_t>(t.nodes);
  const std::size_t stride = t.theta_nodes == 1 ? 0 : t.plane();
  const TableGrid<double> grid(t);
  for (std::size_t n = 0; n < poses.size(); ++n) {
    const TableCell cell = locate(grid, poses[n]);
    const auto i = static_cast<std::size_t>(cell.i), j = static_cast<std::size_t>(cell.j);
    const std::size_t layer = static_cast<std::size_t>(cell.k) * stride;
    const Spline3 s = evaluate(gap.data() + layer + (j - 1) * nodes + (i - 1), nodes, stride, cell);
    out[n] = answer(grid, s, trilinear(data.arm.data() + layer + j * nodes + i, nodes, stride, cell), cell);
  }
}

// Poses that differ by theta alone, by less than a node, and lie in one period: layers are summed over x and y once.
template <class Stored>
void query_layers(const TableData& data, const LargeVector<Stored>& gap, std::span<const TableCell, 3> cells,
                  std::span<ContactGeometry, 3> out) {
  const TableLayout& t = data.layout;
  const auto nodes = static_cast<std::size_t>(t.nodes);
  const TableGrid<double> grid(t);
  const auto i = static_cast<std::size_t>(cells[0].i), j = static_cast<std::size_t>(cells[0].j);
  const int lowest = cells[2].k, layers = cells[1].k - lowest + 4;
  const CubicWeights x(cells[0].u), y(cells[0].v);
  const Row wx{x.value[0], x.value[1], x.value[2], x.value[3]};
  const Row sx{x.slope[0], x.slope[1], x.slope[2], x.slope[3]};
  Spline3 of_layer[6];
  for (int k = 0; k < layers; ++k) {
    const Stored* p = gap.data() + static_cast<std::size_t>(lowest + k) * t.plane() + (j - 1) * nodes + (i - 1);
    Row rows, slopes;
    sum_rows(p, nodes, y, rows, slopes);
    of_layer[k] = {sum(rows * wx), sum(rows * sx), sum(slopes * wx), 0};
  }
  for (std::size_t n = 0; n < 3; ++n) {
    const TableCell& cell = cells[n];
    const CubicWeights theta(cell.w);
    Spline3 s{};
    for (std::size_t k = 0; k < 4; ++k) {
      const Spline3& l = of_layer[static_cast<std::size_t>(cell.k - lowest) + k];
      s.value += theta.value[k] * l.value, s.dtheta += theta.slope[k] * l.value;
      s.dx += theta.value[k] * l.dx, s.dy += theta.value[k] * l.dy;
    }
    const std::uint16_t* arm = data.arm.data() + static_cast<std::size_t>(cell.k) * t.plane() + j * nodes + i;
    out[n] = answer(grid, s, trilinear(arm, nodes, t.plane(), cell), cell);
  }
}

}  // namespace

TableMap::TableMap(TableData data) : ContactMap(data.layout.reach), data_(std::move(data)) {}

std::size_t TableMap::bytes() const {
  const auto size = [](const auto& v) { return v.size() * sizeof v[0]; };
  return sizeof *this + std::visit(size, data_.gap) + size(data_.arm);
}

void TableMap::query_tilted_impl(std::span<const Pose2d, 3> poses, std::span<ContactGeometry, 3> out) const {
  const TableLayout& t = data_.layout;
  const TableGrid<double> grid(t);
  const TableCell cells[] = {locate(grid, poses[0]), locate(grid, poses[1]), locate(grid, poses[2])};
  const int span = cells[1].k - cells[2].k;
  const bool together = t.theta_nodes > 1 && span >= 0 && span <= 2 && cells[0].c == cells[1].c &&
                        cells[0].c == cells[2].c && cells[0].s == cells[1].s && cells[0].s == cells[2].s;
  if (!together) return query_impl(poses, out);
  std::visit([&](const auto& gap) { query_layers(data_, gap, std::span(cells), out); }, data_.gap);
}

void TableMap::prefetch(const Pose2d& q) const {
  if (!(norm2(q.x) <= reach() * reach())) return;
  const TableLayout& t = data_.layout;
  const TableCell cell = locate(TableGrid<double>(t), q);
  const auto nodes = static_cast<std::size_t>(t.nodes);
  const std::size_t first = static_cast<std::size_t>(cell.k) * (t.theta_nodes == 1 ? 0 : t.plane()) +
                            static_cast<std::size_t>(cell.j - 1) * nodes + static_cast<std::size_t>(cell.i - 1);
  const std::size_t layers = t.theta_nodes == 1 ? 1 : 4;
  std::visit(
      [&](const auto& gap) {
        for (std::size_t k = 0; k < layers; ++k) {
          for (std::size_t row = 0; row < 4; ++row)
            __builtin_prefetch(gap.data() + first + k * t.plane() + row * nodes);
        }
      },
      data_.gap);
  const std::size_t arm = first + nodes + 1;
  for (std::size_t k = 0; k < std::min<std::size_t>(layers, 2); ++k) {
    for (std::size_t row = 0; row < 2; ++row) __builtin_prefetch(data_.arm.data() + arm + k * t.plane() + row * nodes);
  }
}

void TableMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  std::visit([&](const auto& gap) { query_all(data_, gap, poses, out); }, data_.gap);
}

}  // namespace scree
