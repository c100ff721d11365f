#pragma once
// Force chains: quasi-linear strings of grains that carry more than the average (Peters, Muthuswamy, Wibowo &
// Tordesillas, Phys. Rev. E 72 (2005) 041307).
#include "scree/measure/selection.hpp"

namespace scree {

struct ChainSettings {
  double angle = 0.7853981633974483;  // rad: largest angle between a branch and the axes of both its grains
  std::size_t least = 3;              // grains of a chain
};

// A grain may be in a chain when its major compression is above the mean of the chosen grains that carry any. Two such
// grains that touch are linked when the branch between them lies within `angle` of both their axes of major
// compression. A chain is a set of linked grains, at least `least` of them.
struct ForceChains {
  std::vector<int> chain;       // per grain of the snapshot: number of its chain, or -1
  std::vector<Members> grains;  // per chain, in order of its first grain
  double threshold = 0;         // the mean compression, force / length
  std::size_t loaded = 0;       // chosen grains that carry any

  std::size_t in_chains() const;
  std::size_t longest() const;
};
ForceChains force_chains(const Snapshot& s, const Selection& selection, const ChainSettings& settings = {});

}  // namespace scree
