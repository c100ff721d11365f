#pragma once
// Mean stress of a region and of single grains. Tension is positive, so a pressed packing has negative normal stresses
// and a positive pressure. Plane grains of unit depth: stress is force / length.
#include "scree/measure/selection.hpp"
#include "scree/measure/tensor.hpp"

namespace scree {

struct Stress {
  Tensor2 contact;  // -1/V sum w f l^T: f on B, branch l from A to B, w the part of the branch inside the region
  Tensor2 kinetic;  // -1/V sum m (v - u)(v - u)^T, u the mean velocity by mass
  double area = 0;  // V, of the region
  std::size_t contacts = 0;  // that have a part inside

  double pressure() const { return -contact.symmetric().mean(); }
  double kinetic_pressure() const { return -kinetic.symmetric().mean(); }
  double shear() const { return contact.symmetric().spread(); }  // half the difference of the principal stresses
  // Axis of the strongest compression, rad, in (-pi/2, pi/2].
  double direction() const;
};
// The branch of a contact at a wall or a driven grain goes from the contact point to the grain's centroid.
Stress stress(const Snapshot& s, const Selection& selection);

// Per grain of the snapshot: -1/A sum f r^T with the force f on the grain and r from its centroid to the contact point,
// compression positive; 0 for driven grains.
std::vector<SymmetricTensor> grain_compression(const Snapshot& s);

}  // namespace scree
