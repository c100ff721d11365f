// Schema of [[measures]]. Which fields a kind takes is in the registry of measure/.
#include <algorithm>

#include "scree/measure/measure.hpp"
#include "scree/scene/schema_tools.hpp"

namespace scree::schema {

namespace {

using enum FieldType;

Words kind_names() {
  Words names;
  for (const MeasureKind& kind : measure_kinds()) names.push_back(kind.name);
  return names;
}

// The field of the measures that have it as an option.
Field option(Field f) {
  for (const MeasureKind& kind : measure_kinds()) {
    if (std::ranges::count(kind.options, f.name) > 0) f.only.push_back(kind.name);
  }
  return f;
}

std::vector<Field> common_fields() {
  return {
      choice("kind", "required", kind_names(), "what is measured; definitions in docs/measures.md"),
      field(text, "name", "", "", "names the files measure-NAME.csv and table-NAME.csv; left out: the kind"),
      or_word("auto", number("every", "\"auto\"", "time", "interval between samples; auto: as `run.series`", positive)),
      field(interval, "x", "", "length", "region in x; left out: the periodic cell, or as far as the grains reach"),
      field(interval, "y", "", "length", "region in y; likewise"),
      field(texts, "groups", "[]", "", "only grains of these groups; empty: of all"),
      field(texts, "grains", "[]", "", "only these kinds of grain; empty: all"),
      field(boolean, "driven", "false", "", "fixed and kinematic grains too"),
  };
}

std::vector<Field> surface_fields() {
  return {
      option(or_word("auto", number("column", "\"auto\"", "length",
                                    "width of a column; auto: twice the mean circumradius", positive))),
      option(field(boolean, "touching", "false", "", "leave out grains that touch nothing")),
      option(choice("flank", "both", {"both", "left", "right"}, "which side of the summit")),
      option(
          field(interval, "band", "[0.1, 0.9]", "summit", "heights of the columns that the line is fitted to", {0, 1})),
      option(number("span", "0.5", "width", "middle part of the surface that the line is fitted to", {0, 1, true})),
      option(choice("side", "both", {"both", "left", "right"}, "where the pile may spread")),
      option(number("origin", "", "length",
                    "x from which the radius counts; left out: the far end of the pile at the start, or its middle")),
      option(number("start_radius", "", "length", "radius at the start; left out: that of the first sample", positive)),
      option(or_word("auto", number("gap", "\"auto\"", "length",
                                    "widest gap within the pile; auto: twice the mean circumradius", positive))),
  };
}

std::vector<Field> flow_fields() {
  return {
      option(number("from", "0", "time", "samples before this time do not count", not_negative)),
      option(number("window", "0", "time", "the rate is over this time; 0: since the sample before", not_negative)),
      option(number("hold", "required", "time", "a clog is when nothing leaves for this long", positive)),
      option(field(interval, "opening", "", "length", "x of the opening: a clog has grains above it; left out: all x")),
      option(choice("axis", "y", {"x", "y"}, "direction in which layers, slices or halves follow one another")),
      option(field(integer, "bins", "20", "", "number of layers, slices or bins", {1, 100000})),
      option(field(boolean, "average", "false", "", "true: mean over all samples so far")),
      option(choice("by", "grain", {"grain", "group", "start"},
                    "what tells species apart; start: the halves along `axis` at the first sample")),
      option(or_word("auto", number("cell", "\"auto\"", "length",
                                    "side of the square cells; auto: eight times the mean circumradius", positive))),
      option(number("floor", "0.01", "peak", "the fit of the decay leaves out smaller energies", {0, 1})),
  };
}

std::vector<Field> contact_fields() {
  return {
      option(field(boolean, "walls", "true", "", "count contacts with walls and driven grains")),
      option(field(integer, "rattlers", "2", "", "a grain with fewer partners is a rattler", {0, 100})),
      option(field(angle, "angle", "\"45 deg\"", "rad", "largest angle between a link and the axes of its grains",
                   {0, 1.5707963267948966})),
      option(field(integer, "least", "3", "", "fewest grains of a chain", {2, 1000000})),
  };
}

}  // namespace

std::vector<Section> measure_sections() {
  Section s{"measures[]", "What is measured during the run. `scree measure` takes the same after it.", "kind", {}};
  for (auto part : {common_fields, surface_fields, flow_fields, contact_fields}) {
    for (Field& f : part()) s.fields.push_back(std::move(f));
  }
  return {s};
}

}  // namespace scree::schema
