#include <algorithm>
#include <mutex>

#include "scree/base/spline.hpp"
#include "scree/map/exact_slice.hpp"
#include "scree/map/half.hpp"
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
  const auto n = static_cast<std::size_t>(t.nodes);
  for (std::size_t k = 0; k < n; ++k) prefilter_mirror(gap + k * n, n, 1);
  for (std::size_t k = 0; k < n; ++k) prefilter_mirror(gap + k, n, n);
}

Samples sample_nodes(const ShapePair& pair, const TableLayout& t, double epsilon, ThreadPool& pool,
                     const Progress& progress) {
  const PairGeometry geometry(pair);
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

void prefilter_theta(const TableLayout& t, std::vector<double>& gap, ThreadPool& pool) {
  if (t.theta_nodes == 1) return;
  const auto n = static_cast<std::size_t>(t.nodes);
  const auto margin = static_cast<int>(prefilter_margin);
  std::vector<double> out(gap.size());
  pool.run(n, [&](std::size_t j) {
    const int length = t.theta_nodes + 2 * margin;
    std::vector<double> lines(static_cast<std::size_t>(length) * n);
    for (int k = 0; k < length; ++k)
      copy_row(t, gap, k - margin, static_cast<int>(j), lines.data() + static_cast<std::size_t>(k) * n);
    for (std::size_t i = 0; i < n; ++i) prefilter_mirror(lines.data() + i, static_cast<std::size_t>(length), n);
    for (int k = 0; k < t.theta_nodes; ++k)
      std::copy_n(lines.data() + static_cast<std::size_t>(k + margin) * n, n,
                  out.data() + static_cast<std::size_t>(k) * t.plane() + j * n);
  });
  gap = std::move(out);
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
  Samples samples = sample_nodes(pair, t, settings.epsilon, pool, progress);
  prefilter_theta(t, samples.gap, pool);
  const int first = t.theta_nodes == 1 ? 0 : -1;
  if (settings.storage == TableStorage::fp32)
    data.gap = unroll<float>(t, samples.gap, first, t.gap_layers());
  else
    data.gap = unroll<std::uint16_t>(t, samples.gap, first, t.gap_layers());
  data.arm = unroll<std::uint16_t>(t, samples.arm, 0, t.arm_layers());
  return data;
}

}  // namespace scree
