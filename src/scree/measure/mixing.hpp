#pragma once
// How well kinds of grains are mixed: Lacey's index over square cells.
#include "scree/measure/selection.hpp"

namespace scree {

// M = (s0^2 - s^2) / (s0^2 - sr^2), the variances summed over the species k:
//   s^2   = sum_cells n_c (p_kc - p_k)^2 / N    of the composition as it is, weighted by the grains n_c of a cell
//   s0^2  = p_k (1 - p_k)                       fully segregated
//   sr^2  = p_k (1 - p_k) (K - 1) / (N - 1)     expected when N grains are dealt to K occupied cells at random
// So M = 0 when every cell holds one species, and the mean of M over random arrangements is 1. J. Appl. Chem. 4 (1954)
// 257.
struct Mixing {
  double index = 0;
  std::size_t cells = 0;  // occupied
  std::size_t species = 0;
};

// `species`: of every grain of the snapshot, any number; -1: not counted. Cells of side `cell` (0: four mean diameters)
// start at the region's lower left corner. Error(input) for fewer than two species or cells, or one grain a cell.
Mixing lacey_index(const Snapshot& s, const Selection& selection, const std::vector<int>& species, double cell);

// Species by kind of grain (sizes of one kind together), by group.
std::vector<int> species_by_grain(const Snapshot& s);
std::vector<int> species_by_group(const Snapshot& s);

}  // namespace scree
