#pragma once
// The free surface of a bed or pile: its profile by columns, and the angles and extents read from it. Heights are along
// y, columns along x.
#include <optional>

#include "scree/measure/line_fit.hpp"
#include "scree/measure/selection.hpp"

namespace scree {

inline constexpr double most_columns = 1e6;

struct SurfaceSettings {
  double column = 0;      // width of a column, length; 0: mean_diameter(). Rounded so that columns fill the region
  bool touching = false;  // leave out grains that touch nothing
};

// Top of the solid in each column: the highest point of any outline there. The columns fill the region in x; in y the
// region chooses grains by their centroid.
struct SurfaceProfile {
  double base = 0;                         // the region's lower side, or the lowest point of the grains
  std::vector<double> edges;               // columns are [edges[k], edges[k + 1]]
  std::vector<std::optional<double>> top;  // per column, nothing where there is no grain

  double centre(std::size_t k) const { return 0.5 * (edges[k] + edges[k + 1]); }
  double height(std::size_t k) const { return top[k] ? *top[k] - base : 0; }  // above the base; 0 without a grain
  double highest() const;
  double lowest() const;
  double mean() const;
};
SurfaceProfile surface_profile(const Snapshot& s, const Selection& selection, const SurfaceSettings& settings);

enum class Flank { both, left, right };

// Angle of repose: per flank a line through (centre, height) of the columns on that side of the summit whose height is
// between band_lo and band_hi of the summit's. Angles in rad, positive where the flank falls away from the summit.
struct ReposeAngle {
  std::optional<LineFit> left, right;  // as fitted: the slope of a right flank is negative
  double angle = 0;                    // mean over the flanks asked for
  double error = 0;                    // standard error of that mean, from the fits
};
ReposeAngle repose_angle(const SurfaceProfile& profile, Flank flank, double band_lo, double band_hi);

// The inclination of the whole surface: one line through the occupied columns in the middle part `span` (0 to 1) of
// the occupied width. Positive where the surface rises with x.
LineFit surface_line(const SurfaceProfile& profile, double span);

// The connected part of what lies on the ground: shadows of all outlines on the x axis, joined where the gap between
// them is at most `gap` (0: mean_diameter()); of the parts, the one with the most solid. `touching_only` leaves out
// grains that touch nothing.
struct PileExtent {
  double lo = 0;
  double hi = 0;
  double height = 0;  // of its highest point above its lowest
};
PileExtent pile_extent(const Snapshot& s, const Selection& selection, double gap, bool touching_only = false);

}  // namespace scree
