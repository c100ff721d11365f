#include "scree/measure/flow.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

void DischargeCounter::add(const Snapshot& s, const Selection& inside) {
  const Members members = chosen_inside(s, inside);
  inside_count_ = members.size();
  inside_mass_ = 0;
  for (const std::uint32_t i : members) {
    const double mass = s.type_of(i).mass;
    inside_mass_ += mass;
    if (s.id[i] >= seen_.size()) seen_.resize(s.id[i] + 1, false);
    if (seen_[s.id[i]]) continue;
    seen_[s.id[i]] = true;
    ++seen_count_;
    seen_mass_ += mass;
  }
}

Discharge DischargeMeter::add(const Snapshot& s, const Selection& inside) {
  counter_.add(s, inside);
  Discharge out{counter_.count(), counter_.mass(), {}, {}};
  // Rounding must not make a window of ten samples one of eleven.
  const double newest = s.time - window_ * (1 - 1e-9);
  while (samples_.size() > 1 && samples_[1].time <= newest) samples_.erase(samples_.begin());
  if (!samples_.empty() && s.time > samples_.front().time) {
    const double span = s.time - samples_.front().time;
    out.rate = (static_cast<double>(out.count) - static_cast<double>(samples_.front().count)) / span;
    out.mass_rate = (out.mass - samples_.front().mass) / span;
  }
  samples_.push_back({s.time, out.count, out.mass});
  return out;
}

Clog ClogDetector::add(const Snapshot& s, const Selection& inside) {
  counter_.add(s, inside);
  if (!last_ || counter_.count() > most_) last_ = s.time;
  most_ = std::max(most_, counter_.count());
  Selection above = inside;
  if (opening_) {
    above.region.lo.x = std::max(above.region.lo.x, opening_->x);
    above.region.hi.x = std::min(above.region.hi.x, opening_->y);
  }
  Clog out;
  out.idle = s.time - *last_;
  out.remaining = chosen_inside(s, above).size();
  out.discharged = counter_.count();
  out.clogged = out.remaining > 0 && out.idle >= hold_ * (1 - 1e-9);
  return out;
}

void VelocityProfile::add(const Snapshot& s, const Selection& selection) {
  const Members members = chosen_inside(s, selection);
  if (!region_) region_ = closed_region(s, members, selection.region);
  ++samples_;
  const double lo = along(region_->lo, axis_), hi = along(region_->hi, axis_);
  const auto n = static_cast<double>(sums_.size());
  for (const std::uint32_t i : members) {
    const double at = (along(s.x[i], axis_) - lo) / (hi - lo) * n;
    if (!(at >= 0 && at <= n)) continue;
    Sums& sum = sums_[std::min(static_cast<std::size_t>(at), sums_.size() - 1)];
    const double mass = s.type_of(i).mass;
    sum.grains += 1;
    sum.mass += mass;
    sum.omega += s.omega[i];
    sum.momentum += mass * s.v[i];
    sum.square += mass * norm2(s.v[i]);
  }
}

std::vector<VelocitySlice> VelocityProfile::slices() const {
  std::vector<VelocitySlice> out;
  const int n = static_cast<int>(sums_.size());
  for (int k = 0; k < n && region_; ++k) {
    const Sums& sum = sums_[static_cast<std::size_t>(k)];
    const Box box = slice(*region_, axis_, k, n);
    VelocitySlice v{along(box.lo, axis_), along(box.hi, axis_), sum.grains / static_cast<double>(samples_), {}, 0, 0};
    if (sum.grains > 0) {
      v.velocity = (1 / sum.mass) * sum.momentum;
      v.omega = sum.omega / sum.grains;
      v.temperature = std::max(0.0, 0.5 * (sum.square / sum.mass - norm2(v.velocity)));
    }
    out.push_back(v);
  }
  return out;
}

}  // namespace scree
