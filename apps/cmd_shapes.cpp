// `scree shapes`: the library of shapes as a table and as a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "output_file.hpp"
#include "scree/base/error.hpp"
#include "scree/record/plot.hpp"
#include "scree/shape/glyph.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/svg.hpp"
#include "shape_argument.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace {

struct Options {
  std::vector<std::string> names, settings;
  std::string glyphs, font, svg, output, theme = "light";
  bool pieces = false;
};

std::string symmetry_text(const Shape& s) { return s.symmetry == 0 ? "any" : std::to_string(s.symmetry); }

const std::vector<std::string>& property_header() {
  static const std::vector<std::string> header{"shape",    "area",     "inertia", "circumradius", "thinnest",
                                               "symmetry", "vertices", "loops",   "pieces"};
  return header;
}

// As drawn: lengths in the user's unit, density 1.
std::vector<std::string> properties(const Shape& s) {
  const double r = s.natural_radius;
  return {s.name,
          number(s.area * r * r),
          number(s.polar_moment * r * r * r * r),
          number(r),
          number(s.thinnest * r),
          symmetry_text(s),
          std::to_string(s.outline.vertex_count()),
          std::to_string(s.outline.loops.size()),
          std::to_string(s.pieces.size())};
}

void print_parameters(const std::vector<ShapeRecipe>& recipes) {
  TextTable table({"shape", "parameter", "default", "range", "meaning"});
  for (const ShapeRecipe& r : recipes) {
    if (r.parameters.empty()) table.row({r.name, "", "", "", r.summary});
    bool first = true;
    for (const ShapeParameter& p : r.parameters) {
      table.row(
          {first ? r.name : "", p.name, number(p.fallback), number(p.lowest) + " to " + number(p.highest), p.meaning});
      first = false;
    }
  }
  fmt::print("{}", table.text());
}

std::string utf8_at(const std::string& text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return text.substr(at, end - at);
}

std::vector<Shape> chosen_shapes(const Options& o) {
  std::vector<Shape> shapes;
  std::string set;
  for (const std::string& s : o.settings) set += (set.empty() ? ":" : ",") + s;
  if (!set.empty() && o.names.size() != 1)
    throw Error(ErrorKind::input, "--set", "needs the name of one shape", "scree shapes box --set width=2");
  for (const std::string& name : o.names) shapes.push_back(shape_argument(name + set));
  for (std::size_t at = 0; at < o.glyphs.size();) {
    const std::string character = utf8_at(o.glyphs, at);
    shapes.push_back(make_glyph(character, o.font));
    shapes.back().name = character;
    at += character.size();
  }
  if (!o.svg.empty()) shapes.push_back(shape_argument("svg:" + o.svg));
  return shapes;
}

void draw(const std::vector<Shape>& shapes, const Options& o) {
  std::vector<SheetEntry> entries;
  for (const Shape& s : shapes)
    entries.push_back(
        {&s,
         s.name,
         {fmt::format("area {}  w {}", number(s.area, 3), number(s.thinnest, 3)),
          fmt::format("symmetry {}  {} piece{}", symmetry_text(s), s.pieces.size(), s.pieces.size() == 1 ? "" : "s")}});
  const Image image = shape_sheet(entries, o.pieces, o.theme == "dark" ? dark_theme() : light_theme());
  write_png(image, o.output);
  fmt::print("{}  {}x{}, {} shape{} (figures at circumradius 1)\n", o.output, image.width, image.height, shapes.size(),
             shapes.size() == 1 ? "" : "s");
}

void show(const Options& o) {
  require_extension("-o", o.output, {".png"});
  std::vector<Shape> shapes = chosen_shapes(o);
  const bool all = shapes.empty();
  if (all)
    for (const ShapeRecipe& r : shape_recipes()) shapes.push_back(make_named_shape(r.name));
  TextTable table(property_header());
  for (const Shape& s : shapes) table.row(properties(s));
  fmt::print("{}", table.text());
  if (all) {
    fmt::print("\n");
    print_parameters(shape_recipes());
    fmt::print(
        "\nAlso: any character of any font (--glyph), the paths of an SVG file (--svg), coordinates in a scene.\n");
  } else {
    std::vector<ShapeRecipe> recipes;
    for (const std::string& name : o.names)
      for (const ShapeRecipe& r : shape_recipes())
        if (r.name == canonical_shape_name(name.substr(0, name.find(':')))) recipes.push_back(r);
    if (!recipes.empty()) fmt::print("\n"), print_parameters(recipes);
  }
  if (!o.output.empty()) draw(shapes, o);
}

}  // namespace

void add_shapes_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = app.add_subcommand("shapes", "list and draw shapes: the library, glyphs, SVG files");
  c->add_option("name", o.names, std::string("shapes (default: the whole library): ") + shape_argument_help)
      ->type_name("SHAPE");
  c->add_option("--set", o.settings, "parameter=value of the one named shape; may be repeated");
  c->add_option("--glyph", o.glyphs, "characters of a font, each a shape");
  c->add_option("--font", o.font, std::string("font of --glyph, a name or a file (default: ") + default_font + ")");
  c->add_option("--svg", o.svg, "SVG file, FILE or FILE#id");
  c->add_option("-o,--output", o.output, "draw them into this PNG file")->type_name("FILE");
  c->add_flag("--pieces", o.pieces, "draw the convex pieces in tints");
  c->add_option("--theme", o.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
  c->footer("Area, inertia (about the centroid, density 1) and lengths are those of the shape as drawn.");
  c->callback([options] { show(*options); });
}

}  // namespace scree::cli
