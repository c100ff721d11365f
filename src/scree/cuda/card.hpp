#pragma once
// The GPU of this machine: what it is, what it can do, what is left of it.
#include <cstddef>
#include <string>

#include "scree/map/neural_map.hpp"

namespace scree::gpu {

struct Card {
  std::string name;
  std::string driver;
  double bytes_per_s = 0;       // of its memory, read and written: measured, by a copy
  double operations_per_s = 0;  // of its tensor cores, products and sums of halves, by its clock; 0: not known
  double singles_per_s = 0;     // of its other cores, in single precision
};

// Error(system) where there is none, Error(input) where the program was built without.
void require_card();
Card find_card();

std::size_t free_card_memory();  // bytes

// Milliseconds for gap, gradient and arm of `poses` random poses, the median of several launches.
double query_milliseconds(const NeuralMap& map, std::size_t poses);

}  // namespace scree::gpu
