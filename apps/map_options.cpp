#include "map_options.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

#include "finite_number.hpp"
#include "interrupt.hpp"
#include "scree/base/rng.hpp"
#include "scree/cuda/train.hpp"
#include "scree/learn/factory.hpp"
#include "scree/learn/sampling.hpp"
#include "scree/learn/train.hpp"
#include "scree/map/star_map.hpp"
#include "scree/shape/clump.hpp"
#include "shape_argument.hpp"

namespace scree::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

void add_map_settings(CLI::App& c, MapSettings& s, bool with_kind) {
  if (with_kind)
    c.add_option("--kind", s.kind, "kind of map")->check(CLI::IsMember(map_kinds()))->capture_default_str();
  c.add_option("--epsilon", s.epsilon, "smoothing length of face contact")
      ->check(finite_number)
      ->check(CLI::Range(0.0, 0.2))
      ->capture_default_str();
  if (with_kind) {
    c.add_option("--nodes", s.nodes, "table: nodes in x and in y")->check(CLI::Range(16, 1024))->capture_default_str();
    c.add_option("--theta-nodes", s.theta_nodes, "table: nodes over the reduced period; 0: chosen")
        ->check(CLI::Range(0, 4096));
    c.add_option_function<std::string>(
         "--storage", [&s](const std::string& v) { s.storage = v == "fp16" ? TableStorage::fp16 : TableStorage::fp32; },
         "table: fp16 or fp32")
        ->check(CLI::IsMember({"fp16", "fp32"}));
    c.add_option("--grid", s.grid, "grid-minimum: points a side")->check(CLI::Range(11, 2001))->capture_default_str();
    c.add_option("--star-nodes", s.star_nodes, "star: nodes a grain")
        ->check(CLI::Range(fewest_star_nodes, most_star_nodes))
        ->capture_default_str();
    c.add_option_function<std::string>(
         "--star-distance",
         [&s](const std::string& v) {
           s.star_distance = v == "radial" ? StarDistance::radial : StarDistance::first_order;
         },
         "star: first-order or radial")
        ->check(CLI::IsMember({"first-order", "radial"}));
    c.add_option("--clump-discs", s.clump_discs, "clump: discs a grain at most; 0: by the tolerance")
        ->check(CLI::Range(0, most_clump_discs))
        ->capture_default_str();
    c.add_option("--clump-tolerance", s.clump_tolerance, "clump: error of the outline, in radii")
        ->check(finite_number)
        ->check(CLI::Range(least_clump_tolerance, most_clump_tolerance))
        ->capture_default_str();
  }
  c.add_option("--net", s.net, "neural: architecture")->check(CLI::IsMember(net_names()))->capture_default_str();
  c.add_option("--seed", s.seed, "neural: of weights and samples")->capture_default_str();
  c.add_option("--samples", s.samples, "neural: training samples; 0: the net's default")->check(CLI::NonNegativeNumber);
  c.add_option("--epochs", s.epochs, "neural: passes over the samples; 0: the net's default")
      ->check(CLI::NonNegativeNumber);
}

Fitter fitter_on(const std::string& device) { return device == "cuda" ? gpu_fitter() : Fitter{}; }

OwnedPair make_pair_argument(const std::string& a, const std::string& b, double ratio) {
  return {shape_argument(a), shape_argument(b), ratio};
}

std::unique_ptr<ContactMap> build_map_shown(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                                            ProgressLine& line, double& seconds, const Fitter& fitter) {
  const auto start = Clock::now();
  const Progress progress = [&](double fraction, const std::string& stage) {
    if (interrupted()) throw Interrupted();
    if (line.due())
      line.show(fmt::format("{} {} {} - {}  {}", bar(fraction), settings.kind, pair.a->name, pair.b->name, stage));
  };
  auto map = build_map(pair, settings, pool, progress, fitter);
  seconds = seconds_since(start);
  line.clear();
  return map;
}

double query_nanoseconds(const ContactMap& map, const ShapePair& pair) {
  ThreadPool one(1);
  // The exact map makes a slice for every angle, so it gets few poses; the others enough to leave the caches warm.
  const bool slow = map.kind() == "exact" || map.kind() == "grid-minimum";
  const std::vector<Pose2d> poses = sample_exact(pair, slow ? 256 : 8192, 7, one).poses;
  std::vector<ContactGeometry> out(poses.size());
  std::vector<PairContact> contacts;
  // What the engine asks for: all contacts of a pair where there can be several.
  const auto ask = [&] {
    if (!map.several()) return map.query_batch(poses, out);
    for (const Pose2d& q : poses) {
      contacts.clear();
      map.touching(q, all_parts, contacts);
    }
  };
  ask();
  double best = 1e300, spent = 0;
  for (int round = 0; round < 50 && (round < 1 || spent < 0.3); ++round) {
    const auto start = Clock::now();
    ask();
    const double seconds = seconds_since(start);
    spent += seconds;
    best = std::min(best, seconds);
  }
  return best * 1e9 / static_cast<double>(poses.size());
}

double seam(const ContactMap& map) {
  Rng rng(11);
  double most = 0;
  const double near_pi = std::numbers::pi - 1e-9;
  for (int k = 0; k < 2000; ++k) {
    const double r = map.reach() * std::sqrt(rng.uniform()), phi = rng.uniform(0, 2 * std::numbers::pi);
    const Vec2d x{r * std::cos(phi), r * std::sin(phi)};
    most = std::max(most, std::abs(map.query({near_pi, x}).gap - map.query({-near_pi, x}).gap));
  }
  return most;
}

std::string bytes_text(std::size_t bytes) {
  const double b = static_cast<double>(bytes);
  return b < 1e3   ? fmt::format("{} B", bytes)
         : b < 1e6 ? fmt::format("{:.1f} kB", b / 1e3)
                   : fmt::format("{:.2f} MB", b / 1e6);
}

std::string nanoseconds_text(double ns) {
  return ns < 1e3   ? fmt::format("{:.0f} ns", ns)
         : ns < 1e6 ? fmt::format("{:.2f} µs", ns / 1e3)
                    : fmt::format("{:.2f} ms", ns / 1e6);
}

}  // namespace scree::cli
