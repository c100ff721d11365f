#pragma once
// Makers of measures by family. Private to measure/.
#include <memory>

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

// A measure whose `state`, of which read(state, snapshot) makes use, is remembered.
template <class State, class Read>
Measure remembering(std::vector<MeasureColumn> columns, std::vector<MeasureColumn> table, State state, Read read) {
  const auto kept = std::make_shared<State>(std::move(state));
  return {std::move(columns), std::move(table), [kept, read](const Snapshot& s) { return read(*kept, s); },
          [kept](Memory& m) { m(*kept); }};
}

template <class T>
double real(T value) {
  return static_cast<double>(value);
}

}  // namespace scree::kinds
