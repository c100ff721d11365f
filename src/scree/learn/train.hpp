#pragma once
// Trains the neural map of a pair on exact targets (learn/sampling.hpp). Recipes are named; docs/neural-maps.md has
// their measured errors.
//
//   silu-5x64  gap 5x64 and arm 5x32, SiLU, (x, y, cos k theta, sin k theta)
//   relu-5x64  the paper's: gap 5x64 and arm 5x64, ReLU, (x, y, theta)
//   relu-3x32  the paper's small one: 3x32 twice
#include <memory>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/learn/factory.hpp"
#include "scree/learn/fit.hpp"
#include "scree/map/neural_map.hpp"
#include "scree/map/settings.hpp"

namespace scree {

std::vector<std::string> net_names();

// Trains settings.net for the pair. The same settings give the same bits for any thread count. Error(input) for an
// unknown net (with the nearest name), for absurd numbers of samples or epochs, and when training breaks down.
std::unique_ptr<ContactMap> train_neural_map(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                                             const Progress& progress = {});

// The same by another fitter; then the bits are its business.
std::unique_ptr<ContactMap> train_neural_map_by(const Fitter& fitter, const ShapePair& pair,
                                                const MapSettings& settings, ThreadPool& pool,
                                                const Progress& progress = {});

}  // namespace scree
