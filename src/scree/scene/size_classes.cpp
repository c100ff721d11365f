#include "scree/scene/size_classes.hpp"

#include <cmath>
#include <numbers>

namespace scree {

namespace {

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Share of bin i of n over [-2, 2] standard deviations; the outer bins reach to infinity.
double normal_share(int i, int n) {
  const double lower = i == 0 ? 0 : normal_cdf(-2 + 4.0 * i / n);
  const double upper = i == n - 1 ? 1 : normal_cdf(-2 + 4.0 * (i + 1) / n);
  return upper - lower;
}

}  // namespace

std::vector<SizeClass> size_classes(const std::string& distribution, double mean, double spread, int classes) {
  const double variation = spread / mean;
  const double log_deviation = std::sqrt(std::log1p(variation * variation));
  const double log_median = std::log(mean) - 0.5 * log_deviation * log_deviation;
  std::vector<SizeClass> out;
  for (int i = 0; i < classes; ++i) {
    const double middle = -1 + (2.0 * i + 1) / classes;  // in [-1, 1]
    if (distribution == "uniform") {
      out.push_back({mean + spread * middle, 1.0 / classes});
    } else if (distribution == "normal") {
      out.push_back({mean + 2 * spread * middle, normal_share(i, classes)});
    } else {
      out.push_back({std::exp(log_median + 2 * log_deviation * middle), normal_share(i, classes)});
    }
  }
  return out;
}

}  // namespace scree
