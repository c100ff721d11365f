#include "scree/shape/library.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/library_recipes.hpp"

namespace scree {

namespace {

const LibraryEntry& find_entry(const std::string& name) {
  const std::string wanted = canonical_shape_name(name);
  std::vector<std::string> names;
  for (const LibraryEntry& entry : library_entries()) {
    if (entry.recipe.name == wanted) return entry;
    names.push_back(entry.recipe.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::input, cat("shape \"", name, "\""), "there is no named shape of this name",
              near.empty() ? cat("known shapes: ", join(names)) : cat("did you mean \"", near, "\"?"));
}

// The recipe's first length is its size: when the user gives it, the default lengths keep their proportion to it.
std::map<std::string, double> defaults(const ShapeRecipe& recipe, const std::map<std::string, double>& given) {
  const auto size = std::find_if(recipe.parameters.begin(), recipe.parameters.end(),
                                 [](const ShapeParameter& p) { return p.is_length; });
  const bool sized = size != recipe.parameters.end() && given.contains(size->name);
  const double scale = sized ? given.at(size->name) / size->fallback : 1;
  std::map<std::string, double> values;
  for (const ShapeParameter& p : recipe.parameters) values[p.name] = p.is_length ? scale * p.fallback : p.fallback;
  return values;
}

// Defaults overwritten by what the user gave, checked against the recipe.
std::map<std::string, double> complete(const ShapeRecipe& recipe, const std::map<std::string, double>& given) {
  const std::string where = cat("shape \"", recipe.name, "\"");
  std::map<std::string, double> values = defaults(recipe, given);
  std::vector<std::string> names;
  for (const ShapeParameter& p : recipe.parameters) names.push_back(p.name);
  for (const auto& [name, value] : given) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string near = nearest_name(name, names);
      throw Error(ErrorKind::input, where, cat("unknown parameter \"", name, "\""),
                  near.empty() ? cat("it takes: ", join(names)) : cat("did you mean \"", near, "\"?"));
    }
    const ShapeParameter& p = recipe.parameters[static_cast<std::size_t>(found - names.begin())];
    if (!(value >= p.lowest && value <= p.highest))
      throw Error(ErrorKind::input, where, cat(name, " = ", value, " is out of range"),
                  cat(name, " (", p.meaning, ") must lie between ", p.lowest, " and ", p.highest));
    values[name] = value;
  }
  return values;
}

}  // namespace

const std::vector<LibraryEntry>& library_entries() {
  static const std::vector<LibraryEntry> entries = [] {
    std::vector<LibraryEntry> all = plain_entries();
    for (const auto& more : {letter_entries(), curved_entries()}) all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return entries;
}

const std::vector<ShapeRecipe>& shape_recipes() {
  static const std::vector<ShapeRecipe> recipes = [] {
    std::vector<ShapeRecipe> all;
    for (const LibraryEntry& entry : library_entries()) all.push_back(entry.recipe);
    return all;
  }();
  return recipes;
}

std::string canonical_shape_name(const std::string& name) {
  static const std::map<std::string, std::string> aliases = {{"O", "ring"},
                                                             {"o", "ring"},
                                                             {"#", "hash"},
                                                             {"U", "u"},
                                                             {"N", "n"},
                                                             {"D", "d"},
                                                             {"+", "cross"},
                                                             {"circle", "disc"},
                                                             {"*", "star"},
                                                             {"rectangle", "box"},
                                                             {"\u2665", "heart"},
                                                             {"square", "box"},
                                                             {"chain", "chain-link"},
                                                             {"rounded_box", "rounded-box"},
                                                             {"chain_link", "chain-link"},
                                                             {"C", "arc"},
                                                             {"c", "arc"}};
  const auto found = aliases.find(name);
  return found == aliases.end() ? name : found->second;
}

Shape make_named_shape(const std::string& recipe, const std::map<std::string, double>& parameters, double tolerance) {
  const LibraryEntry& entry = find_entry(recipe);
  const std::string where = cat("shape \"", entry.recipe.name, "\"");
  if (!(tolerance >= 1e-6 && tolerance <= 0.1))
    throw Error(ErrorKind::input, where, cat("flattening tolerance ", tolerance, " is out of range"),
                "it is a share of the circumradius; choose 1e-6 to 0.1, usually 1e-3");
  return entry.build(RecipeValues{entry.recipe.name, complete(entry.recipe, parameters), tolerance});
}

}  // namespace scree
