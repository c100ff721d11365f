// Measures of what moves: discharge, clogs, velocities, mixing, energy.
#include <algorithm>
#include <unordered_map>

#include "scree/measure/energy_decay.hpp"
#include "scree/measure/flow.hpp"
#include "scree/measure/kinds.hpp"
#include "scree/measure/mixing.hpp"

namespace scree::kinds {

namespace {

// Leaves the snapshots before `from` out of a measure that remembers.
Measure since(double from, Measure measure) {
  const Reading nothing = measure.nothing();
  measure.read = [from, nothing, read = std::move(measure.read)](const Snapshot& s) {
    return s.time < from ? nothing : read(s);
  };
  return measure;
}

// Species by where the chosen grains were at the first sample: below the median of the axis, or not.
class StartSpecies {
 public:
  void remember(Memory& m) { m(by_id_); }
  std::vector<int> of(const Snapshot& s, const Selection& selection, Axis axis) {
    if (by_id_.empty()) mark(s, selection, axis);
    std::vector<int> out;
    for (const std::uint32_t id : s.id) {
      const auto it = by_id_.find(id);
      out.push_back(it == by_id_.end() ? -1 : it->second);
    }
    return out;
  }

 private:
  void mark(const Snapshot& s, const Selection& selection, Axis axis) {
    const Members members = chosen_inside(s, selection);
    if (members.empty()) return;
    const auto place = [&](std::uint32_t i) { return along(*image_in(s, s.x[i], selection.region), axis); };
    std::vector<double> places;
    for (const std::uint32_t i : members) places.push_back(place(i));
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::nth_element(places.begin(), middle, places.end());
    for (const std::uint32_t i : members) by_id_[s.id[i]] = place(i) < *middle ? 0 : 1;
  }
  std::unordered_map<std::uint32_t, int> by_id_;
};

}  // namespace

Measure discharge(const MeasureSettings& o) {
  const auto read = [o](DischargeMeter& meter, const Snapshot& s) {
    const Discharge d = meter.add(s, o.selection);
    return Reading{{real(d.count), d.mass, d.rate, d.mass_rate}, {}};
  };
  return since(o.from, remembering({{"count", ""}, {"mass", "mass"}, {"rate", "1/time"}, {"mass_rate", "mass/time"}},
                                   {}, DischargeMeter(o.window), read));
}

Measure clog(const MeasureSettings& o) {
  const auto read = [o](ClogDetector& detector, const Snapshot& s) {
    const Clog c = detector.add(s, o.selection);
    return Reading{{c.clogged ? 1.0 : 0.0, c.idle, real(c.remaining), real(c.discharged)}, {}};
  };
  return since(o.from, remembering({{"clogged", ""}, {"idle", "time"}, {"remaining", ""}, {"discharged", ""}}, {},
                                   ClogDetector(o.hold, o.opening), read));
}

Measure velocity(const MeasureSettings& o) {
  const VelocityProfile empty(o.axis, o.bins);
  const auto read = [o, empty](VelocityProfile& sums, const Snapshot& s) {
    if (!o.average) sums = empty;
    sums.add(s, o.selection);
    Reading out;
    double grains = 0, fastest = 0;
    for (const VelocitySlice& v : sums.slices()) {
      grains += v.grains;
      fastest = std::max(fastest, norm(v.velocity));
      Reading::Cells row = {v.lo, v.hi, v.grains, v.velocity.x, v.velocity.y, v.omega, v.temperature};
      if (!(v.grains > 0)) std::fill(row.begin() + 3, row.end(), std::nullopt);  // no mean without a grain
      out.rows.push_back(std::move(row));
    }
    out.values = {grains, grains > 0 ? std::optional(fastest) : std::nullopt};
    return out;
  };
  return since(o.from, remembering({{"grains", ""}, {"fastest", "length/time"}},
                                   {{"lo", "length"},
                                    {"hi", "length"},
                                    {"grains", ""},
                                    {"vx", "length/time"},
                                    {"vy", "length/time"},
                                    {"omega", "rad/time"},
                                    {"temperature", "length^2/time^2"}},
                                   empty, read));
}

Measure mixing(const MeasureSettings& o) {
  const auto read = [o](StartSpecies& start, const Snapshot& s) {
    const std::vector<int> species = o.by == Species::grain   ? species_by_grain(s)
                                     : o.by == Species::group ? species_by_group(s)
                                                              : start.of(s, o.selection, o.axis);
    const Mixing m = lacey_index(s, o.selection, species, o.cell);
    return Reading{{m.index, real(m.cells), real(m.species)}, {}};
  };
  return since(o.from, remembering({{"index", ""}, {"cells", ""}, {"species", ""}}, {}, StartSpecies(), read));
}

Measure energy(const MeasureSettings& o) {
  const auto read = [o](DecayFit& fit, const Snapshot& s) {
    const KineticEnergy e = kinetic_energy(s, chosen_inside(s, o.selection));
    const EnergyDecay d = fit.add(s.time, e.total());
    return Reading{{e.total(), e.translational, e.rotational, d.half_time, d.time_constant, d.time_constant_error}, {}};
  };
  return since(o.from, remembering({{"kinetic", "energy"},
                                    {"translational", "energy"},
                                    {"rotational", "energy"},
                                    {"half_time", "time"},
                                    {"time_constant", "time"},
                                    {"time_constant_error", "time"}},
                                   {}, DecayFit(o.floor), read));
}

}  // namespace scree::kinds
