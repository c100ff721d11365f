#pragma once
// A distribution of grain radii cut into classes.
#include <string>
#include <vector>

namespace scree {

struct SizeClass {
  double radius = 0;    // length
  double fraction = 0;  // by number; all add up to 1
};

// Classes of equal width (lognormal: in ln r), each with its midpoint as radius and the probability of its bin; the
// bins cover mean +- spread (uniform) or two standard deviations, and the outer ones take the tails.
// `distribution`: "uniform", "normal" or "lognormal"; `spread`: half width or standard deviation.
std::vector<SizeClass> size_classes(const std::string& distribution, double mean, double spread, int classes);

}  // namespace scree
