#pragma once
// Fits networks on the GPU: the loss, the samples, the order, Adam and the learning rate of learn/fit.hpp. Sums run in
// another order than on the CPU, so the weights differ in their last bits and then, as training is chaotic, visibly;
// the errors are the same. One seed gives the same bits on every run: nothing is added in an order that varies.
#include <memory>

#include "scree/learn/fit.hpp"
#include "scree/learn/train.hpp"

namespace scree {

// As `fit`, on the current device. Error(system) when the GPU is too small to hold a minibatch at once.
double fit_on_gpu(Mlp& net, const FitData& data, const FitSettings& settings, const FitReport& report = {});

// As `train_neural_map`, with `fit_on_gpu`. Samples come from the CPU.
std::unique_ptr<ContactMap> train_neural_map_on_gpu(const ShapePair& pair, const MapSettings& settings,
                                                    ThreadPool& pool, const Progress& progress = {});

}  // namespace scree
