#include <algorithm>
#include <mutex>

#include "scree/base/spline.hpp"
#include "scree/map/exact_slice.hpp"
#include "scree/map/half.hpp"
#include "scree/map/least_motion.hpp"
#include "scree/map/table_map.hpp"

namespace scree {
namespace {

struct Samples {
  std::vector<double> gap;  // [theta node][y][x]
  std::vector<float> arm;
};

// Rotations over which one theta node is averaged: the node alone, or B3 over +- epsilon when epsilon exceeds what the
// nodes resolve.
struct Rotations {
  std::vector<double> angle;
  std::vector<double> weight;
};

Rotations rotations(double epsilon, double theta_spacing) {
  if (epsilon <= theta_spacing) return {{0}, {1}};
  Rotations r;
  const int half = std::max(4, static_cast<int>(std::ceil(epsilon / theta_spacing)));
  double total = 0;
  for (int k = 1 - half; k < half; ++k) {
    const double t = 2 * std::abs(k) / static_cast<double>(half);  // B3 lives on [-2, 2]
    r.angle.push_back(epsilon * k / half);
    r.weight.push_back(t < 1 ? (4 - 3 * t * t * (2 - t)) / 6 : (2 - t) * (2 - t) * (2 - t) / 6);
    total += r.weight.back();
  }
  for (double& w : r.weight) w /= total;
  return r;
}

void sample_plane(const PairGeometry& geometry, const TableLayout& t, double theta, const Rotations& turns, double* gap,
                  float* arm) {
  const double middle = 0.5 * (t.nodes - 1);
  for (std::size_t r = 0; r < turns.angle.size(); ++r) {
    const ExactSlice slice(geometry, theta + turns.angle[r]);
    std::size_t at = 0;
    for (int j = 0; j < t.nodes; ++j)
      for (int i = 0; i < t.nodes; ++i, ++at) {
        const ContactGeometry g = slice.query({t.spacing * (i - middle), t.spacing * (j - middle)});
        gap[at] += turns.weight[r] * g.gap;
        arm[at] += static_cast<float>(turns.weight[r] * g.arm);
      }
  }
}

Samples sample_nodes(const PairGeometry& geometry, const TableLayout& t, double epsilon, ThreadPool& pool,
                     const Progress& progress) {
  const auto layers = static_cast<std::size_t>(t.theta_nodes);
  Samples samples;
  samples.gap.assign(layers * t.plane(), 0);
  samples.arm.assign(layers * t.plane(), 0);
  const double step = t.period() / t.theta_nodes;
  const Rotations turns = t.theta_nodes == 1 ? Rotations{{0}, {1}} : rotations(epsilon, step);
  std::mutex mutex;
  std::size_t done = 0;
  pool.run(layers, [&](std::size_t k) {
    sample_plane(geometry, t, step * static_cast<double>(k), turns, samples.gap.data() + k * t.plane(),
                 samples.arm.data() + k * t.plane());
    if (!progress) return;
    const std::scoped_lock lock(mutex);
    progress(static_cast<double>(++done) / static_cast<double>(layers), "sampling the exact map");
  });
  return samples;
}

// Row j of theta layer k of an array with t.theta_nodes layers; k may lie periods away, where x is turned.
template <class In, class Out>
void copy_row(const TableLayout& t, const std::vector<In>& layers, int k, int j, Out* row) {
  const int whole = static_cast<int>(std::floor(static_cast<double>(k) / t.theta_nodes));
  const int turns = whole * t.quarters;
  const In* plane = layers.data() + static_cast<std::size_t>(k - whole * t.theta_nodes) * t.plane();
  for (int i = 0; i < t.nodes; ++i) {
    int x = i, y = j;
    turn_back(turns, t.nodes, x, y);
    row[i] = static_cast<Out>(plane[static_cast<std::size_t>(y * t.nodes + x)]);
  }
}

// Calls line(values, length, stride) for the values along theta at every (x, y) node, each line continued by `margin`
// layers on both sides, and keeps what it makes of the layers between.
template <class Line>
void for_theta_lines(const TableLayout& t, int margin, std::vector<double>& gap, ThreadPool& pool, const Line& line) {
  const auto n = static_cast<std::size_t>(t.nodes);
  std::vector<double> out(gap.size());
  pool.run(n, [&](std::size_t j) {
    const int length = t.theta_nodes + 2 * margin;
    std::vector<double> lines(static_cast<std::size_t>(length) * n);
    for (int k = 0; k < length; ++k)
      copy_row(t, gap, k - margin, static_cast<int>(j), lines.data() + static_cast<std::size_t>(k) * n);
    for (std::size_t i = 0; i < n; ++i) line(lines.data() + i, static_cast<std::size_t>(length), n);
    for (int k = 0; k < t.theta_nodes; ++k)
      std::copy_n(lines.data() + static_cast<std::size_t>(k + margin) * n, n,
                  out.data() + static_cast<std::size_t>(k) * t.plane() + j * n);
  });
  gap = std::move(out);
}

// What lies between the theta nodes where the exact depth jumps, seen from the node below and from the node above:
// there the peak of the least motion can be a whole theta step away from both.
struct BetweenNodes {
  std::vector<double> below;  // [interval after theta node k][y][x]
  std::vector<double> above;
};

BetweenNodes sample_jumps(const PairGeometry& geometry, const TableLayout& t, const std::vector<double>& gap,
                          ThreadPool& pool) {
  constexpr int parts = 16;
  const double step = t.period() / t.theta_nodes, slope = geometry.ratio * step, middle = 0.5 * (t.nodes - 1);
  BetweenNodes between{gap, {}};
  between.above.resize(gap.size());
  pool.run(static_cast<std::size_t>(t.theta_nodes), [&](std::size_t k) {
    const auto n = static_cast<std::size_t>(t.nodes);
    double* below = between.below.data() + k * t.plane();
    double* above = between.above.data() + k * t.plane();
    for (std::size_t j = 0; j < n; ++j) copy_row(t, gap, static_cast<int>(k) + 1, static_cast<int>(j), above + j * n);
    bool jumps = false;
    std::vector<std::size_t> inside;
    for (std::size_t at = 0; at < t.plane(); ++at) {
      if (std::min(below[at], above[at]) >= 0) continue;
      inside.push_back(at);
      jumps = jumps || std::abs(below[at] - above[at]) > 1.001 * slope;
    }
    for (int part = 1; part < parts && jumps; ++part) {
      const double way = static_cast<double>(part) / parts;
      const ExactSlice slice(geometry, step * (static_cast<double>(k) + way));
      for (const std::size_t at : inside) {
        const double x = static_cast<double>(at % n) - middle, y = static_cast<double>(at / n) - middle;
        const double d = slice.query({t.spacing * x, t.spacing * y}).gap;
        below[at] = std::max(below[at], d - slope * way);
        above[at] = std::max(above[at], d - slope * (1 - way));
      }
    }
  });
  return between;
}

// The least motion instead of the translation where the exact depth jumps (map/least_motion.hpp).
void lift(const PairGeometry& geometry, const TableLayout& t, std::vector<double>& gap, ThreadPool& pool) {
  if (t.theta_nodes == 1) return;
  const BetweenNodes between = sample_jumps(geometry, t, gap, pool);
  const auto n = static_cast<std::size_t>(t.nodes);
  pool.run(static_cast<std::size_t>(t.theta_nodes), [&](std::size_t k) {
    std::vector<double> above(n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t row = k * t.plane() + j * n;
      copy_row(t, between.above, static_cast<int>(k) - 1, static_cast<int>(j), above.data());
      for (std::size_t i = 0; i < n; ++i) gap[row + i] = std::max(between.below[row + i], above[i]);
    }
  });
  const double slope = geometry.ratio * t.period() / t.theta_nodes;
  const double deepest = -*std::min_element(gap.begin(), gap.end());
  const double turn = t.theta_nodes * t.periods;  // a line need not be continued by more than a whole turn
  const int margin = static_cast<int>(std::clamp(std::ceil(deepest / slope), 0.0, turn));
  for_theta_lines(t, margin, gap, pool, [&](double* values, std::size_t length, std::size_t stride) {
    lift_line(values, length, stride, slope);
  });
}

// Samples to spline coefficients along x, y and theta.
void prefilter(const TableLayout& t, std::vector<double>& gap, ThreadPool& pool) {
  const auto n = static_cast<std::size_t>(t.nodes);
  pool.run(static_cast<std::size_t>(t.theta_nodes), [&](std::size_t layer) {
    double* plane = gap.data() + layer * t.plane();
    for (std::size_t k = 0; k < n; ++k) prefilter_mirror(plane + k * n, n, 1);
    for (std::size_t k = 0; k < n; ++k) prefilter_mirror(plane + k, n, n);
  });
  if (t.theta_nodes == 1) return;
  for_theta_lines(t, static_cast<int>(prefilter_margin), gap, pool, prefilter_mirror);
}

// The stored layers, from theta node `first` on, as T.
template <class T, class In>
std::vector<T> unroll(const TableLayout& t, const std::vector<In>& layers, int first, int count) {
  const auto n = static_cast<std::size_t>(t.nodes);
  std::vector<T> out(static_cast<std::size_t>(count) * t.plane());
  std::vector<float> row(n);
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < t.nodes; ++j) {
      copy_row(t, layers, first + k, j, row.data());
      T* to = out.data() + static_cast<std::size_t>(k) * t.plane() + static_cast<std::size_t>(j) * n;
      for (std::size_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<T, float>)
          to[i] = row[i];
        else
          to[i] = to_half(row[i]);
      }
    }
  return out;
}

}  // namespace

TableData build_table(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool, const Progress& progress) {
  TableData data;
  data.layout = table_layout(pair, settings);
  const TableLayout& t = data.layout;
  const PairGeometry geometry(pair);
  Samples samples = sample_nodes(geometry, t, settings.epsilon, pool, progress);
  lift(geometry, t, samples.gap, pool);
  prefilter(t, samples.gap, pool);
  const int first = t.theta_nodes == 1 ? 0 : -1;
  if (settings.storage == TableStorage::fp32)
    data.gap = unroll<float>(t, samples.gap, first, t.gap_layers());
  else
    data.gap = unroll<std::uint16_t>(t, samples.gap, first, t.gap_layers());
  data.arm = unroll<std::uint16_t>(t, samples.arm, 0, t.arm_layers());
  return data;
}

}  // namespace scree
