#pragma once
// How well f/|grad f| stands for the distance to a star-shaped boundary: the figures of the StarDEM paper, section 4.
#include "scree/shape/shape.hpp"

namespace scree {

// Largest |d - distance| / distance over points around the whole boundary, at several distances up to `band` on either
// side, in units of the circumradius. The true distance is that to a polygon of 20,000 chords of the curve.
struct StarDistanceError {
  double first_order = 0;
  double radial = 0;
};
StarDistanceError star_distance_error(const Shape& shape, double band = 0.01);

}  // namespace scree
