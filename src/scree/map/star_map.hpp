#pragma once
// "star": contact of two star-shaped grains by nodes on both boundaries (C. Schreck et al., "StarDEM", 2024).
// Each node of one grain is tried against the other's r(angle), with the first-order distance of star_kernel.hpp.
// Consecutive nodes inside the other form a run; runs of the two grains that end at the same crossing of the outlines
// bound the same overlap, and an overlap is one contact, at its deepest node. docs/stars.md.
#include <memory>
#include <vector>

#include "scree/map/contact_map.hpp"
#include "scree/map/settings.hpp"
#include "scree/map/star_outline.hpp"
#include "scree/map/star_side.hpp"

namespace scree {

inline constexpr int fewest_star_nodes = 8;

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
  void touching(const Pose2d& q, NearParts parts, std::vector<PairContact>& out) const override;
  void touching_batch(std::span<const Pose2d> poses, std::span<const NearParts> parts, std::vector<PairContact>& out,
                      std::vector<std::uint32_t>& ends) const override;
  void nearest(const Pose2d& q, double way, std::vector<PairContact>& out) const override;
  // Bits 0 to 31 are the parts of A, the others those of B. A part is near if one of its nodes is within the margin of
  // a stretch of the other's boundary, or if it is inside of the other.
  NearParts near_parts(const Pose2d& q, double margin) const override;
  // A feature is (place on A, place on B), nodes nearest to the contact point. The distance is in turns; a contact does
  // not go on more than a quarter of a turn away.
  double feature_distance(std::uint32_t before, std::uint32_t now) const override;

  const StarSide& side_a() const { return *a_; }
  const StarSide& side_b() const { return *b_; }
  StarPairView<double> view() const;  // valid as long as the map

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  struct NearNode {
    bool of_a;
    Vec2d node;       // from its own centroid
    Vec2d seen;       // from that of the other, in its frame
    double at_least;  // its distance is no less
    StarOutline::Answer from;
  };
  void add_nearest(const NearNode& node, const StarPlacementOf<double>& at, double way,
                   std::vector<PairContact>& out) const;
  NearParts near_side(bool of_a, const StarPlacementOf<double>& at, double margin) const;

  std::shared_ptr<const StarSide> a_;
  std::shared_ptr<const StarSide> b_;  // the same as a_ where the grains are alike
  StarDistance distance_;
  StarOutline outline_a_, outline_b_;  // in units of A's circumradius
};

}  // namespace scree
