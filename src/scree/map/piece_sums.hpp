#pragma once
// The configuration obstacle as a union: A + (-R B) is the union of the sums of all pairs of convex pieces. Answers
// "is x inside", also for obstacles with holes, where winding numbers of the convolution fail.
#include <vector>

#include "scree/map/pair_geometry.hpp"

namespace scree {

class PieceSums {
 public:
  PieceSums() = default;
  // `half` bounds |x| and |y| of everything; points beyond are outside.
  PieceSums(const std::vector<ConvexPiece>& a, const std::vector<ConvexPiece>& c, double half);

  // True when x lies in the closed union, up to rounding.
  bool contains(Vec2d x) const;
  // True when one convex sum holds both points with this margin, hence the segment between them.
  bool contains_segment(Vec2d p, Vec2d q, double margin) const;

 private:
  struct HalfPlane {
    Vec2d normal;
    double offset;  // inside: normal.x <= offset
  };
  struct Sum {
    Vec2d low, high;  // bounding box
    int begin, end;   // in planes_
  };

  void add_sum(const ConvexPiece& a, const ConvexPiece& c);
  void fill_cells();
  int cell_of(Vec2d x) const;
  bool in_sum(const Sum& sum, Vec2d x, double slack) const;

  static constexpr int cells_ = 32;
  double half_ = 1;
  std::vector<HalfPlane> planes_;
  std::vector<Sum> sums_;
  std::vector<int> cell_begin_;  // cells_^2 + 1
  std::vector<int> cell_sums_;
};

}  // namespace scree
