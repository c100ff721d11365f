#pragma once
// Kinetic energy and how fast it goes.
#include <optional>

#include "scree/measure/line_fit.hpp"
#include "scree/measure/selection.hpp"

namespace scree {

struct KineticEnergy {
  double translational = 0;  // sum m |v|^2 / 2
  double rotational = 0;     // sum I omega^2 / 2
  double total() const { return translational + rotational; }
};
KineticEnergy kinetic_energy(const Snapshot& s, const Members& members);

struct EnergyDecay {
  std::optional<double>
      half_time;  // since the first sample, when E was first down to E0 / 2, between samples by a line
  std::optional<double> time_constant;        // tau of the fit ln E = c - t / tau
  std::optional<double> time_constant_error;  // standard error
};

// Samples of energy over time, in order. A decay starts at the largest energy so far, the peak: a new one starts it
// anew. The fit takes samples with E >= floor times the peak; it needs three, and an energy that falls.
class DecayFit {
 public:
  explicit DecayFit(double floor) : floor_(floor) {}
  EnergyDecay add(double time, double energy);
  void remember(Memory& m) { m(peak_), m(last_), m(half_time_), m(logs_); }

 private:
  double floor_;
  std::optional<Vec2d> peak_;  // (t, E)
  Vec2d last_;
  std::optional<double> half_time_;
  RunningLine logs_;  // (t - t of the peak, ln E)
};

}  // namespace scree
