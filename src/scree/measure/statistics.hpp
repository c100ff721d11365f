#pragma once
// Several runs as one number, and power laws through points.
#include <cstddef>
#include <vector>

namespace scree {

// Several runs that differ in their seed only.
struct Spread {
  double mean = 0;
  double deviation = 0;  // of one run: standard deviation, 0 for a single one
  std::size_t count = 0;
  double error() const;  // standard error of the mean; NaN for a single run
};
Spread spread(const std::vector<double>& values);

// Is a below b by more than their spread: the difference of the means is above its own standard error.
bool clearly_below(const Spread& a, const Spread& b);

// y = factor x^exponent by least squares of the logarithms. Three points or more.
struct PowerFit {
  double exponent = 0;
  double error = 0;  // standard error of the exponent
  double factor = 0;
  double at(double x) const;
};
PowerFit fit_power(const std::vector<double>& x, const std::vector<double>& y);

// y = factor (x - offset)^exponent, all three free: least squares of the logarithms, weighted by the errors of y, by a
// scan of the offset between `least` and `most`. The error of the exponent contains that of the offset: it spans all
// offsets whose chi square exceeds the least one by no more than 1, or by that of a freedom when the errors are too
// small to explain it. Four points or more, all above `most`.
struct OffsetPowerFit {
  double exponent = 0;
  double error = 0;
  double offset = 0;
  double factor = 0;
  double at(double x) const;
};
OffsetPowerFit fit_offset_power(const std::vector<double>& x, const std::vector<double>& y,
                                const std::vector<double>& error, double least, double most);

}  // namespace scree
