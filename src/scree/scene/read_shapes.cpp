// [shapes.NAME].
#include <algorithm>
#include <functional>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"
#include "scree/scene/scene_files.hpp"
#include "scree/shape/glyph.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"
#include "scree/shape/svg.hpp"

namespace scree {

namespace {

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const ShapeRecipe& recipe : shape_recipes()) names.push_back(recipe.name);
  return names;
}

std::vector<std::string> parameter_names(const std::string& recipe) {
  for (const ShapeRecipe& r : shape_recipes()) {
    if (r.name != recipe) continue;
    std::vector<std::string> names;
    for (const ShapeParameter& p : r.parameters) names.push_back(p.name);
    return names;
  }
  return {};
}

// A field that belongs to another source of the shape than the one given.
void refuse_others(const Fields& f, const std::string& way, const std::vector<std::string>& own) {
  for (const std::string name : {"font", "height", "id", "sines"}) {
    if (f.has(name) && std::ranges::count(own, name) == 0) {
      f.fail(name, "does not go with '" + way + "'", "known here: " + join(own));
    }
  }
}

Shape recipe_shape(const Fields& f, const std::string& recipe) {
  const std::vector<std::string> known = parameter_names(recipe);
  refuse_others(f, "recipe", known);
  std::map<std::string, double> parameters;
  for (const std::string& name : known) {
    const toml::node* node = f.node(name);
    if (!node) continue;
    if (!node->is_number()) f.fail(name, "must be a number, not " + shown(*node));
    parameters[name] = node->value_or(0.0);
  }
  return make_named_shape(recipe, parameters, f.number("tolerance"));
}

toml::table* table_of(SceneBuilder& b, const std::string& shape) { return b.root["shapes"][shape].as_table(); }

Shape glyph_shape(SceneBuilder& b, const Fields& f, const std::string& name) {
  refuse_others(f, "glyph", {"font", "height"});
  std::string font = f.text("font");
  const std::filesystem::path file = beside_scene(b, font);
  if (!font.empty() && std::filesystem::is_regular_file(file)) {
    keep_file(b, table_of(b, name), "font", file);
    font = file.string();
  }
  return make_glyph(f.text("glyph"), font, f.number("tolerance"), f.number("height"));
}

Shape svg_shape(SceneBuilder& b, const Fields& f, const std::string& name) {
  refuse_others(f, "svg", {"id"});
  const std::filesystem::path file = existing_file(b, f, "svg");
  keep_file(b, table_of(b, name), "svg", file);
  return make_svg_shape(file.string(), f.maybe_text("id"), f.number("tolerance"));
}

Shape drawn_shape(const Fields& f, const std::string& way, const std::string& name) {
  refuse_others(f, way, {});
  Outline outline;
  if (way == "points") {
    outline.loops.push_back(f.points("points"));
  } else {
    outline.loops = f.loops("loops");
  }
  return make_shape(name, std::move(outline));
}

Shape star_shape(const Fields& f, const std::string& way, const std::string& name) {
  refuse_others(f, way, way == "cosines" ? std::vector<std::string>{"sines"} : std::vector<std::string>{});
  if (f.has("fourier_order"))
    f.fail("fourier_order", "does not go with '" + way + "'", "it makes a star of a shape that is drawn otherwise");
  if (way == "radii") return make_sampled_star(name, f.numbers("radii"), f.number("tolerance"));
  return make_fourier_star(name, {f.numbers("cosines"), f.numbers("sines")}, f.number("tolerance"));
}

// The outline as drawn, or the star that `fourier_order` asks to make of it.
Shape maybe_fitted(const Fields& f, const std::string& name, Shape shape) {
  if (!f.has("fourier_order")) return shape;
  shape.name = name;
  return make_fourier_star(name, fit_star(shape, f.integer("fourier_order")).series, f.number("tolerance"));
}

// Errors of the shape layer do not know the scene file: say where the shape was asked for.
Shape located(const Fields& at, const std::string& field, const std::function<Shape()>& make) {
  try {
    return make();
  } catch (const Error& e) {
    const std::string field_path = at.path_of(field);
    if (e.where().find(field_path) != std::string::npos || e.where().find(at.source().name) != std::string::npos) throw;
    at.fail(field, (e.where().empty() ? "" : e.where() + ": ") + e.problem(), e.remedy());
  }
}

Shape read_shape(SceneBuilder& b, const NamedTable& entry) {
  const toml::node* recipe_node = entry.table->get("recipe");
  const std::string recipe = recipe_node ? recipe_node->value_or(std::string{}) : std::string{};
  const Fields f(*entry.table, "shapes.NAME", entry.path, b.source, parameter_names(recipe));
  const std::string way = f.exactly_one({"recipe", "glyph", "svg", "points", "loops", "cosines", "radii"});
  if (way == "recipe" && std::ranges::count(recipe_names(), f.text("recipe")) == 0) {
    f.fail("recipe", "unknown shape \"" + recipe + "\"", suggestion(recipe, recipe_names()));
  }
  return located(f, way, [&] {
    if (way == "cosines" || way == "radii") return star_shape(f, way, entry.name);
    return maybe_fitted(f, entry.name,
                        way == "recipe"  ? recipe_shape(f, recipe)
                        : way == "glyph" ? glyph_shape(b, f, entry.name)
                        : way == "svg"   ? svg_shape(b, f, entry.name)
                                         : drawn_shape(f, way, entry.name));
  });
}

int add_shape(SceneBuilder& b, const std::string& name, Shape shape) {
  shape.name = name;
  const int index = static_cast<int>(b.world().shapes.size());
  b.world().shapes.push_back(std::make_shared<const Shape>(std::move(shape)));
  b.shapes[name] = index;
  return index;
}

}  // namespace

void read_shapes(SceneBuilder& b) {
  for (const NamedTable& entry : named_tables(b.root, "shapes", b.source)) {
    add_shape(b, entry.name, read_shape(b, entry));
  }
}

int shape_of(SceneBuilder& b, const Fields& at, const std::string& field, const std::string& name) {
  const auto known = b.shapes.find(name);
  if (known != b.shapes.end()) return known->second;
  const std::vector<std::string> recipes = recipe_names();
  if (std::ranges::count(recipes, name) > 0) return add_shape(b, name, make_named_shape(name));
  std::vector<std::string> names = recipes;
  for (const auto& [shape, index] : b.shapes) names.push_back(shape);
  at.fail(field, "unknown shape \"" + name + "\"", suggestion(name, names));
}

}  // namespace scree
