#pragma once
// Statistics of contacts. A boundary is a wall or a driven grain. A contact belongs to the selection when one of its
// moving grains does, by its centroid; a pair that touches at several points has several contacts and is one partner.
#include "scree/measure/selection.hpp"
#include "scree/measure/tensor.hpp"

namespace scree {

// Contacts of the selection, with or without those at boundaries.
std::vector<const SnapshotContact*> contacts_of(const Snapshot& s, const Members& members, bool boundaries);
bool at_boundary(const Snapshot& s, const SnapshotContact& c);

struct Coordination {
  std::size_t grains = 0;
  std::size_t rattlers = 0;  // grains with fewer than `least` partners, taken away until none is left
  std::size_t pairs = 0;     // touching pairs of grains and boundaries that count
  double mean = 0;           // partners a grain
  double mean_inner = 0;     // partners a grain, among the grains that are no rattlers; 0 when all are
  double contacts = 0;       // contact points a grain
};
Coordination coordination(const Snapshot& s, const Selection& selection, bool boundaries, int least);

// F = 1/N sum n n^T over the contacts: trace 1, isotropic at diag(1/2, 1/2).
struct Fabric {
  SymmetricTensor tensor;
  std::size_t contacts = 0;
  double anisotropy = 0;  // 2 (F1 - F2): the coefficient a of the density (1 + a cos 2(angle - direction)) / 2 pi
  double direction = 0;   // of the major axis, rad, in (-pi/2, pi/2]
};
Fabric fabric(const Snapshot& s, const Selection& selection, bool boundaries);

// Normal forces over their mean.
struct ForceDistribution {
  std::size_t contacts = 0;     // with a force
  double mean = 0;              // force
  double largest = 0;           // over the mean
  double deviation = 0;         // standard deviation over the mean
  double weak = 0;              // part of the contacts below the mean
  double friction = 0;          // sum |f_t| / sum f_n
  std::vector<double> edges;    // of the bins, f / mean
  std::vector<double> density;  // per bin: its part of the contacts over its width
  std::vector<std::size_t> counts;
};
ForceDistribution force_distribution(const Snapshot& s, const Selection& selection, bool boundaries, int bins);

}  // namespace scree
