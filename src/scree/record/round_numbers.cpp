#include "scree/record/round_numbers.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "scree/base/text.hpp"

namespace scree {

double round_down(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  const double lead = value / power * (1 + 1e-12);
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (double lead : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
    if (lead * power >= value * (1 - 1e-9)) return lead * power;
  return 10 * power;
}

std::vector<double> ticks(double top, int count) {
  // The round step whose number of ticks is nearest to what was asked for, a divisor of the top if there is one.
  double step = top, best = 1e300;
  const double power = std::pow(10.0, std::floor(std::log10(top / count)));
  for (double lead : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    const double n = top / (lead * power);
    const double cost = std::abs(n - count) + (std::abs(n - std::round(n)) < 1e-6 ? 0 : 2.5);
    if (cost < best) best = cost, step = lead * power;
  }
  std::vector<double> out;
  for (int k = 0; k * step <= top * (1 + 1e-9); ++k) out.push_back(k * step);
  return out;
}

std::string tick_label(double value, double step) {
  if (std::abs(value) < 1e-9 * step) return "0";
  if (step >= 1e5 || step < 1e-4) return cat(value);
  int digits = 0;
  for (double s = step; digits < 6 && std::abs(s - std::round(s)) > 1e-6 * s; s *= 10) ++digits;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace scree
