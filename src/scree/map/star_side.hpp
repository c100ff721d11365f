#pragma once
// One star-shaped grain as the contact search sees it: nodes on its boundary, a table of r(angle), and how far the
// boundary is from points around.
#include <cstdint>
#include <vector>

#include "scree/map/star_view.hpp"

namespace scree {

class Radial;

using StarCircle = StarCircleOf<double>;
using StarPart = StarPartOf<double>;

// One grain: nodes and tables in units of A's circumradius.
struct StarSide {
  StarSide(const Radial& radial, int node_count, double scale);

  StarTable<double> view() const { return {table.data(), static_cast<int>(table.size()) - 1}; }
  StarSideView<double> side_view() const;  // valid as long as this
  int node_count() const { return static_cast<int>(nodes.size()); }

  Vec2d centre;              // of the star, from the centroid
  std::vector<Vec2d> nodes;  // from the centroid; node k lies within half a spacing of the angle 2 pi k / n
  std::vector<StarEntry<double>> table;
  std::vector<StarPart> parts;         // at most most_star_parts
  int nodes_a_part = 0;                // whole groups
  std::vector<float> clearance;        // as StarClearance
  std::vector<double> spacings;        // from each node to the next
  std::vector<std::uint16_t> node_at;  // the nearest node, by entry of the table
  int nodes_a_unit = 2;                // so that there are at most most_star_units
  std::vector<float> steep2;           // as StarSideView

  // In single precision, to sieve nodes by.
  std::vector<float> node_x, node_y;   // a group that is not full has points far away
  std::vector<StarRise<float>> rises;  // of the table
  // How far rho^2 - r^2 can be wrong at nodes of the other.
  float excess_error(const StarSide& other) const {
    return static_cast<float>(error_ + error_per_reach_ * other.reach_);
  }

 private:
  void bound_error();
  StarCircle around(double first, double end) const;
  void measure_clearance();
  void find_steepest();

  double parts_reach_ = 0, clearance_half_ = 0, near_limit_ = 0;
  double reach_ = 0;  // of the nodes and the centre, from the centroid
  double error_ = 0, error_per_reach_ = 0;
};

}  // namespace scree
