#pragma once
// "grid-minimum": the approximation by which the configurational element method's paper makes its training data
// (section 6.3), kept as a named comparison. With phi the signed distance fields of the two grains,
//   x* = argmin over a grid of E = phi_A + phi_B + |phi_A - phi_B| = 2 max(phi_A, phi_B),   d = phi_A(x*) + phi_B(x*).
// Outside d is the distance up to the grid's spacing. Inside it is minus the diameter of the largest disc in the
// overlap, 0.5 to 0.8 of the true depth at corners. The contact point is x*, the normal comes from the fields:
//   n = (grad phi_A - grad phi_B) / |.|,  d_x = n,  d_theta = n . S (x* - x)
// so the gradient follows d only on average: d itself jumps from grid point to grid point.
#include <vector>

#include "scree/map/contact_map.hpp"

namespace scree {

// Signed distance of an outline sampled over |x|, |y| <= half, bilinear between nodes.
class DistanceGrid {
 public:
  DistanceGrid(const Outline& outline, double scale, double half, int nodes);

  double value(Vec2d p) const;
  Vec2d gradient(Vec2d p) const;  // by central differences over one spacing
  std::size_t bytes() const { return values_.size() * sizeof(float); }

 private:
  double half_;
  double spacing_;
  int nodes_;
  std::vector<float> values_;
};

class GridMinimumMap final : public ContactMap {
 public:
  // `grid` points a side over the box around both grains.
  GridMinimumMap(const ShapePair& pair, int grid);

  std::string_view kind() const override { return "grid-minimum"; }
  std::size_t bytes() const override { return sizeof *this + a_.bytes() + b_.bytes(); }
  int smoothness() const override { return 0; }

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  ContactGeometry query_one(const Pose2d& q) const;

  DistanceGrid a_;
  DistanceGrid b_;
  double ratio_;
  int grid_;
};

}  // namespace scree
