// Neural maps on the GPU: time of value, gradient and arm, and their distance from the nets in double precision.
// bench/torch_maps.py measures the same maps with PyTorch.
//
//   scree map build hash hash --kind neural -o hash.safetensors
//   bench_neural_query hash.safetensors [more maps] > neural_query.csv
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "cuda/random_poses.hpp"
#include "map/mlp_reference.hpp"
#include "scree/base/rng.hpp"
#include "scree/cuda/neural_query.hpp"
#include "scree/map/safetensors.hpp"

namespace scree {
namespace {

using test::Poses;
using test::random_poses;

// Device arrays of one batch and its answers.
class Batch {
 public:
  explicit Batch(const Poses& poses)
      : count_(poses.x.size()), x_(std::span(poses.x)), y_(std::span(poses.y)), theta_(std::span(poses.theta)) {
    for (auto& out : out_) out = DeviceBuffer<float>(count_);
    const PoseRange range{0, static_cast<std::uint32_t>(count_)};
    range_ = DeviceBuffer<PoseRange>(std::span(&range, 1));
    for (auto& out : out_) out.fill_bytes(0xff);
  }
  void run(const NeuralMapSet& maps, NeuralAnswer answer) {
    maps.query({x_.data(), y_.data(), theta_.data()}, range_.data(), count_,
               {out_[0].data(), out_[1].data(), out_[2].data(), out_[3].data(), out_[4].data()}, answer);
  }
  // gap, gap_theta, gap_x, gap_y, arm
  std::vector<std::vector<float>> answers() const {
    std::vector<std::vector<float>> all;
    for (const auto& out : out_) all.push_back(out.download());
    return all;
  }

 private:
  std::size_t count_;
  DeviceBuffer<float> x_, y_, theta_;
  DeviceBuffer<float> out_[5];
  DeviceBuffer<PoseRange> range_;
};

class Timer {
 public:
  Timer() {
    cuda_check(cudaEventCreate(&begin_), "timing");
    cuda_check(cudaEventCreate(&end_), "timing");
  }
  // Milliseconds of one call: median over `repeats` runs of `calls` each.
  template <class F>
  double median(int repeats, int calls, F&& call) {
    std::vector<double> times;
    for (int r = 0; r < repeats + 3; ++r) {
      cuda_check(cudaEventRecord(begin_), "timing");
      for (int i = 0; i < calls; ++i) call();
      cuda_check(cudaEventRecord(end_), "timing");
      cuda_check(cudaEventSynchronize(end_), "timing");
      float ms = 0;
      cuda_check(cudaEventElapsedTime(&ms, begin_, end_), "timing");
      if (r >= 3) times.push_back(ms / calls);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  cudaEvent_t begin_, end_;
};

struct Errors {
  double gap = 0, gap_rms = 0, gradient = 0, gradient_rms = 0, arm = 0;
};

// Largest |gap - gap64|, |gradient - gradient64| / |gradient64| and |arm - arm64|.
Errors compare(const NeuralMap& map, const Poses& poses, const std::vector<std::vector<float>>& out) {
  Errors errors;
  const auto gap_p = test::widened(map.gap_net().parameters), arm_p = test::widened(map.arm_net().parameters);
  const int k = map.encoding().order;
  double square = 0, gradient_square = 0;
  for (std::size_t i = 0; i < poses.x.size(); ++i) {
    std::vector<double> in = {poses.x[i], poses.y[i], poses.theta[i]};
    if (map.encoding().periodic) in = {in[0], in[1], std::cos(k * in[2]), std::sin(k * in[2])};
    const auto d = test::evaluate_reference(map.gap_net().shape, gap_p, in);
    const auto c = test::evaluate_reference(map.arm_net().shape, arm_p, in);
    const double turn = map.encoding().periodic ? k * (d.gradient[3] * in[2] - d.gradient[2] * in[3]) : d.gradient[2];
    const double length = std::hypot(turn, d.gradient[0], d.gradient[1]);
    const double off = std::hypot(out[1][i] - turn, out[2][i] - d.gradient[0], out[3][i] - d.gradient[1]) / length;
    const auto raise = [](double& worst, double v) { worst = v > worst || std::isnan(v) ? v : worst; };
    raise(errors.gap, std::abs(out[0][i] - d.value));
    raise(errors.gradient, off);
    raise(errors.arm, std::abs(out[4][i] - c.value));
    square += (out[0][i] - d.value) * (out[0][i] - d.value);
    gradient_square += off * off;
  }
  errors.gap_rms = std::sqrt(square / static_cast<double>(poses.x.size()));
  errors.gradient_rms = std::sqrt(gradient_square / static_cast<double>(poses.x.size()));
  return errors;
}

// Products and sums of a net at one pose, counted once: 2 a weight, and again for the gradient.
double flops(const Mlp& net, bool gradient) {
  double weights = 0;
  for (int l = 0; l < net.shape.layers(); ++l) weights += static_cast<double>(net.weight(l).size());
  return 2 * weights * (gradient ? 2 : 1);
}

void measure(const char* path) {
  const auto map = NeuralMap::load(read_safetensors(path), path);
  const NeuralMap* one = map.get();
  const NeuralMapSet set(std::span(&one, 1));
  const double work = flops(map->gap_net(), true) + flops(map->arm_net(), false);
  {
    const Poses poses = random_poses(8011, map->reach(), 7);
    Batch batch(poses), again(poses);
    batch.run(set, NeuralAnswer::all);
    again.run(set, NeuralAnswer::all);
    const auto out = batch.answers(), twice = again.answers();
    const Errors e = compare(*map, poses, out);
    std::printf("# %s: |gap| %.2e rms %.2e, gradient %.2e rms %.2e, arm %.2e, two runs %s\n", map->name().c_str(),
                e.gap, e.gap_rms, e.gradient, e.gradient_rms, e.arm, out == twice ? "equal" : "DIFFER");
  }
  Timer timer;
  for (const std::size_t n : {30'000u, 300'000u, 3'000'000u}) {
    Batch batch(random_poses(n, map->reach(), 11));
    const int calls = n > 1'000'000 ? 4 : 40;
    for (const auto answer : {NeuralAnswer::all, NeuralAnswer::touching}) {
      const double ms = timer.median(15, calls, [&] { batch.run(set, answer); });
      std::printf("%s,%zu,%s,%.5f,%.2f\n", map->name().c_str(), n, answer == NeuralAnswer::all ? "all" : "touching", ms,
                  work * static_cast<double>(n) / ms * 1e-9);
    }
  }
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  std::printf("net,poses,answer,ms,tflops\n");
  try {
    for (int i = 1; i < argc; ++i) scree::measure(argv[i]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
