#include "reproduce/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/experiment.hpp"
#include "scree/measure/line_fit.hpp"

namespace scree::cli {

namespace {

LineFit log_fit(const std::vector<double>& x, const std::vector<double>& y, double offset) {
  std::vector<Vec2d> points;
  for (std::size_t k = 0; k < x.size(); ++k) points.push_back({std::log(x[k] - offset), std::log(y[k])});
  return fit_line(points, "a power law");
}

double squares(const std::vector<double>& x, const std::vector<double>& y, double offset, const LineFit& fit) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double r = std::log(y[k]) - fit.intercept - fit.slope * std::log(x[k] - offset);
    sum += r * r;
  }
  return sum;
}

}  // namespace

double Spread::error() const { return count > 1 ? deviation / std::sqrt(static_cast<double>(count)) : unknown; }

Spread spread(const std::vector<double>& values) {
  Spread s;
  s.count = values.size();
  if (values.empty()) return s;
  for (const double v : values) s.mean += v / static_cast<double>(s.count);
  if (s.count < 2) return s;
  double sum = 0;
  for (const double v : values) sum += (v - s.mean) * (v - s.mean);
  s.deviation = std::sqrt(sum / static_cast<double>(s.count - 1));
  return s;
}

bool clearly_below(const Spread& a, const Spread& b) {
  return a.count > 1 && b.count > 1 && b.mean - a.mean > std::hypot(a.error(), b.error());
}

double PowerFit::at(double x) const { return factor * std::pow(x, exponent); }

PowerFit fit_power(const std::vector<double>& x, const std::vector<double>& y) {
  const LineFit fit = log_fit(x, y, 0);
  return {fit.slope, fit.slope_error, std::exp(fit.intercept)};
}

double OffsetPowerFit::at(double x) const { return factor * std::pow(x - offset, exponent); }

OffsetPowerFit fit_offset_power(const std::vector<double>& x, const std::vector<double>& y, double least, double most) {
  constexpr int steps = 400;
  struct Trial {
    double offset, sum;
    LineFit fit;
  };
  std::vector<Trial> trials;
  for (int k = 0; k <= steps; ++k) {
    const double offset = least + (most - least) * k / steps;
    const LineFit fit = log_fit(x, y, offset);
    trials.push_back({offset, squares(x, y, offset, fit), fit});
  }
  const Trial& best = *std::ranges::min_element(trials, {}, &Trial::sum);
  // One standard deviation: where the sum exceeds its least value by the variance of a residual.
  const double variance = best.sum / static_cast<double>(x.size() - 3);
  double lo = best.fit.slope, hi = best.fit.slope;
  for (const Trial& t : trials) {
    if (t.sum > best.sum + variance) continue;
    lo = std::min(lo, t.fit.slope);
    hi = std::max(hi, t.fit.slope);
  }
  return {best.fit.slope, std::max((hi - lo) / 2, best.fit.slope_error), best.offset, std::exp(best.fit.intercept)};
}

std::string plus_minus(double value, double error, int digits, const std::string& unit) {
  if (!std::isfinite(error)) return fmt::format("{:.{}f}{}", value, digits, unit);
  return fmt::format("{:.{}f} ± {:.{}f}{}", value, digits, error, digits, unit);
}

std::string plus_minus(const Spread& s, int digits, const std::string& unit) {
  return plus_minus(s.mean, s.count > 1 ? s.deviation : unknown, digits, unit);
}

}  // namespace scree::cli
