#include "scree/measure/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "scree/measure/line_fit.hpp"

namespace scree {

namespace {

// ln y = intercept + slope ln(x - offset), with weights (y / error)^2.
struct LogFit {
  double slope = 0, intercept = 0;
  double slope_error = 0;  // from the weights alone
  double chi_square = 0;
};

LogFit log_fit(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& error,
               double offset) {
  double w = 0, wu = 0, wv = 0, wuu = 0, wuv = 0;
  const auto weight = [&](std::size_t k) { return std::pow(y[k] / error[k], 2); };
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double u = std::log(x[k] - offset), v = std::log(y[k]);
    w += weight(k);
    wu += weight(k) * u;
    wv += weight(k) * v;
    wuu += weight(k) * u * u;
    wuv += weight(k) * u * v;
  }
  LogFit fit;
  const double determinant = w * wuu - wu * wu;
  fit.slope = (w * wuv - wu * wv) / determinant;
  fit.intercept = (wv - fit.slope * wu) / w;
  fit.slope_error = std::sqrt(w / determinant);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double r = std::log(y[k]) - fit.intercept - fit.slope * std::log(x[k] - offset);
    fit.chi_square += weight(k) * r * r;
  }
  return fit;
}

}  // namespace

double Spread::error() const { return count > 1 ? deviation / std::sqrt(static_cast<double>(count)) : std::nan(""); }

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
  std::vector<Vec2d> points;
  for (std::size_t k = 0; k < x.size(); ++k) points.push_back({std::log(x[k]), std::log(y[k])});
  const LineFit fit = fit_line(points, "a power law");
  return {fit.slope, fit.slope_error, std::exp(fit.intercept)};
}

double OffsetPowerFit::at(double x) const { return factor * std::pow(x - offset, exponent); }

OffsetPowerFit fit_offset_power(const std::vector<double>& x, const std::vector<double>& y,
                                const std::vector<double>& error, double least, double most) {
  constexpr int steps = 400;
  std::vector<std::pair<double, LogFit>> trials;  // by offset
  for (int k = 0; k <= steps; ++k) {
    const double offset = least + (most - least) * k / steps;
    trials.emplace_back(offset, log_fit(x, y, error, offset));
  }
  const auto& [offset, best] =
      *std::ranges::min_element(trials, {}, [](const auto& trial) { return trial.second.chi_square; });
  const double unit = std::max(1.0, best.chi_square / static_cast<double>(x.size() - 3));
  double lo = best.slope, hi = best.slope;
  for (const auto& [other, fit] : trials) {
    if (fit.chi_square > best.chi_square + unit) continue;
    lo = std::min(lo, fit.slope);
    hi = std::max(hi, fit.slope);
  }
  const double fixed = best.slope_error * std::sqrt(unit);  // at this offset
  return {best.slope, std::max((hi - lo) / 2, fixed), offset, std::exp(best.intercept)};
}

}  // namespace scree
