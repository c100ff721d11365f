#pragma once
// "star": contact of two star-shaped grains by nodes on both boundaries (C. Schreck et al., "StarDEM", 2024).
// Each node of one grain is tried against the other's r(angle), with the first-order distance of star_kernel.hpp.
// Consecutive nodes inside the other form a run; runs of the two grains that end at the same crossing of the outlines
// bound the same overlap, and an overlap is one contact, at its deepest node. docs/stars.md.
#include <vector>

#include "scree/map/contact_map.hpp"
#include "scree/map/settings.hpp"
#include "scree/map/star_kernel.hpp"

namespace scree {

class Radial;

inline constexpr int fewest_star_nodes = 8;
inline constexpr int most_star_nodes = 10000;

// One grain: nodes and tables in units of A's circumradius.
struct StarSide {
  StarSide(const Radial& radial, int node_count, double scale);

  StarTable<double> view() const { return {table.data(), static_cast<int>(table.size()) - 1}; }
  int node_count() const { return static_cast<int>(nodes.size()); }
  int nearest_node(Vec2d p) const;  // by direction; p from the centroid

  Vec2d centre;              // of the star, from the centroid
  double bound;              // largest r
  std::vector<Vec2d> nodes;  // from the centroid; node k lies within half a spacing of the angle 2 pi k / n
  std::vector<StarEntry<double>> table;
  // The same once more, for the search: r alone, and the nodes over two turns so that no window wraps.
  std::vector<double> radii, node_x, node_y;
};

class StarMap final : public ContactMap {
 public:
  // Error(input), naming shape and direction, where one of the two is not star-shaped. `nodes` is raised to a multiple
  // of each shape's symmetry, and a polygon has nodes at its corners.
  StarMap(const ShapePair& pair, int nodes, StarDistance distance = StarDistance::first_order);

  std::string_view kind() const override { return "star"; }
  std::size_t bytes() const override;
  int smoothness() const override { return 0; }
  StarDistance distance() const { return distance_; }

  bool several() const override { return true; }
  void touching(const Pose2d& q, std::vector<PairContact>& out) const override;
  // A feature is (place on A, place on B), nodes nearest to the contact point. The distance is in turns; a contact does
  // not go on more than a quarter of a turn away.
  double feature_distance(std::uint32_t before, std::uint32_t now) const override;

  const StarSide& side_a() const { return a_; }
  const StarSide& side_b() const { return b_; }

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  // A pose, and what every node needs of it.
  struct Placement;
  // Consecutive nodes of one side inside the other.
  struct Run;

  StarDepth<double> depth(bool of_a, int node, const Placement& at) const;
  ContactGeometry geometry(bool of_a, int node, const Placement& at) const;
  void find_runs(bool of_a, const Placement& at, std::vector<Run>& runs) const;
  PairContact contact_of(const Run& run, const Placement& at) const;

  StarSide a_;
  StarSide b_;
  StarDistance distance_;
};

}  // namespace scree
