// Schema of matter: [materials], [[pairs]], [shapes], [grains].
#include "scree/scene/schema_tools.hpp"

namespace scree::schema {

namespace {

using enum FieldType;

constexpr Range restitution_range{0, 1, true};
constexpr Range coefficient{0, 1e9};  // more than that of anything, and single precision holds its squares
constexpr const char* rolling =
    "mu_r: a contact resists relative spin by up to mu_r R_eff times its normal force; 1/R_eff is the sum of 1/R over "
    "the grains that move freely";

Section materials() {
  Section s{"materials.NAME",
            "Contact parameters of two materials are geometric means, unless [[pairs]] states them. A scene without "
            "materials has one, `default`, with the defaults below.",
            "",
            {}};
  s.fields = {
      number("density", "1", "mass/length^2", "of plane grains of unit depth", positive),
      number("friction", "0.5", "", "Coulomb coefficient mu", coefficient),
      number("restitution", "0.3", "", "normal speed after a free impact over the speed before", restitution_range),
      number("normal_damping", "", "force/speed", "c_n, instead of `restitution`", not_negative),
      or_word(
          "auto",
          number("stiffness", "\"auto\"", "force/length",
                 "k_n; auto: the largest with omega_max dt <= 0.33, which needs a number in step.dt; implicit: only "
                 "for `normal_damping`",
                 positive)),
      number("tangential_ratio", "0.5", "", "k_t / k_n; explicit only", not_negative),
      number("tangential_damping_ratio", "0.5", "", "c_t / c_n; explicit only", not_negative),
      number("rotational_damping", "0", "1/time", "rate at which a contact damps relative spin", not_negative),
      number("rolling_friction", "0", "", rolling, coefficient),
  };
  return s;
}

Section pairs() {
  Section s{"pairs[]", "Contacts between two materials; fields left out keep the mean.", "", {}};
  s.fields = {
      field(texts, "materials", "required", "",
            "the two materials, e.g. [\"steel\", \"glass\"]; may be the same twice"),
      number("friction", "", "", "Coulomb coefficient mu", coefficient),
      number("restitution", "", "", "normal speed after a free impact over the speed before", restitution_range),
      number("normal_damping", "", "force/speed", "c_n, instead of `restitution`", not_negative),
      number("stiffness", "", "force/length", "k_n; implicit: only for `normal_damping`", positive),
      number("tangential_ratio", "", "", "k_t / k_n; explicit only", not_negative),
      number("tangential_damping_ratio", "", "", "c_t / c_n; explicit only", not_negative),
      number("rotational_damping", "", "1/time", "rate at which a contact damps relative spin", not_negative),
      number("rolling_friction", "", "", rolling, coefficient),
  };
  return s;
}

Section shapes() {
  Section s{"shapes.NAME",
            "Exactly one of `recipe`, `glyph`, `svg`, `points`, `loops`, `cosines`, `radii`. A recipe's own parameters "
            "(`scree shapes` lists them) stand beside it in the table. `cosines` and `radii` draw a star by its radius "
            "as a function of the angle; `fourier_order` makes one of any outline that is star-shaped. A shape is "
            "moved to its centroid; its size is the grain's "
            "`radius`, or as drawn with `scale`.",
            "",
            {}};
  s.fields = {
      field(text, "recipe", "", "", "name of a library shape"),
      field(text, "glyph", "", "", "one character of a font"),
      field(text, "font", "\"\"", "",
            "with `glyph`: font file (relative to the scene file) or name; empty: DejaVu Sans Bold"),
      number("height", "1", "length", "with `glyph`: height of the font's capital H", positive),
      field(text, "svg", "", "", "SVG file, relative to the scene file"),
      field(text, "id", "", "", "with `svg`: the element to take; left out: all paths"),
      field(points, "points", "", "length", "one closed outline; at least 3 points"),
      field(loops, "loops", "", "length", "several closed outlines; inner ones are holes"),
      field(numbers, "cosines", "", "length",
            "star: a_0, a_1, ... of r = a_0 + sum a_k cos(k angle) + b_k sin(k angle)"),
      field(numbers, "sines", "[]", "length", "with `cosines`: b_1, b_2, ..."),
      field(numbers, "radii", "", "length", "star: r at equal angles from 0, joined by a smooth curve", positive),
      field(integer, "fourier_order", "", "",
            "with an outline: take the Fourier series of its r(angle) about the centroid up to this order", {1, 200}),
      number("tolerance", "1e-3", "radius", "largest distance between a curve and its polygon", {1e-6, 0.1}),
  };
  return s;
}

Section grains() {
  Section s{"grains.NAME",
            "A kind of grain. `shape` names a table of [shapes], or else a library recipe with its default "
            "parameters.",
            "",
            {}};
  s.fields = {
      field(text, "shape", "", "", "its shape; left out: the shape called NAME"),
      field(FieldType::size, "radius", "", "length",
            "circumradius about the centroid: a number, or a distribution (next table)", positive),
      number("scale", "", "", "instead of `radius`: size relative to the shape as drawn", positive),
      field(text, "material", "", "", "its material; left out: the only one, or `default`"),
  };
  return s;
}

Section radius() {
  const Words spread = {"uniform", "normal", "lognormal"};
  Section s{"grains.NAME.radius",
            "A size distribution, cut into classes because contact maps are per size ratio. The classes are called "
            "NAME:1, NAME:2, ... from small to large. Lognormal classes are spaced by a constant factor, so that few "
            "different ratios, hence few maps, arise.",
            "distribution",
            {}};
  s.fields = {
      choice("distribution", "required", {"uniform", "normal", "lognormal", "classes"}, "by number of grains"),
      only(spread, number("mean", "required", "length", "mean radius", positive)),
      only(spread, number("spread", "required", "length", "standard deviation; uniform: half width", positive)),
      only(spread, field(integer, "classes", "5", "", "number of classes", {1, 50})),
      only({"classes"}, field(numbers, "radii", "required", "length", "radius of each class", positive)),
      only({"classes"}, field(numbers, "fractions", "", "", "share of each by number; left out: equal", not_negative)),
  };
  return s;
}

}  // namespace

std::vector<Section> matter_sections() { return {materials(), pairs(), shapes(), grains(), radius()}; }

}  // namespace scree::schema
