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
    if (!seen_.insert(s.id[i]).second) continue;
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
  Members above = chosen_inside(s, inside);
  if (opening_) {
    const Box column{{opening_->x, -open_side}, {opening_->y, open_side}};
    std::erase_if(above, [&](std::uint32_t i) { return !image_in(s, s.x[i], column); });
  }
  Clog out;
  out.idle = s.time - *last_;
  out.remaining = above.size();
  out.discharged = counter_.count();
  out.clogged = out.remaining > 0 && out.idle >= hold_ * (1 - 1e-9);
  return out;
}

void VelocityProfile::add(const Snapshot& s, const Selection& selection) {
  const Members members = chosen_inside(s, selection);
  if (!region_) {
    const Box region = closed_region(s, members, selection.region);
    refuse_thin_slices(region, axis_, static_cast<int>(sums_.size()));
    region_ = region;
  }
  ++samples_;
  const double lo = along(region_->lo, axis_), hi = along(region_->hi, axis_);
  const auto n = static_cast<double>(sums_.size());
  for (const std::uint32_t i : members) {
    const auto place = image_in(s, s.x[i], *region_);
    if (!place) continue;
    const double at = std::clamp((along(*place, axis_) - lo) / (hi - lo) * n, 0.0, n);
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
