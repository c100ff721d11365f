// Measures of what lies still: packing, surface, angles, runout.
#include <algorithm>
#include <cmath>

#include "scree/measure/kinds.hpp"

namespace scree::kinds {

Measure packing(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const Packing p = scree::packing(s, o.selection);
    Reading out{{p.fraction, p.solid, p.area}, {}};
    for (const PackingLayer& l : packing_by_layer(s, o.selection, o.axis, o.bins))
      out.rows.push_back({l.lo, l.hi, l.fraction});
    return out;
  };
  return {{{"fraction", ""}, {"solid", "length^2"}, {"area", "length^2"}},
          {{"lo", "length"}, {"hi", "length"}, {"fraction", ""}},
          read};
}

Measure surface(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const SurfaceProfile p = surface_profile(s, o.selection, o.surface);
    Reading out{{p.mean(), p.lowest(), p.highest(), p.base}, {}};
    for (std::size_t k = 0; k < p.top.size(); ++k) out.rows.push_back({p.centre(k), p.height(k)});
    return out;
  };
  return {{{"mean", "length"}, {"lowest", "length"}, {"highest", "length"}, {"base", "length"}},
          {{"x", "length"}, {"height", "length"}},
          read};
}

Measure repose(const MeasureSettings& o) {
  const auto read = [o](const Snapshot& s) {
    const ReposeAngle r = repose_angle(surface_profile(s, o.selection, o.surface), o.flank, o.band_lo, o.band_hi);
    Reading out{{r.angle * degrees, r.error * degrees}, {}};
    for (const auto& [flank, sign] : {std::pair{r.left, 1.0}, std::pair{r.right, -1.0}}) {
      using Maybe = std::optional<double>;
      out.values.push_back(flank ? Maybe(sign * flank->angle() * degrees) : Maybe());
      out.values.push_back(flank ? Maybe(flank->angle_error() * degrees) : Maybe());
      out.values.push_back(flank ? Maybe(real(flank->points)) : Maybe());
    }
    return out;
  };
  return {{{"angle_deg", "deg"},
           {"error_deg", "deg"},
           {"left_deg", "deg"},
           {"left_error_deg", "deg"},
           {"left_columns", ""},
           {"right_deg", "deg"},
           {"right_error_deg", "deg"},
           {"right_columns", ""}},
          {},
          read};
}

Measure surface_angle(const MeasureSettings& o) {
  // Mean over the samples so far, and the standard error of it as if they were independent.
  struct Mean {
    double n = 0, mean = 0, squares = 0;
    void add(double value) {
      const double off = value - mean;
      mean += off / ++n;
      squares += off * (value - mean);
    }
    void remember(Memory& m) { m(n), m(mean), m(squares); }
  };
  const auto read = [o](Mean& mean, const Snapshot& s) {
    const LineFit line = surface_line(surface_profile(s, o.selection, o.surface), o.span);
    const double angle = line.angle() * degrees;
    if (s.time >= o.from) mean.add(angle);
    Reading out{{angle, line.angle_error() * degrees, std::nullopt, std::nullopt, mean.n}, {}};
    if (mean.n > 0) out.values[2] = mean.mean;
    if (mean.n > 1) out.values[3] = std::sqrt(mean.squares / (mean.n - 1) / mean.n);
    return out;
  };
  return remembering(
      {{"angle_deg", "deg"}, {"error_deg", "deg"}, {"mean_deg", "deg"}, {"mean_error_deg", "deg"}, {"samples", ""}}, {},
      Mean{}, read);
}

Measure runout(const MeasureSettings& o) {
  struct Reference {
    double origin = 0;
    double radius = 0;
    void remember(Memory& m) { m(origin), m(radius); }
  };
  const auto radius = [o](const PileExtent& e, double origin) {
    const double left = origin - e.lo, right = e.hi - origin;
    if (o.side == RunoutSide::left) return left;
    return o.side == RunoutSide::right ? right : 0.5 * (left + right);
  };
  const auto origin = [o](const PileExtent& e) {
    if (o.origin) return *o.origin;
    if (o.side == RunoutSide::left) return e.hi;
    return o.side == RunoutSide::right ? e.lo : 0.5 * (e.lo + e.hi);
  };
  const auto read = [o, radius, origin](std::optional<Reference>& start, const Snapshot& s) {
    const PileExtent e = pile_extent(s, o.selection, o.gap, o.surface.touching);
    if (!start && s.time >= o.from) {
      start = Reference{origin(e), 0};
      start->radius = o.start_radius.value_or(radius(e, start->origin));
    }
    Reading out{{std::nullopt, std::nullopt, e.lo, e.hi, e.height}, {}};
    if (!start) return out;
    if (!(start->radius > 0))
      nothing_to_measure("the pile does not reach to the chosen side of the origin", "check side and origin");
    if (start->radius < finest * (e.hi - e.lo))
      nothing_to_measure("the radius at the start is too small beside the pile", "give a larger start_radius");
    const double now = radius(e, start->origin);
    out.values[0] = (now - start->radius) / start->radius;
    out.values[1] = now;
    return out;
  };
  return remembering(
      {{"runout", ""}, {"radius", "length"}, {"left", "length"}, {"right", "length"}, {"height", "length"}}, {},
      std::optional<Reference>(), read);
}

}  // namespace scree::kinds
