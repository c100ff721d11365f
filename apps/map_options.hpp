#pragma once
// Options that describe a contact map, and what is measured on one; shared by `scree map` and `scree bench`.
#include <memory>
#include <string>

#include "scree/base/parallel.hpp"
#include "scree/learn/fit.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/map/settings.hpp"
#include "terminal.hpp"

namespace CLI {
class App;
}

namespace scree::cli {

void add_map_settings(CLI::App& command, MapSettings& settings, bool with_kind);

// A pair that owns its shapes.
struct OwnedPair {
  Shape a, b;
  double ratio = 1;
  ShapePair pair() const { return {&a, &b, ratio}; }
};
OwnedPair make_pair_argument(const std::string& a, const std::string& b, double ratio);

// What trains nets on a device: "cpu" or "cuda".
Fitter fitter_on(const std::string& device);

// build_map with a progress line; Ctrl-C throws Interrupted. `seconds`: what it took.
std::unique_ptr<ContactMap> build_map_shown(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                                            ProgressLine& line, double& seconds, const Fitter& fitter = {});

// Time of one query in nanoseconds: value, gradient and arm, on one core, poses near contact; batched, or all contacts
// of a pose where a map tells several apart.
double query_nanoseconds(const ContactMap& map, const ShapePair& pair);
// Largest step of the gap across theta = +-pi.
double seam(const ContactMap& map);

std::string bytes_text(std::size_t bytes);
std::string nanoseconds_text(double ns);

}  // namespace scree::cli
