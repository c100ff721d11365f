#pragma once
// Fits networks on the GPU: the loss, the samples, the order, Adam and the learning rate of learn/fit.hpp. Sums run in
// another order than on the CPU, so the weights differ in their last bits and then, as training is chaotic, visibly;
// the errors are the same. One seed gives the same bits on every run: nothing is added in an order that varies.
#include "scree/learn/fit.hpp"

namespace scree {

// As `fit`, on the current device. Error(system) when the GPU is too small to hold a minibatch at once.
double fit_on_gpu(Mlp& net, const FitData& data, const FitSettings& settings, const FitReport& report = {});

// fit_on_gpu for build_map and train_neural_map_by, which then sample on the CPU and train on the GPU. Throws at once
// where that cannot be: Error(system) without a GPU, Error(input) in a build without its part.
Fitter gpu_fitter();

}  // namespace scree
