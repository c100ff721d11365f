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
Shape make_named_shape(const std::string& recipe, const std::map<std::string, double>& parameters = {},
                       double tolerance = 1e-3);

}  // namespace scree
