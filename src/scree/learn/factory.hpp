#pragma once
// Maps by name. The one place that knows how to make every kind; scene files, CLI and conformance tests go through it.
// It lives here and not in map/ because making a neural map means training one.
#include <memory>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/learn/fit.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/map/progress.hpp"
#include "scree/map/settings.hpp"

namespace scree {

std::vector<std::string> map_kinds();

// Builds a map and measures its error against the exact map (stored in map->error()).
// Two true discs always get the closed form, whatever the kind. `fitter` trains nets.
std::unique_ptr<ContactMap> build_map(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                                      const Progress& progress = {}, const Fitter& fitter = {});

}  // namespace scree
