#pragma once
// Beds for `scree bench --device`: grains fall from a lattice onto a row of fixed ones, periodic to the sides.
#include <cstddef>
#include <string>
#include <vector>

#include "scree/map/settings.hpp"
#include "scree/world/world.hpp"
#include "terminal.hpp"

namespace scree::cli {

struct BedSize {
  std::size_t grains = 1000000;
  int layers = 16;
};

// Grains: "discs", "hash", "letters" (nine, of straight bars), "crosses". Maps as `maps` says, from the cache where
// they are there.
World lattice_bed(const std::string& grains, const BedSize& size, const MapSettings& maps, ProgressLine& line);

// Boxes of '#' between walls "floor", "left" and "right", about as many columns as rows; no two boxes are alike.
std::vector<World> box_beds(std::size_t count, std::size_t grains, ProgressLine& line);

double mean_speed(const World& world);  // of moving bodies, length / time

}  // namespace scree::cli
