#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <regex>
#include <vector>

#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "scree/cuda/card.hpp"
#include "scree/cuda/neural_query.hpp"

namespace scree::gpu {

namespace {

class Timer {
 public:
  Timer() {
    cuda_check(cudaEventCreate(&begin_), "timing");
    cuda_check(cudaEventCreate(&end_), "timing");
  }
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Milliseconds of one call: median over `repeats` runs of `calls` each, after a few that do not count.
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
      if (r >= 3) times.push_back(ms / static_cast<float>(calls));
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, which, device), "looking for a GPU");
  return value;
}

// "580.159.04" as the kernel's module says it, else what CUDA makes of it.
std::string driver_version() {
  std::ifstream in("/proc/driver/nvidia/version");
  std::string line;
  std::smatch found;
  if (std::getline(in, line) && std::regex_search(line, found, std::regex(R"(\d{3}\.\d+(\.\d+)?)"))) return found.str();
  int version = 0;
  cuda_check(cudaDriverGetVersion(&version), "looking for a GPU");
  return cat("CUDA ", version / 1000, ".", version % 1000 / 10);
}

double copy_speed() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  DeviceBuffer<char> from(bytes), to(bytes);
  from.fill_bytes(1);
  const double ms = Timer().median(5, 4, [&] {
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice), "copying on the device");
  });
  return 2e3 * static_cast<double>(bytes) / ms;
}

// Products and sums a cycle and multiprocessor, of the GPUs whose data sheets say it: of halves with sums in 32 bits on
// the tensor cores, without sparsity, and of floats on the others.
struct PerCycle {
  double halves = 0, floats = 0;
};
PerCycle per_cycle(int device) {
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  const int minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
  if (major == 9) return {4096, 256};
  if (major == 8 && minor == 0) return {2048, 128};
  return {};
}

}  // namespace

void require_card() {
  int count = 0;
  cuda_check(cudaGetDeviceCount(&count), "looking for a GPU");
}

Card find_card() {
  int device = 0;
  cudaDeviceProp properties{};
  cuda_check(cudaGetDevice(&device), "looking for a GPU");
  cuda_check(cudaGetDeviceProperties(&properties, device), "looking for a GPU");
  const PerCycle most = per_cycle(device);
  const double cycles =
      1e3 * attribute(cudaDevAttrClockRate, device) * attribute(cudaDevAttrMultiProcessorCount, device);
  return {properties.name, driver_version(), copy_speed(), cycles * most.halves, cycles * most.floats};
}

std::size_t free_card_memory() {
  std::size_t free = 0, all = 0;
  cuda_check(cudaMemGetInfo(&free, &all), "memory of the GPU");
  return free;
}

double query_milliseconds(const NeuralMap& map, std::size_t poses) {
  // Evenly over the disc of the map's reach, at any angle.
  constexpr double pi = std::numbers::pi;
  Rng rng(11);
  std::vector<float> host[3];
  for (std::size_t i = 0; i < poses; ++i) {
    const double r = map.reach() * std::sqrt(rng.uniform()), phi = rng.uniform(0, 2 * pi);
    host[0].push_back(static_cast<float>(r * std::cos(phi)));
    host[1].push_back(static_cast<float>(r * std::sin(phi)));
    host[2].push_back(static_cast<float>(rng.uniform(-pi, pi)));
  }
  using Floats = DeviceBuffer<float>;
  const Floats x{std::span<const float>(host[0])}, y{std::span<const float>(host[1])},
      theta{std::span<const float>(host[2])};
  Floats gap(poses), gap_theta(poses), gap_x(poses), gap_y(poses), arm(poses);
  const PoseRange all{0, static_cast<std::uint32_t>(poses)};
  const DeviceBuffer<PoseRange> range{std::span<const PoseRange>(&all, 1)};
  const NeuralMap* one = &map;
  const NeuralMapSet set(std::span(&one, 1));
  return Timer().median(15, poses > 1'000'000 ? 4 : 40, [&] {
    set.query({x.data(), y.data(), theta.data()}, range.data(), poses,
              {gap.data(), gap_theta.data(), gap_x.data(), gap_y.data(), arm.data()}, NeuralAnswer::all);
  });
}

}  // namespace scree::gpu
