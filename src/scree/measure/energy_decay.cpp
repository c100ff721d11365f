#include "scree/measure/energy_decay.hpp"

#include <cmath>

namespace scree {

KineticEnergy kinetic_energy(const Snapshot& s, const Members& members) {
  KineticEnergy out;
  for (const std::uint32_t i : members) {
    out.translational += 0.5 * s.type_of(i).mass * norm2(s.v[i]);
    out.rotational += 0.5 * s.type_of(i).inertia * s.omega[i] * s.omega[i];
  }
  return out;
}

EnergyDecay DecayFit::add(double time, double energy) {
  if (!peak_ || energy > peak_->y) {
    peak_ = last_ = {time, energy};
    half_time_.reset();
    logs_ = {};
  }
  const double half = 0.5 * peak_->y;
  if (!half_time_ && time > peak_->x && energy <= half) {
    const double part = last_.y > energy ? (last_.y - half) / (last_.y - energy) : 1;
    half_time_ = last_.x + part * (time - last_.x) - peak_->x;
  }
  last_ = {time, energy};
  if (energy > 0 && energy >= floor_ * peak_->y) logs_.add({time - peak_->x, std::log(energy)});
  EnergyDecay out;
  out.half_time = half_time_;
  if (logs_.points() < 3) return out;
  const LineFit fit = logs_.fit();
  if (fit.slope < 0) {
    out.time_constant = -1 / fit.slope;
    out.time_constant_error = fit.slope_error / (fit.slope * fit.slope);
  }
  return out;
}

}  // namespace scree
