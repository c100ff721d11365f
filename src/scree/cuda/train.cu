#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "scree/cuda/device_buffer.hpp"
#include "scree/cuda/fit_kernel.cuh"
#include "scree/cuda/train.hpp"
#include "scree/learn/adam.hpp"

namespace scree {
namespace {

using gpu_fit::FitView;

struct FitKernel {
  int inputs, hidden, width;
  void (*kernel)(FitView, bool);
  std::size_t shared_bytes;
};

template <int inputs, int hidden, int width>
FitKernel fit_kernel() {
  return {inputs, hidden, width, gpu_fit::epoch_kernel<inputs, hidden, width>,
          sizeof(float) * gpu_fit::FitShape<inputs, hidden, width>::floats};
}

// The nets of the named recipes (learn/train.hpp).
const FitKernel& find_fit_kernel(const MlpShape& shape, const std::string& name) {
  static const std::array all = {fit_kernel<4, 5, 64>(), fit_kernel<4, 5, 32>(), fit_kernel<3, 5, 64>(),
                                 fit_kernel<3, 3, 32>()};
  for (const FitKernel& k : all) {
    if (k.inputs == shape.inputs && k.hidden == shape.hidden && k.width == shape.width) return k;
  }
  throw Error(
      ErrorKind::input, name,
      cat("the GPU has no kernel that trains ", shape.hidden, "x", shape.width, " on ", shape.inputs, " inputs"),
      "train it on the CPU");
}

class GpuFit {
 public:
  GpuFit(Mlp& net, const FitData& data, const FitSettings& settings)
      : net_(net),
        settings_(settings),
        kernel_(find_fit_kernel(net.shape, settings.name)),
        blocks_((std::max<std::size_t>(1, settings.batch) + 63) / 64 * 64 / gpu_fit::chunk),
        batches_(std::max<std::size_t>(1, data.count / (blocks_ * gpu_fit::chunk))),
        host_order_(data.count),
        input_(std::span<const float>(data.input)),
        target_(std::span<const float>(data.target)),
        order_(data.count),
        rates_(batches_),
        parameters_(std::span<const float>(net.parameters)),
        mean_(net.parameters.size()),
        square_(net.parameters.size()),
        gradients_(blocks_ * (net.parameters.size() + 1)),
        loss_(1) {
    std::iota(host_order_.begin(), host_order_.end(), std::uint32_t{0});
    mean_.fill_bytes(0);
    square_.fill_bytes(0);
    cuda_check(
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_.kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(kernel_.shared_bytes)),
        "shared memory for training");
  }

  double run(const FitReport& report) {
    double rmse = 0;
    for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
      prepare(epoch);
      launch();
      std::array<double, 1> loss{};
      loss_.download(loss);
      rmse = std::sqrt(loss[0] / static_cast<double>(batches_ * blocks_ * gpu_fit::chunk));
      if (!std::isfinite(rmse)) fit_broke_down(settings_, epoch);
      if (report) report((epoch + 1.0) / settings_.epochs, rmse);
    }
    parameters_.download(net_.parameters);
    return rmse;
  }

 private:
  // Order of the samples and Adam's factors, as Fit and Adam have them on the CPU.
  void prepare(int epoch) {
    Rng rng(settings_.seed, 1 + static_cast<std::uint64_t>(epoch));
    for (std::size_t i = host_order_.size(); i > 1; --i) std::swap(host_order_[i - 1], host_order_[rng.below(i)]);
    order_.upload(host_order_);
    std::vector<float2> rates(batches_);
    const std::size_t steps = batches_ * static_cast<std::size_t>(settings_.epochs);
    for (std::size_t b = 0; b < batches_; ++b) {
      decay1_ *= 0.9f;
      decay2_ *= 0.99f;
      const double rate = one_cycle_rate(settings_.rate, static_cast<std::size_t>(epoch) * batches_ + b, steps);
      rates[b] = {static_cast<float>(rate / (1 - decay1_)), static_cast<float>(1 / (1 - decay2_))};
    }
    rates_.upload(rates);
    loss_.fill_bytes(0);
  }

  void launch() {
    FitView view{input_.data(),      target_.data(),
                 order_.data(),      static_cast<std::uint32_t>(host_order_.size()),
                 rates_.data(),      static_cast<int>(batches_),
                 parameters_.data(), mean_.data(),
                 square_.data(),     gradients_.data(),
                 loss_.data(),       static_cast<int>(net_.parameters.size())};
    bool silu = net_.shape.activation == Activation::silu;
    void* arguments[] = {&view, &silu};
    cuda_check(
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel_.kernel), dim3(static_cast<unsigned>(blocks_)),
                                    dim3(gpu_fit::threads), arguments, kernel_.shared_bytes, nullptr),
        "training on the GPU");
  }

  Mlp& net_;
  const FitSettings& settings_;
  const FitKernel& kernel_;
  std::size_t blocks_;
  std::size_t batches_;  // of an epoch
  std::vector<std::uint32_t> host_order_;
  DeviceBuffer<float> input_, target_;
  DeviceBuffer<std::uint32_t> order_;
  DeviceBuffer<float2> rates_;
  DeviceBuffer<float> parameters_, mean_, square_, gradients_;
  DeviceBuffer<double> loss_;
  double decay1_ = 1, decay2_ = 1;
};

}  // namespace

double fit_on_gpu(Mlp& net, const FitData& data, const FitSettings& settings, const FitReport& report) {
  check_fit(data, settings);
  initialise(net, settings.seed);
  return GpuFit(net, data, settings).run(report);
}

Fitter gpu_fitter() {
  int devices = 0;
  cuda_check(cudaGetDeviceCount(&devices), "looking for a GPU");
  return fit_on_gpu;
}

}  // namespace scree
