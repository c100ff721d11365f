// Measures of contacts: coordination, fabric, stress, forces, chains.
#include "scree/measure/chains.hpp"
#include "scree/measure/contacts.hpp"
#include "scree/measure/kinds.hpp"
#include "scree/measure/stress.hpp"

namespace scree::kinds {

Measure coordination(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const Coordination c = scree::coordination(s, o.selection, o.walls, o.rattlers);
    Reading out{{c.mean, c.mean_inner, c.contacts, real(c.grains), real(c.rattlers), real(c.pairs)}, {}};
    if (c.rattlers == c.grains) out.values[1].reset();
    return out;
  };
  return {
      {{"mean", ""}, {"mean_inner", ""}, {"contacts", ""}, {"grains", ""}, {"rattlers", ""}, {"pairs", ""}}, {}, read};
}

Measure fabric(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const Fabric f = scree::fabric(s, o.selection, o.walls);
    return Reading{{f.tensor.xx, f.tensor.xy, f.tensor.yy, f.anisotropy, f.direction * degrees, real(f.contacts)}, {}};
  };
  return {
      {{"xx", ""}, {"xy", ""}, {"yy", ""}, {"anisotropy", ""}, {"direction_deg", "deg"}, {"contacts", ""}}, {}, read};
}

Measure stress(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const Stress t = scree::stress(s, o.selection);
    return Reading{{t.contact.xx, t.contact.xy, t.contact.yx, t.contact.yy, t.pressure(), t.shear(),
                    t.direction() * degrees, t.kinetic_pressure(), real(t.contacts)},
                   {}};
  };
  const std::string unit = "force/length";
  return {{{"xx", unit},
           {"xy", unit},
           {"yx", unit},
           {"yy", unit},
           {"pressure", unit},
           {"shear", unit},
           {"direction_deg", "deg"},
           {"kinetic_pressure", unit},
           {"contacts", ""}},
          {},
          read};
}

Measure forces(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const ForceDistribution d = force_distribution(s, o.selection, o.walls, o.bins);
    Reading out{{d.mean, d.largest, d.deviation, d.weak, d.friction, real(d.contacts)}, {}};
    for (std::size_t k = 0; k < d.density.size(); ++k)
      out.rows.push_back({d.edges[k], d.edges[k + 1], d.density[k], real(d.counts[k])});
    return out;
  };
  return {{{"mean", "force"}, {"largest", ""}, {"deviation", ""}, {"weak", ""}, {"friction", ""}, {"contacts", ""}},
          {{"lo", ""}, {"hi", ""}, {"density", ""}, {"contacts", ""}},
          read};
}

Measure chains(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const ForceChains c = force_chains(s, o.selection, {o.angle, static_cast<std::size_t>(o.least)});
    const double n = real(c.grains.size()), in = real(c.in_chains());
    Reading out{{n, in, ratio(in, real(c.loaded)), ratio(in, n), real(c.longest()), c.threshold}, {}};
    if (c.loaded == 0) out.values.back().reset();
    const std::vector<SymmetricTensor> load = grain_compression(s);
    for (std::size_t k = 0; k < c.grains.size(); ++k) {
      for (const std::uint32_t i : c.grains[k])
        out.rows.push_back({real(k), real(s.id[i]), s.x[i].x, s.x[i].y, load[i].major()});
    }
    return out;
  };
  return {{{"chains", ""},
           {"grains", ""},
           {"part", ""},
           {"mean_length", ""},
           {"longest", ""},
           {"threshold", "force/length"}},
          {{"chain", ""}, {"grain", ""}, {"x", "length"}, {"y", "length"}, {"compression", "force/length"}},
          read};
}

}  // namespace scree::kinds
