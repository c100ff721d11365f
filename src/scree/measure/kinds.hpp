#pragma once
// Makers of measures by family. Private to measure/.
#include "scree/measure/measure.hpp"

namespace scree::kinds {

Measure packing(const MeasureSettings& settings);
Measure surface(const MeasureSettings& settings);
Measure repose(const MeasureSettings& settings);
Measure surface_angle(const MeasureSettings& settings);
Measure runout(const MeasureSettings& settings);

Measure discharge(const MeasureSettings& settings);
Measure clog(const MeasureSettings& settings);
Measure velocity(const MeasureSettings& settings);
Measure mixing(const MeasureSettings& settings);
Measure energy(const MeasureSettings& settings);

Measure coordination(const MeasureSettings& settings);
Measure fabric(const MeasureSettings& settings);
Measure stress(const MeasureSettings& settings);
Measure forces(const MeasureSettings& settings);
Measure chains(const MeasureSettings& settings);

inline constexpr double degrees = 180 / std::numbers::pi;

// A mean: nothing where there is nothing to divide by.
inline std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

template <class T>
double real(T value) {
  return static_cast<double>(value);
}

}  // namespace scree::kinds
