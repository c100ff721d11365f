#include "scree/learn/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "scree/learn/adam.hpp"
#include "scree/learn/backprop.hpp"

namespace scree {
namespace {

constexpr std::size_t chunk = 64;  // samples; a minibatch has several, for as many threads

// What one chunk of a minibatch reads and yields.
struct Slot {
  FloatArray input, target, gradient;
  double loss = 0;
};

class Fit {
 public:
  Fit(Mlp& net, const FitData& data, const FitSettings& settings, ThreadPool& pool)
      : net_(net), data_(data), settings_(settings), pool_(pool), adam_(net.parameters.size()), order_(data.count) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    slots_.resize(std::max<std::size_t>(1, chunk_count(settings.batch, chunk)));
    batch_ = slots_.size() * chunk;
    const auto inputs = static_cast<std::size_t>(net.shape.inputs);
    for (Slot& slot : slots_) {
      slot.input.resize(chunk * inputs);
      slot.target.resize(chunk);
      slot.gradient.resize(net.parameters.size());
    }
    sum_.resize(net.parameters.size());
  }

  double run(const FitReport& report) {
    const std::size_t batches = std::max<std::size_t>(1, data_.count / batch_);
    const std::size_t steps = batches * static_cast<std::size_t>(settings_.epochs);
    double rmse = 0;
    for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
      shuffle(epoch);
      double loss = 0;
      for (std::size_t b = 0; b < batches; ++b) {
        loss += batch_gradient(b * batch_);
        const std::size_t step = static_cast<std::size_t>(epoch) * batches + b;
        adam_.step(net_.parameters, sum_, one_cycle_rate(settings_.rate, step, steps));
      }
      rmse = std::sqrt(loss / static_cast<double>(batches * batch_));
      if (!std::isfinite(rmse)) fit_broke_down(settings_, epoch);
      if (report) report((epoch + 1.0) / settings_.epochs, rmse);
    }
    return rmse;
  }

 private:
  void shuffle(int epoch) {
    Rng rng(settings_.seed, 1 + static_cast<std::uint64_t>(epoch));
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
  }

  void gather(std::size_t begin, Slot& slot) const {
    const auto inputs = static_cast<std::size_t>(net_.shape.inputs);
    for (std::size_t s = 0; s < chunk; ++s) {
      const std::size_t from = order_[(begin + s) % order_.size()];
      std::copy_n(&data_.input[from * inputs], inputs, &slot.input[s * inputs]);
      slot.target[s] = data_.target[from];
    }
  }

  // Mean gradient over the minibatch into sum_; returns the sum of squared residuals.
  double batch_gradient(std::size_t begin) {
    pool_.run(slots_.size(), [&](std::size_t k) {
      Slot& slot = slots_[k];
      gather(begin + k * chunk, slot);
      slot.loss = backpropagate(net_, {chunk, slot.input.data(), slot.target.data()}, slot.gradient);
    });
    std::fill(sum_.begin(), sum_.end(), 0.0f);
    double loss = 0;
    for (const Slot& slot : slots_) {
      for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += slot.gradient[i];
      loss += slot.loss;
    }
    const float mean = 1.0f / static_cast<float>(batch_);
    for (float& g : sum_) g *= mean;
    return loss;
  }

  Mlp& net_;
  const FitData& data_;
  const FitSettings& settings_;
  ThreadPool& pool_;
  Adam adam_;
  std::vector<std::uint32_t> order_;
  std::vector<Slot> slots_;
  FloatArray sum_;
  std::size_t batch_ = 0;
};

}  // namespace

void initialise(Mlp& net, std::uint64_t seed) {
  Rng rng(seed);
  for (int l = 0; l < net.shape.layers(); ++l) {
    const double bound = 1 / std::sqrt(net.shape.columns(l));
    for (float& w : net.weight(l)) w = static_cast<float>(std::sqrt(6.0) * bound * rng.uniform(-1, 1));
    for (float& b : net.bias(l)) b = static_cast<float>(bound * rng.uniform(-1, 1));
  }
}

void fit_broke_down(const FitSettings& settings, int epoch) {
  throw Error(ErrorKind::input, settings.name,
              cat("training broke down in epoch ", epoch + 1, ": the loss is not a number"),
              "try another seed, or look for samples that are not finite");
}

void check_fit(const FitData& data, const FitSettings& settings) {
  if (data.count > 0 && settings.epochs > 0) return;
  throw Error(ErrorKind::input, settings.name, "training needs at least one sample and one epoch",
              "leave samples and epochs at 0 to get the net's own numbers");
}

double fit(Mlp& net, const FitData& data, const FitSettings& settings, ThreadPool& pool, const FitReport& report) {
  check_fit(data, settings);
  initialise(net, settings.seed);
  return Fit(net, data, settings, pool).run(report);
}

}  // namespace scree
