#pragma once
// The little statistics that verdicts need.
#include <string>
#include <vector>

namespace scree::cli {

// Several runs that differ in their seed only.
struct Spread {
  double mean = 0;
  double deviation = 0;  // of one run: standard deviation, 0 for a single one
  std::size_t count = 0;
  double error() const;  // standard error of the mean; `unknown` for a single run
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

// y = factor (x - offset)^exponent, all three free: least squares of the logarithms, by a scan of the offset between
// `least` and `most`. The error of the exponent contains that of the offset: it spans all offsets whose sum of squares
// exceeds the least one by no more than the variance of a residual. Four points or more, all above `most`.
struct OffsetPowerFit {
  double exponent = 0;
  double error = 0;
  double offset = 0;
  double factor = 0;
  double at(double x) const;
};
OffsetPowerFit fit_offset_power(const std::vector<double>& x, const std::vector<double>& y, double least, double most);

std::string plus_minus(double value, double error, int digits, const std::string& unit = "");  // "23.4 ± 1.2°"
std::string plus_minus(const Spread& s, int digits, const std::string& unit = "");

}  // namespace scree::cli
