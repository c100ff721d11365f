#pragma once
// The table behind the named shapes: each entry pairs what a user may ask for with the function that draws it.
// A new shape is one entry: add it in library_plain.cpp, library_letters.cpp or a file of its own listed in
// library_entries().
#include <functional>
#include <string>

#include "scree/shape/library.hpp"

namespace scree {

// Parameters complete and each within its range; a builder checks only how they go together.
struct RecipeValues {
  std::string name;
  std::map<std::string, double> values;
  double tolerance;  // in units of the circumradius

  double operator[](const char* parameter) const { return values.at(parameter); }
};

struct LibraryEntry {
  ShapeRecipe recipe;
  std::function<Shape(const RecipeValues&)> build;
};

const std::vector<LibraryEntry>& library_entries();

std::vector<LibraryEntry> plain_entries();
std::vector<LibraryEntry> letter_entries();
std::vector<LibraryEntry> curved_entries();

// Throws Error(input) that names the shape, when two parameters do not go together.
void require(bool holds, const RecipeValues& p, const std::string& problem, const std::string& remedy);

// A parameter that counts something; throws as `require` does when it is no integer.
int whole(const RecipeValues& p, const char* parameter);

// Lengths in a recipe: any positive size a grain may have.
inline constexpr double shortest_length = 1e-6;
inline constexpr double longest_length = 1e6;
ShapeParameter length_parameter(std::string name, double fallback, std::string meaning);

}  // namespace scree
