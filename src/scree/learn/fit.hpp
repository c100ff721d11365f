#pragma once
// Fits a perceptron to samples by least squares: minibatches in a new random order each epoch, Adam, one cycle of the
// learning rate, 32-bit floats. A minibatch is cut into chunks of fixed size whose gradients are added in order, so a
// seed gives the same bits for any thread count.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/map/mlp.hpp"

namespace scree {

struct FitData {
  std::size_t count = 0;
  std::vector<float> input;   // [count][inputs]
  std::vector<float> target;  // [count]
};

struct FitSettings {
  int epochs = 20;
  std::size_t batch = 512;       // rounded up to whole chunks
  double rate = 1e-2;            // peak of the learning rate
  std::uint64_t seed = 1;        // of the initial weights and of the order of the samples
  std::string name = "the net";  // for messages
};

// Called after each epoch with the finished fraction and the root of the mean squared residual over that epoch.
using FitReport = std::function<void(double fraction, double rmse)>;

// Error(input) when there is nothing to train on, or no epoch to do it in.
void check_fit(const FitData& data, const FitSettings& settings);
// Error(input): the loss is not a number any more.
[[noreturn]] void fit_broke_down(const FitSettings& settings, int epoch);

// Weights uniform in +-sqrt(6 / fan-in) (He et al. 2015), biases uniform in +-1 / sqrt(fan-in).
void initialise(Mlp& net, std::uint64_t seed);

// Trains `net` from `initialise`. Returns the rmse over the last epoch. Error(input) when the loss is no longer finite.
double fit(Mlp& net, const FitData& data, const FitSettings& settings, ThreadPool& pool, const FitReport& report = {});

// Another way to do what `fit` does, e.g. on a GPU. Empty: `fit`.
using Fitter = std::function<double(Mlp&, const FitData&, const FitSettings&, const FitReport&)>;

}  // namespace scree
