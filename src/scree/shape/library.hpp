#pragma once
// The named shapes. One table drives `scree shapes`, scene files, error messages and tests.
#include <map>
#include <string>
#include <vector>

#include "scree/shape/shape.hpp"

namespace scree {

// A numeric parameter of a named shape: default, allowed range, unit and meaning for the help text.
struct ShapeParameter {
  std::string name;
  double fallback;
  double lowest;
  double highest;
  std::string meaning;
  bool is_length = false;  // a length that the user did not give scales with the first one given, see below
};

struct ShapeRecipe {
  std::string name;     // "hash", "ring", "chain-link", ...
  std::string summary;  // one line for `scree shapes`
  std::vector<ShapeParameter> parameters;
};

// All recipes, in the order `scree shapes` shows them.
const std::vector<ShapeRecipe>& shape_recipes();

// Builds a named shape. `tolerance`: flattening tolerance in units of the circumradius. Unknown names or parameters,
// and values out of range, throw Error(input) with the nearest known name and the allowed range.
//
// Parameters that are lengths are in the user's unit of length. Where only some are given, the others keep their
// default proportion to the first one of the recipe, when that is given: `hash` with radius 0.1 has bars of 0.03, with
// bar 0.2 alone it has thinner bars at radius 1.
Shape make_named_shape(const std::string& recipe, const std::map<std::string, double>& parameters = {},
                       double tolerance = 1e-3);

// Recipe name for an alias: "O" -> "ring", "#" -> "hash", "U" -> "u", ...; any other name is returned as it is.
std::string canonical_shape_name(const std::string& name);

}  // namespace scree
