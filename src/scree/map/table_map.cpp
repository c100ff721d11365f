#include "scree/map/table_map.hpp"

#include <algorithm>

#include "scree/base/spline.hpp"
#include "scree/map/half.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace scree {
namespace {

// Numbers side by side. The compiler maps them to what the CPU has.
typedef double Row __attribute__((vector_size(32)));
typedef float FloatRow __attribute__((vector_size(16)));
typedef float TwoFloatRows __attribute__((vector_size(32)));

// Into a reference: without AVX the ABI of returning such a vector depends on compiler flags.
inline void load(const float* p, FloatRow& row) { __builtin_memcpy(&row, p, sizeof row); }

inline void load(const std::uint16_t* p, FloatRow& row) {
#if defined(__F16C__)
  row = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
#else
  row = FloatRow{from_half(p[0]), from_half(p[1]), from_half(p[2]), from_half(p[3])};
#endif
}

// Four of the eight numbers of two rows, from `shift` on.
class Picked {
 public:
#if defined(__AVX2__)
  explicit Picked(std::size_t shift)
      : which_(
            _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(shift)))) {}
  void of(const FloatRow& left, const FloatRow& right, Row& row) const {
    const TwoFloatRows both = __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7);
    row = _mm256_cvtps_pd(_mm256_castps256_ps128(_mm256_permutevar8x32_ps(both, which_)));
  }

 private:
  __m256i which_;
#else
  explicit Picked(std::size_t shift) : shift_(shift) {}
  void of(const FloatRow& left, const FloatRow& right, Row& row) const {
    const TwoFloatRows both = __builtin_shufflevector(left, right, 0, 1, 2, 3, 4, 5, 6, 7);
    row = Row{both[shift_], both[shift_ + 1], both[shift_ + 2], both[shift_ + 3]};
  }

 private:
  std::size_t shift_;
#endif
};

// The sums of four rows.
inline void sum(const Row& a, const Row& b, const Row& c, const Row& d, Row& sums) {
  const Row ac = __builtin_shufflevector(a, c, 0, 1, 4, 5) + __builtin_shufflevector(a, c, 2, 3, 6, 7);
  const Row bd = __builtin_shufflevector(b, d, 0, 1, 4, 5) + __builtin_shufflevector(b, d, 2, 3, 6, 7);
  sums = __builtin_shufflevector(ac, bd, 0, 4, 2, 6) + __builtin_shufflevector(ac, bd, 1, 5, 3, 7);
}

// Where the coefficients of a query lie, four along x, in one brick or two, and four along y; and their weights.
struct Stencil {
  std::size_t shift;        // of the four in their bricks
  std::size_t left, right;  // bricks along x; the same where one holds all four
  std::size_t y[4];
  CubicWeights x_weights, y_weights;
  Picked picked;

  Stencil(const TableBricks& bricks, const TableCell& cell)
      : shift(static_cast<std::size_t>(cell.i - 1) % TableBricks::width),
        left(TableBricks::along_x(static_cast<std::size_t>(cell.i - 1) - shift)),
        right(shift == 0 ? left : left + TableBricks::brick),
        x_weights(cell.u),
        y_weights(cell.v),
        picked(shift) {
    for (std::size_t r = 0; r < 4; ++r) y[r] = bricks.along_y(static_cast<std::size_t>(cell.j - 1) + r);
  }
  void weights_along_x(Row& values, Row& slopes) const {
    const auto &v = x_weights.value, &s = x_weights.slope;
    values = Row{v[0], v[1], v[2], v[3]}, slopes = Row{s[0], s[1], s[2], s[3]};
  }
};

// Of the layer at `p`: its rows summed over y, by value and by slope.
template <class Stored>
inline void sum_rows(const Stored* p, const Stencil& at, Row& rows, Row& slopes) {
  Row r[4];
  for (std::size_t k = 0; k < 4; ++k) {
    FloatRow left, right;
    load(p + at.y[k] + at.left, left);
    load(p + at.y[k] + at.right, right);
    at.picked.of(left, right, r[k]);
  }
  const auto &w = at.y_weights.value, &s = at.y_weights.slope;
  rows = w[0] * r[0] + w[1] * r[1] + w[2] * r[2] + w[3] * r[3];
  slopes = s[0] * r[0] + s[1] * r[1] + s[2] * r[2] + s[3] * r[3];
}

// sum_{l,m,n} c B(u) B(v) B(w) and its derivatives along x, y and theta, per node: rows are summed over y, then theta,
// then along x.
template <class Stored>
inline void evaluate(const Stored* const layers[4], const Stencil& at, double w, Row& spline) {
  const CubicWeights theta(w);
  Row value{}, dy{}, dtheta{}, wx, sx;
  at.weights_along_x(wx, sx);
  for (std::size_t k = 0; k < 4; ++k) {
    Row rows, slopes;
    sum_rows(layers[k], at, rows, slopes);
    value += theta.value[k] * rows;
    dtheta += theta.slope[k] * rows;
    dy += theta.value[k] * slopes;
  }
  sum(value * wx, value * sx, dy * wx, dtheta * wx, spline);
}

// The arm in the layer at `p`, bilinear.
inline double arm_in(const std::uint16_t* p, const TableBricks& bricks, const TableCell& cell) {
  const auto i = static_cast<std::size_t>(cell.i), j = static_cast<std::size_t>(cell.j);
  const std::size_t x0 = TableBricks::along_x(i), x1 = TableBricks::along_x(i + 1);
  const std::uint16_t *q = p + bricks.along_y(j), *r = p + bricks.along_y(j + 1);
  const double low = from_half(q[x0]) + cell.u * (from_half(q[x1]) - from_half(q[x0]));
  const double high = from_half(r[x0]) + cell.u * (from_half(r[x1]) - from_half(r[x0]));
  return low + cell.v * (high - low);
}

// Turns and units of a table's own answer, value and derivatives per node, taken out.
ContactGeometry answer(const TableGrid<double>& t, const Row& spline, double arm, const TableCell& cell) {
  const double dx = spline[1] * t.per_length, dy = spline[2] * t.per_length;
  return {spline[0], spline[3] * t.per_angle, {cell.c * dx - cell.s * dy, cell.s * dx + cell.c * dy}, arm};
}

}  // namespace

TableMap::TableMap(const TableData& data)
    : ContactMap(data.layout.reach),
      layout_(data.layout),
      grid_(layout_),
      bricks_(layout_),
      arm_(bricks_.lay(data.arm)) {
  std::visit([&](const auto& gap) { gap_ = bricks_.lay(gap); }, data.gap);
}

TableData TableMap::data() const {
  TableData out{layout_, {}, bricks_.unlay(arm_, layout_.arm_layers())};
  std::visit([&](const auto& gap) { out.gap = bricks_.unlay(gap, layout_.gap_layers()); }, gap_);
  return out;
}

std::size_t TableMap::bytes() const {
  const auto size = [](const auto& v) { return v.size() * sizeof v[0]; };
  return sizeof *this + std::visit(size, gap_) + size(arm_);
}

template <class Stored>
const Stored* TableMap::layer(const LargeVector<Stored>& values, int k) const {
  return values.data() + (layout_.theta_nodes == 1 ? 0 : bricks_.along_theta(static_cast<std::size_t>(k)));
}

template <class Stored>
void TableMap::query_all(const LargeVector<Stored>& gap, std::span<const Pose2d> poses,
                         std::span<ContactGeometry> out) const {
  for (std::size_t n = 0; n < poses.size(); ++n) {
    const TableCell cell = locate(grid_, poses[n]);
    const Stored* const layers[] = {layer(gap, cell.k), layer(gap, cell.k + 1), layer(gap, cell.k + 2),
                                    layer(gap, cell.k + 3)};
    Row s;
    evaluate(layers, Stencil(bricks_, cell), cell.w, s);
    const double near = arm_in(layer(arm_, cell.k), bricks_, cell),
                 far = arm_in(layer(arm_, cell.k + 1), bricks_, cell);
    out[n] = answer(grid_, s, near + cell.w * (far - near), cell);
  }
}

// At `cell`, and `turn` nodes of theta to both sides of it, at most one: layers are summed over x and y once.
template <class Stored>
void TableMap::query_layers(const LargeVector<Stored>& gap, const TableCell& cell, double turn,
                            std::span<ContactGeometry, 3> out) const {
  const double w[] = {cell.w, cell.w + turn, cell.w - turn};
  const int first[] = {1, w[1] < 1 ? 1 : 2, w[2] < 0 ? 0 : 1};  // layer of each, from the one below the cell's on
  const int lowest = first[2], last = first[1] + 3;
  const Stencil at(bricks_, cell);
  Row of_layer[6];  // value, its derivatives along x and y, and the value again
  double arm[4];
  Row wx, sx;
  at.weights_along_x(wx, sx);
  for (int k = lowest; k <= last; ++k) {
    Row rows, slopes;
    sum_rows(layer(gap, same_layer(cell.k - 1 + k, layout_.gap_layers())), at, rows, slopes);
    const Row value = rows * wx;
    sum(value, rows * sx, slopes * wx, value, of_layer[k]);
    if (k < last - 1) arm[k] = arm_in(layer(arm_, same_layer(cell.k - 1 + k, layout_.arm_layers())), bricks_, cell);
  }
  for (std::size_t n = 0; n < 3; ++n) {
    const auto l = static_cast<std::size_t>(first[n]);
    const double within = w[n] - (first[n] - 1);
    const CubicWeights theta(within);
    Row s{};
    for (std::size_t k = 0; k < 4; ++k)
      s += Row{theta.value[k], theta.value[k], theta.value[k], theta.slope[k]} * of_layer[l + k];
    out[n] = answer(grid_, s, arm[l] + within * (arm[l + 1] - arm[l]), cell);
  }
}

void TableMap::query_tilted_impl(const Pose2d& q, double tilt, std::span<ContactGeometry, 3> out) const {
  const TableCell cell = locate(grid_, q);
  const double turn = tilt * grid_.per_angle;
  // In the period before, or the next, x may be turned.
  const bool beyond = cell.k + cell.w < turn || cell.k + cell.w + turn >= grid_.theta_nodes;
  if (layout_.theta_nodes == 1 || turn >= 1 || (beyond && grid_.quarters != 0))
    return ContactMap::query_tilted_impl(q, tilt, out);
  std::visit([&](const auto& gap) { query_layers(gap, cell, turn, out); }, gap_);
}

// Plain loops: GCC drops calls of functions that do nothing but prefetch.
void TableMap::prefetch(const Pose2d& q, double tilt) const {
  if (!(norm2(q.x) <= reach() * reach())) return;
  const TableCell cell = locate(grid_, q);
  const double turn = tilt * grid_.per_angle;
  const bool flat = layout_.theta_nodes == 1;
  // Node -1 of theta is layer 0 of the gaps. A node of each brick is asked for.
  const int low = flat ? 0 : cell.k - (cell.w < turn), high = flat ? 0 : cell.k + (cell.w + turn >= 1);
  const int last_gap = flat ? 0 : high + 3, last_arm = flat ? 0 : high + 1;
  const std::size_t bytes = half() ? sizeof(std::uint16_t) : sizeof(float);
  const char* gap = std::visit([](const auto& v) { return reinterpret_cast<const char*>(v.data()); }, gap_);
  const int right = TableBricks::width;
  for (int k = low & ~1; k <= last_gap; k += 2) {
    const auto layer = static_cast<std::size_t>(same_layer(k, layout_.gap_layers()));
    for (int j = (cell.j - 1) & ~1; j <= cell.j + 2; j += 2) {
      const std::size_t at = bricks_.along_theta(layer) + bricks_.along_y(static_cast<std::size_t>(j));
      for (int i = (cell.i - 1) & -right; i <= cell.i + 2; i += right)
        __builtin_prefetch(gap + bytes * (at + TableBricks::along_x(static_cast<std::size_t>(i))));
    }
  }
  for (int k = low & ~1; k <= last_arm; k += 2) {
    const auto layer = static_cast<std::size_t>(same_layer(k, layout_.arm_layers()));
    for (int j = cell.j & ~1; j <= cell.j + 1; j += 2)
      __builtin_prefetch(arm_.data() + bricks_.along_theta(layer) + bricks_.along_y(static_cast<std::size_t>(j)) +
                         TableBricks::along_x(static_cast<std::size_t>(cell.i)));
  }
}

void TableMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  std::visit([&](const auto& gap) { query_all(gap, poses, out); }, gap_);
}

}  // namespace scree
