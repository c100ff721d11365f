#include <algorithm>
#include <memory>

#include "bindings.hpp"
#include "scree/shape/glyph.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/shape.hpp"
#include "scree/shape/star.hpp"
#include "scree/shape/svg.hpp"

namespace scree::python {

namespace {

using ShapePointer = std::shared_ptr<Shape>;

ShapePointer shared(Shape shape) { return std::make_shared<Shape>(std::move(shape)); }

ShapePointer from_loops(const std::string& name, const std::vector<Points>& loops) {
  Outline outline;
  for (const Points& points : loops) {
    Loop loop(points.shape(0));
    for (std::size_t k = 0; k < loop.size(); ++k) loop[k] = {points.data()[2 * k], points.data()[2 * k + 1]};
    outline.loops.push_back(std::move(loop));
  }
  return shared(make_shape(name, std::move(outline)));
}

ShapePointer named(Shape shape, const std::string& name) {
  shape.name = name;
  return shared(std::move(shape));
}

// Name, summary, and name and default of each parameter.
using Recipe = std::tuple<std::string, std::string, std::vector<std::pair<std::string, double>>>;
std::vector<Recipe> recipes() {
  std::vector<Recipe> out;
  for (const ShapeRecipe& recipe : shape_recipes()) {
    std::vector<std::pair<std::string, double>> parameters;
    for (const ShapeParameter& p : recipe.parameters) parameters.emplace_back(p.name, p.fallback);
    out.emplace_back(recipe.name, recipe.summary, std::move(parameters));
  }
  return out;
}

// Arrays are made anew each time: a shape is small and never changes.
std::vector<Array> arrays_of(const std::vector<std::vector<Vec2d>>& loops) {
  std::vector<Array> out;
  out.reserve(loops.size());
  for (const std::vector<Vec2d>& loop : loops) out.push_back(array_of(loop));
  return out;
}

}  // namespace

void bind_shapes(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<Shape>(m, "Shape")
      .def_static("from_loops", &from_loops, "name"_a, "loops"_a)
      .def_static(
          "disc", [](const std::string& name, double radius) { return shared(make_disc(name, radius)); }, "name"_a,
          "radius"_a)
      .def_static(
          "library",
          [](const std::string& recipe, const std::map<std::string, double>& parameters, double tolerance) {
            return shared(make_named_shape(canonical_shape_name(recipe), parameters, tolerance));
          },
          "recipe"_a, "parameters"_a, "tolerance"_a)
      .def_static(
          "glyph",
          [](const std::string& name, const std::string& character, const std::string& font, double tolerance,
             double height) { return named(make_glyph(character, font, tolerance, height), name); },
          "name"_a, "character"_a, "font"_a, "tolerance"_a, "height"_a)
      .def_static(
          "svg",
          [](const std::string& name, const std::string& path, const std::optional<std::string>& id, double tolerance) {
            return named(make_svg_shape(path, id, tolerance), name);
          },
          "name"_a, "path"_a, "id"_a.none(), "tolerance"_a)
      .def_static(
          "fourier",
          [](const std::string& name, std::vector<double> cosines, std::vector<double> sines, double tolerance) {
            return shared(make_fourier_star(name, {std::move(cosines), std::move(sines)}, tolerance));
          },
          "name"_a, "cosines"_a, "sines"_a, "tolerance"_a)
      .def_static(
          "sampled",
          [](const std::string& name, const std::vector<double>& radii, double tolerance) {
            return shared(make_sampled_star(name, radii, tolerance));
          },
          "name"_a, "radii"_a, "tolerance"_a)
      .def_ro("name", &Shape::name)
      .def_ro("natural_radius", &Shape::natural_radius)
      .def_ro("is_disc", &Shape::is_disc)
      .def_ro("area", &Shape::area)
      .def_ro("polar_moment", &Shape::polar_moment)
      .def_ro("thinnest", &Shape::thinnest)
      .def_ro("symmetry", &Shape::symmetry)
      .def_ro("hash", &Shape::hash)
      .def_prop_ro(
          "loops", [](const Shape& shape) { return arrays_of(shape.outline.loops); }, has_owner)
      .def_prop_ro(
          "pieces", [](const Shape& shape) { return arrays_of(shape.pieces); }, has_owner);
  m.def("recipes", &recipes);
}

}  // namespace scree::python
