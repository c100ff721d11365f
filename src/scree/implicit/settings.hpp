#pragma once
// What a user may say about the implicit solver. Lengths in units of the smallest moving grain's circumradius R.
namespace scree {

struct ImplicitSettings {
  double overlap = 0.01;  // tolerated at rest
  int substeps = 0;       // of a step; 0: chosen from load and speed
  int most_substeps = 64;
  double sleep = 0;        // time that grains are at rest before they sleep; 0: never
  bool one_plane = false;  // a pair has one contact, as in the explicit solver: for comparisons
};

}  // namespace scree
