#pragma once
// How a contact map is made. Part of the cache key, of scene files ([maps]) and of `scree map` options.
#include <cstdint>
#include <string>

namespace scree {

enum class TableStorage { fp16, fp32 };
enum class StarDistance { first_order, radial };

struct MapSettings {
  std::string kind = "table";  // exact | table | neural | grid-minimum | star | clump
  double epsilon = 1e-3;       // face smoothing length, units of A's circumradius

  // table
  int nodes = 96;       // x and y nodes across the whole domain
  int theta_nodes = 0;  // nodes over the reduced period; 0: as fine as x at the rim
  TableStorage storage = TableStorage::fp32;

  // neural
  std::string net = "silu-5x64";  // silu-5x64 | relu-5x64 | relu-3x32
  std::uint64_t seed = 1;
  int samples = 0;  // training samples; 0: the net's own default
  int epochs = 0;   // passes over them; 0: the net's own default

  // grid-minimum
  int grid = 201;  // points a side

  // star
  int star_nodes = 100;  // nodes a grain
  StarDistance star_distance = StarDistance::first_order;

  // clump
  int clump_discs = 0;            // discs a grain at most; 0: as many as the tolerance needs
  double clump_tolerance = 0.05;  // error of the outline, units of the grain's circumradius; with clump_discs = 0
};

}  // namespace scree
