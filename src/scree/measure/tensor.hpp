#pragma once
// Tensors of the plane.
#include <cmath>

#include "scree/base/vec.hpp"

namespace scree {

struct SymmetricTensor {
  double xx = 0, xy = 0, yy = 0;

  double mean() const { return 0.5 * (xx + yy); }                    // of the principal values
  double spread() const { return std::hypot(0.5 * (xx - yy), xy); }  // half their difference
  double major() const { return mean() + spread(); }
  double minor() const { return mean() - spread(); }
  // Angle of the major axis in (-pi/2, pi/2]; 0 when there is none.
  double direction() const { return 0.5 * std::atan2(2 * xy + 0.0, xx - yy); }  // + 0: atan2 knows the sign of -0
  Vec2d axis() const { return {std::cos(direction()), std::sin(direction())}; }
};

struct Tensor2 {
  double xx = 0, xy = 0, yx = 0, yy = 0;

  // Adds w a b^T.
  void add(Vec2d a, Vec2d b, double w) {
    xx += w * a.x * b.x;
    xy += w * a.x * b.y;
    yx += w * a.y * b.x;
    yy += w * a.y * b.y;
  }
  SymmetricTensor symmetric() const { return {xx, 0.5 * (xy + yx), yy}; }
};

}  // namespace scree
