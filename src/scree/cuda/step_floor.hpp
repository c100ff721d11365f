#pragma once
// What a step costs at least: the bytes it must bring from memory and take there, each once, and the sums and products
// of its nets. Counted from what is in a bed, to be held against what a GPU can do.
#include <cstddef>
#include <cstdint>

#include "scree/map/neural_map.hpp"
#include "scree/world/world.hpp"

namespace scree::gpu {

// A bed in one of its steps.
struct StepCounts {
  std::size_t bodies = 0;
  std::size_t pairs = 0;     // in the list
  std::size_t queries = 0;   // of these, that a map was asked about
  std::size_t touching = 0;  // of these
  std::size_t contacts = 0;  // several a pair with stars and clumps
  bool in_double = false;
  std::size_t map_bytes = 0;        // of all tables
  std::size_t query_bytes = 0;      // that one query reads of its table
  double operations_per_query = 0;  // of nets
};

struct StepFloor {
  double bytes = 0;
  double operations = 0;  // products and sums, one each a weight

  // With `bytes_per_s` of memory and `operations_per_s` of tensor cores, both at work at once; 0: not known, not
  // counted.
  double milliseconds(double bytes_per_s, double operations_per_s) const;
};

// Bodies are read and written with what tells their lists apart; the list is read; contacts hand their memory on; what
// pairs do to bodies is written and read. Tables are read where they are asked, and no part of them twice. The list
// itself, the records of contacts and what the caches fail to keep come on top of it.
StepFloor step_floor(const StepCounts& counts);

// Counts of `world` as it is now. `pairs` and `queries` are the device's.
StepCounts step_counts(const World& world, std::size_t pairs, std::size_t queries, bool in_double);

// Products and sums for gap, its gradient and the arm of one pose.
double operations_of(const NeuralMap& map);

}  // namespace scree::gpu
