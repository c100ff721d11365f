#pragma once
// What the collisions of settled packings cost, star by clump by disc, after the tables of the StarDEM paper: for
// `scree bench stars` and `scree reproduce star-cost`.
#include <string>
#include <vector>

#include "scree/shape/shape.hpp"
#include "terminal.hpp"

namespace scree::cli {

struct StarCostSettings {
  int grains = 800;
  int rounds = 31;
  double settle = 0.3;  // simulated seconds
};

struct StarCost {
  std::string packing, contact;
  double error = 0;  // RMSE of the gap, in radii; < 0: not known
  std::size_t candidates = 0, contacts = 0;
  double milliseconds = 0, nanoseconds = 0;  // a step; a candidate
};

Shape paper_cross();  // r = R (2 + sin 4 angle) / 3

// One thread, median over the rounds: discs as discs and stars; crosses as stars, by radial distance, as clumps of 9
// and 17, through a table.
std::vector<StarCost> star_costs(const StarCostSettings& settings, ProgressLine& line);

}  // namespace scree::cli
